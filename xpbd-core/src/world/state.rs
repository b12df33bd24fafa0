//! Everything a step reads and writes, as plain data for back ends.

use std::any::Any;
use std::fmt::Debug;
use std::future::{Future, ready};
use std::ops::Range;

use smallvec::SmallVec;

use super::error::StepError;
use super::report::BrokenConstraint;
use super::report::StepReport;
use crate::batch::{ConstraintBatch, Nodes};
use crate::bodies::Bodies;
use crate::collide::{Collider, Contacts, DetectionContext, SensorOverlap};
use crate::constraint::ConstraintError;
use crate::constraint::layout::uniform;
use crate::constraint::update::linearization::LinearizationCache;
use crate::handle::{BatchHandle, BodyHandle, ColliderHandle, ObjectHandle, OrderedMap, SensorHandle};
use crate::media::MediumState;
use crate::medium::ObjectMedia;
use crate::object::{ObjectState, Supports};
use crate::parallel::{ThreadChoice, WorkerScope};
use crate::particles::Particles;
use crate::schedule::Plan;
use crate::settings::{Integrator, Settings, SolverMethod};

/// A back end that advances a world: the [`CpuBackend`](crate::cpu::CpuBackend) of this crate, or one on a GPU.
pub trait Backend {
    /// For reports and messages.
    fn name(&self) -> String;

    /// Detects contacts and runs all substeps of a frame of `dt` \[s\] > 0, starting from a state
    /// whose plan is current and whose targets and accelerations are set.
    ///
    /// # Errors
    /// The back end cannot go on; it leaves particles, and bodies that move, as they were.
    fn advance(&mut self, state: &mut State, dt: f32, report: &mut StepReport) -> Result<(), StepError>;

    /// Advances as [`Backend::advance`] does, but awaits what that waits for, as a page demands of a back end that computes on a
    /// device. A frame whose future is dropped has not happened.
    ///
    /// # Errors
    /// Those of [`Backend::advance`].
    fn advance_async(
        &mut self,
        state: &mut State,
        dt: f32,
        report: &mut StepReport,
    ) -> impl Future<Output = Result<(), StepError>>
    where
        Self: Sized,
    {
        ready(self.advance(state, dt, report))
    }
}

/// The state of a world that a back end keeps on a device between frames.
///
/// While there is one, particles, bodies that move and contacts of [`State`] are those of a frame that
/// the device has finished, possibly some frames ago.
pub trait DeviceState: Any + Debug + Send + Sync {
    /// Brings the state up to date, waiting for the device.
    ///
    /// # Errors
    /// The device is lost; the state is then that of the last frame read back.
    fn sync_from_device(&mut self, state: &mut State) -> Result<(), StepError>;
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
    /// The batch, this one or another, whose constraints break together with those of the same number
    /// in this one.
    pub breaks_with: Option<BatchHandle>,
    /// Locations of its constraints in the plan, for a traced batch: one, or two where some are solved directly.
    pub placements: SmallVec<[PlanPlacement; 1]>,
    /// Multipliers with which the next plan begins, for a batch that is solved directly.
    pub multipliers: Vec<f32>,
}

/// The location of a batch's constraints in a pass of a plan.
#[derive(Debug, Clone)]
pub struct PlanPlacement {
    /// The index of the pass in the plan.
    pub pass: usize,
    /// The slot of each constraint in the pass, [`PlanPlacement::NONE`] where it is not in it.
    pub slots: SmallVec<[u32; 2]>,
}

impl PlanPlacement {
    /// The slot of a constraint that is not in the pass.
    pub const NONE: u32 = u32::MAX;

    /// Returns the slot of a constraint that is in the pass.
    pub fn slot(&self, constraint: usize) -> Option<usize> {
        self.slots.get(constraint).filter(|&&slot| slot != Self::NONE).map(|&slot| slot as usize)
    }
}

