//! Everything a step reads and writes, as plain data for back ends.

use std::ops::Range;

use glam::Vec3;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::error::StepError;
use super::object::{Filter, Friction};
use super::ordered::{BatchHandle, BodyHandle, ColliderHandle, ObjectHandle, Ordered};
use super::report::StepReport;
use super::settings::{Integrator, Method, Settings};
use crate::batch::{ConstraintBatch, Nodes};
use crate::bodies::Bodies;
use crate::collide::{Collider, Contacts};
use crate::constraint::layout::uniform;
use crate::particles::Particles;
use crate::schedule::Plan;

/// What advances a world: this crate's [`CpuBackend`](crate::cpu::CpuBackend), or one on a GPU.
pub trait Backend {
    /// For reports and messages.
    fn name(&self) -> String;

    /// Detects contacts and runs all substeps of a frame of `dt` \[s\] > 0, starting from a state
    /// whose plan is current and whose targets and accelerations are set.
    ///
    /// # Errors
    /// The back end cannot go on; it leaves the particles as they were.
    fn advance(&mut self, state: &mut State, dt: f32, report: &mut StepReport) -> Result<(), StepError>;
}

/// An object as the world holds it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ObjectState {
    /// For messages.
    pub name: String,
    /// Its particles.
    pub range: Range<usize>,
    /// Friction of its particles.
    pub friction: Friction,
    /// Who it collides with.
    pub filter: Filter,
    /// Factor of gravity \[1\].
    pub gravity_scale: f32,
    /// Drag \[1/s\].
    pub drag: f32,
    /// Whether it became non-finite and is left out of everything.
    pub frozen: bool,
    /// Pinned particles that move to a place \[m\] during the next frame.
    pub targets: Vec<(u32, Vec3)>,
}

/// A batch as the world holds it.
#[derive(Debug)]
pub struct BatchState {
    /// The objects whose particles it numbers, one after the other.
    pub objects: SmallVec<[ObjectHandle; 2]>,
    /// The bodies it numbers.
    pub bodies: SmallVec<[BodyHandle; 2]>,
    /// The constraints.
    pub batch: Box<dyn ConstraintBatch>,
}

/// The data of a world.
#[derive(Debug, Default)]
pub struct State {
    /// How it is stepped.
    pub settings: Settings,
    /// Particle state.
    pub particles: Particles,
    /// Body state.
    pub bodies: Bodies,
    /// Objects, in the order of their particles.
    pub objects: Ordered<ObjectHandle, ObjectState>,
    /// Bodies' handles; the order is that of [`State::bodies`].
    pub body_handles: Ordered<BodyHandle, ()>,
    /// Constraints, in the order of their passes.
    pub batches: Ordered<BatchHandle, BatchState>,
    /// Colliders.
    pub colliders: Ordered<ColliderHandle, Collider>,
    /// What a substep solves.
    pub plan: Plan,
    /// Whether an edit has made the plan out of date.
    pub plan_is_stale: bool,
    /// Contacts of the last frame, and the events they made.
    pub contacts: Contacts,
    /// Frames stepped.
    pub frames: u64,
    /// Length of the last substep \[s\].
    pub last_substep: f32,
}

impl State {
    /// h² that compliance is divided by and multipliers are turned into forces with \[s²\]: the
    /// square of the substep, for second order of ⅔ of it (\[English08\]).
    pub fn effective_square(&self, h: f32) -> f32 {
        match self.settings.integrator {
            Integrator::FirstOrder => h * h,
            Integrator::SecondOrder => h * h * (4.0 / 9.0),
        }
    }

    /// The uniforms of every program in a substep of length `h` \[s\].
    pub fn uniforms(&self, h: f32) -> [f32; uniform::COUNT] {
        let scale = match self.settings.method {
            Method::Xpbd => 1.0 / self.effective_square(h),
            Method::Pbd => 0.0,
        };
        [h, scale]
    }

    /// The object that a particle belongs to, as its place in the order of objects.
    pub fn owners(&self) -> Vec<u32> {
        let mut owners = vec![0; self.particles.len()];
        for (place, (_, object)) in self.objects.iter().enumerate() {
            owners[object.range.clone()].fill(place as u32);
        }
        owners
    }

    /// Calls `hook` for every hand-written batch with its particles.
    pub fn custom_batches(&mut self, mut hook: impl FnMut(&mut dyn ConstraintBatch, &mut Nodes<'_>)) {
        let Self { batches, objects, particles, .. } = self;
        batches.for_each_mut(|_, state| {
            if state.batch.traced().is_none()
                && let Some(ranges) = live_ranges(objects, &state.objects)
            {
                hook(state.batch.as_mut(), &mut Nodes::new(particles, ranges));
            }
        });
    }

    /// Projects one hand-written batch, by its place in the order of batches.
    pub fn project_custom(&mut self, place: usize, h: f32) {
        let Some(&key) = self.batches.keys().get(place) else { return };
        let Some(state) = self.batches.get_mut(key) else { return };
        if let Some(ranges) = live_ranges(&self.objects, &state.objects) {
            state.batch.project(&mut Nodes::new(&mut self.particles, ranges), h);
        }
    }
}

/// The particles of these objects, unless one of them is frozen.
pub(crate) fn live_ranges(
    objects: &Ordered<ObjectHandle, ObjectState>,
    handles: &[ObjectHandle],
) -> Option<SmallVec<[Range<usize>; 2]>> {
    let range = |&handle: &ObjectHandle| objects.get(handle).filter(|object| !object.frozen).map(|o| o.range.clone());
    handles.iter().map(range).collect()
}