/// The data of a world.
#[derive(Debug, Default)]
pub struct State {
    /// Settings of the simulation.
    pub settings: Settings,
    /// State of all particles.
    pub particles: Particles,
    /// State of all bodies.
    pub bodies: Bodies,
    /// Objects, in the order of their particles.
    pub objects: OrderedMap<ObjectHandle, ObjectState>,
    /// True if no body has slept or been at rest since all were woken.
    pub all_awake: bool,
    /// Bodies' handles; the order is that of [`State::bodies`].
    pub body_handles: OrderedMap<BodyHandle, ()>,
    /// Constraints, in the order of their passes.
    pub batches: OrderedMap<BatchHandle, BatchState>,
    /// Pairs of bodies that do not touch each other.
    pub ignored_pairs: Vec<[BodyHandle; 2]>,
    /// The same by index, sorted.
    pub ignored_pair_indices: Vec<[u32; 2]>,
    /// Media, as the plan has them.
    pub media: Vec<MediumState>,
    /// Media of the objects.
    pub object_media: ObjectMedia,
    /// All colliders, in order of their handles.
    pub colliders: OrderedMap<ColliderHandle, Collider>,
    /// All sensors, in order of their handles.
    pub sensors: OrderedMap<SensorHandle, Collider>,
    /// Colliders that sensors overlapped at the end of the last frame, and those that they no longer did.
    pub sensor_overlaps: Vec<SensorOverlap>,
    /// Pins that hold particles, as of the plan.
    pub supports: Supports,
    /// Passes that a substep solves.
    pub plan: Plan,
    /// True if an edit has made the plan out of date.
    pub plan_is_stale: bool,
    /// Contacts of the last frame, and the events they made.
    pub contacts: Contacts,
    /// Number of frames stepped.
    pub frames: u64,
    /// Length of the last substep \[s\].
    pub last_substep: f32,
    /// Constraints that broke in the last step.
    pub broken: Vec<BrokenConstraint>,
    /// True if a force acts on any particle in the next frame.
    pub has_forces: bool,
    /// The number of threads that are worth while.
    pub thread_choice: ThreadChoice,
    /// State that the back end of the last step keeps on its device.
    pub device_state: Option<Box<dyn DeviceState>>,
    /// Counts edits of particles: a device that has seen fewer holds an outdated state.
    pub particle_revision: u64,
    /// Counts edits of bodies, likewise.
    pub body_revision: u64,
    /// Counts the plans made: a device that has seen fewer follows an outdated one.
    pub plan_generation: u64,
    /// Linearizations that plans have used.
    pub linearizations: LinearizationCache,
}

impl State {
    /// Returns h² that compliance is divided by and multipliers are turned into forces with \[s²\]: the
    /// square of the substep, for second order of ⅔ of it (\[English08\]).
    pub fn effective_square(&self, h: f32) -> f32 {
        match self.settings.integrator {
            Integrator::FirstOrder => h * h,
            Integrator::SecondOrder => h * h * (4.0 / 9.0),
        }
    }

    /// Returns the uniforms of every program in a substep of length `h` \[s\].
    pub fn uniforms(&self, h: f32) -> [f32; uniform::COUNT] {
        let scale = match self.settings.solver_method {
            SolverMethod::Xpbd => 1.0 / self.effective_square(h),
            SolverMethod::Pbd => 0.0,
        };
        [h, scale, self.effective_square(h)]
    }

    /// Brings particles, bodies and contacts up to date with the device that they are on, if any.
    ///
    /// # Errors
    /// The device is lost; the state is then that of the last frame read back, and no longer waits
    /// for the device.
    pub fn sync_from_device(&mut self) -> Result<(), StepError> {
        let Some(mut residence) = self.device_state.take() else { return Ok(()) };
        residence.sync_from_device(self)?;
        self.device_state = Some(residence);
        Ok(())
    }

    /// Takes the state back from a device for good. A device that is lost leaves the state of the
    /// last frame that it gave back.
    pub fn detach_from_device(&mut self) {
        // The state is whole either way, and a back end that finds its device lost says so itself.
        let _ = self.sync_from_device();
        self.device_state = None;
    }

    /// Called before particles are changed from outside a step.
    pub(crate) fn prepare_particle_edit(&mut self) {
        // As above: what is edited is the last state that there is.
        let _ = self.sync_from_device();
        self.particle_revision += 1;
    }

    /// Called before bodies are changed from outside a step.
    pub(crate) fn prepare_body_edit(&mut self) {
        // As above.
        let _ = self.sync_from_device();
        self.body_revision += 1;
    }

    /// Called before an edit that moves bodies at once or changes colliders: the contacts of bodies no longer go on where
    /// they are, and continue from their history.
    pub fn settle_body_contacts(&mut self) {
        let mut contacts = std::mem::take(&mut self.contacts);
        contacts.bodies.settle(&self.detection_context(0.0));
        self.contacts = contacts;
    }

    /// Returns what detection reads in a frame of `dt` \[s\] that has begun.
    pub fn detection_context(&self, dt: f32) -> DetectionContext<'_> {
        let Self {
            settings,
            particles,
            objects,
            object_media,
            colliders,
            body_handles,
            bodies,
            ignored_pair_indices: ignored,
            ..
        } = self;
        let plans = self.plan_generation;
        DetectionContext {
            settings,
            particles,
            objects,
            object_media,
            colliders,
            body_handles,
            bodies,
            ignored_pairs: ignored,
            dt,
            plan_generation: plans,
        }
    }

    /// Finds the contacts in which both sides move; see [`Contacts::detect_mutual`].
    ///
    /// # Errors
    /// As of that.
    pub fn detect_mutual(&mut self, dt: f32) -> Result<(), ConstraintError> {
        let mut contacts = std::mem::take(&mut self.contacts);
        let found = contacts.detect_mutual(&self.detection_context(dt));
        self.contacts = contacts;
        found
    }

    /// Returns the object that a particle belongs to, as its place in the order of objects.
    pub fn particle_objects(&self) -> Vec<u32> {
        let mut owners = vec![0; self.particles.len()];
        for (place, (_, object)) in self.objects.iter().enumerate() {
            owners[object.range.clone()].fill(place as u32);
        }
        owners
    }

    /// Calls `hook` for every hand-written batch with its particles.
    /// Compliance is scaled for substeps of length `h` \[s\].
    pub fn for_each_custom_batch(&mut self, h: f32, mut hook: impl FnMut(&mut dyn ConstraintBatch, &mut Nodes<'_>)) {
        let [_, scale, _] = self.uniforms(h);
        let Self { batches, objects, particles, .. } = self;
        batches.for_each_mut(|_, state| {
            if state.batch.traced().is_none()
                && state.batch.material().is_none()
                && let Some(ranges) = live_ranges(objects, &state.objects)
            {
                hook(state.batch.as_mut(), &mut Nodes::new(particles, ranges, scale));
            }
        });
    }

    /// Returns the particles of a batch, by its place in the order of batches; none if one of its objects is
    /// frozen or asleep.
    pub fn batch_ranges(&self, place: usize) -> SmallVec<[Range<usize>; 2]> {
        let batch = self.batches.keys().get(place).and_then(|&key| self.batches.get(key));
        batch.and_then(|batch| live_ranges(&self.objects, &batch.objects)).unwrap_or_default()
    }

    /// Projects one hand-written batch, by its place in the order of batches.
    pub fn project_custom(&mut self, place: usize, h: f32) {
        let [_, scale, _] = self.uniforms(h);
        let Some(&key) = self.batches.keys().get(place) else { return };
        let Some(state) = self.batches.get_mut(key) else { return };
        if let Some(ranges) = live_ranges(&self.objects, &state.objects) {
            state.batch.project(&mut Nodes::new(&mut self.particles, ranges, scale), h);
        }
    }

    /// Takes stock of media for a frame whose contacts are found.
    pub(crate) fn begin_media(&mut self) {
        let Self { media, objects, contacts, particles, .. } = self;
        let objects: Vec<&ObjectState> = objects.iter().map(|(_, object)| object).collect();
        media.iter_mut().for_each(|medium| medium.begin_frame(&objects, contacts, particles));
    }

    /// Solves a medium once, by its place among the media; `first` in the first iteration of the substep.
    pub(crate) fn project_medium(&mut self, place: usize, h: f32, first: bool, workers: &WorkerScope<'_>) {
        let Self { media, particles, bodies, contacts, settings, .. } = self;
        if let Some(medium) = media.get_mut(place) {
            medium.project(particles, bodies, contacts, settings, h, first, workers);
        }
    }
}

/// Returns the particles of these objects, unless one of them is frozen or asleep.
pub(crate) fn live_ranges(
    objects: &OrderedMap<ObjectHandle, ObjectState>,
    handles: &[ObjectHandle],
) -> Option<SmallVec<[Range<usize>; 2]>> {
    let range = |&handle: &ObjectHandle| objects.get(handle).filter(|object| object.is_live()).map(|o| o.range.clone());
    handles.iter().map(range).collect()
}
