//! Adding and removing objects and constraints. Everything is checked before anything is changed.

use glam::Vec3;
use slotmap::Key;
use smallvec::SmallVec;

use super::World;
use super::error::WorldError;
use super::revision::Revised;
use super::state::{BatchState, State};
use crate::batch::Registry;
use crate::batch::{Batch, ConstraintBatch, NodeCounts};
use crate::constraint::{Constraint, ConstraintError};
use crate::handle::{BatchHandle, BodyHandle, ObjectHandle};
use crate::object::Object;
use crate::object::ObjectState;
use crate::settings::Settings;
use crate::sleep::SleepState;

impl World {
    /// Creates an empty world.
    ///
    /// # Errors
    /// A setting that no step could honour.
    pub fn new(settings: Settings) -> Result<Self, WorldError> {
        settings.validate()?;
        Ok(Self { state: Revised::new(State { settings, ..State::default() }), ..Self::default() })
    }

    /// Makes a constraint type known, which restoring a snapshot needs; adding a batch does it too.
    ///
    /// # Errors
    /// What the self-check of the type found, or another type of the same name.
    pub fn register<K, const N: usize, const M: usize>(&mut self, constraint: K) -> Result<(), ConstraintError>
    where
        K: Constraint<N, M>,
    {
        self.registry.register(constraint).map(drop)
    }

    /// Returns the constraint types that this world knows.
    pub fn registry_mut(&mut self) -> &mut Registry {
        &mut self.registry
    }

    /// Returns how the world is stepped.
    pub fn settings(&self) -> &Settings {
        &self.state.settings
    }

    /// Changes how the world is stepped from the next step on.
    ///
    /// # Errors
    /// A setting that no step could honour.
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), WorldError> {
        settings.validate()?;
        if settings.gravity != self.state.settings.gravity {
            self.state.wake_all();
        }
        let now = &self.state.settings;
        self.state.plan_is_stale |=
            settings.schedule != now.schedule || settings.particle_radius != now.particle_radius;
        self.state.settings = settings;
        Ok(())
    }

    /// Adds an object with its batches.
    ///
    /// # Errors
    /// The first particle, pin or constraint that is not valid; nothing is added then.
    pub fn add(&mut self, object: Object) -> Result<ObjectHandle, WorldError> {
        object.validate()?;
        let counts = NodeCounts { particles: object.positions.len() + object.inactive_masses.len(), bodies: 0 };
        object.batches.iter().try_for_each(|batch| batch.validate(counts))?;
        let mut registry = self.registry.clone();
        object.batches.iter().try_for_each(|batch| batch.register(&mut registry))?;
        self.registry = registry;
        let state = &mut *self.state;
        state.prepare_particle_edit();
        let start = state.particles.len();
        for (k, (&position, &mass)) in object.positions.iter().zip(&object.masses).enumerate() {
            let velocity = object.velocities.get(k).copied().unwrap_or(Vec3::ZERO);
            let rest = object.rest_positions.get(k).copied().unwrap_or(position);
            state.particles.push(position, velocity, mass, rest);
        }
        for &pin in &object.pins {
            state.particles.set_pinned(start + pin as usize, true);
            state.particles.was_movable[start + pin as usize] = false;
        }
        let parked = object.positions.first().copied().unwrap_or(Vec3::ZERO);
        for (k, &mass) in object.inactive_masses.iter().enumerate() {
            state.particles.push(parked, Vec3::ZERO, mass, parked_rest_position(k));
            state.particles.deactivate(state.particles.len() - 1);
        }
        let handle = state.objects.push(ObjectState {
            name: object.name,
            range: start..state.particles.len(),
            friction: object.friction,
            restitution: object.restitution,
            collision_layers: object.collision_layers,
            gravity_scale: object.gravity_scale,
            linear_damping: object.linear_damping,
            frozen: false,
            can_sleep: object.can_sleep,
            sleep: SleepState::default(),
            surface: object.surface,
            triangles: object.triangles,
            supports: object.supports,
            stiffness: object.stiffness,
            pin_targets: Vec::new(),
        });
        for batch in object.batches {
            let objects = SmallVec::from_elem(handle, 1);
            state.batches.push(BatchState {
                objects,
                bodies: SmallVec::new(),
                batch,
                breaks_with: None,
                placements: SmallVec::new(),
                multipliers: Vec::new(),
            });
        }
        state.plan_is_stale = true;
        Ok(handle)
    }

    /// Adds constraints among the particles of these objects, numbered through in this order, and
    /// these bodies. They go when one of their objects or bodies goes.
    ///
    /// # Errors
    /// A stale handle, or the first constraint that is not valid.
    pub fn add_batch(
        &mut self,
        objects: &[ObjectHandle],
        bodies: &[BodyHandle],
        batch: impl ConstraintBatch,
    ) -> Result<BatchHandle, WorldError> {
        let mut counts = NodeCounts { particles: 0, bodies: bodies.len() };
        check_each_is_once(objects, "object")?;
        check_each_is_once(bodies, "body")?;
        for &object in objects {
            counts.particles += self.state.object(object)?.range.len();
        }
        for &body in bodies {
            self.state.body_index(body)?;
        }
        batch.validate(counts)?;
        batch.register(&mut self.registry)?;
        self.state.plan_is_stale = true;
        let (objects, bodies) = (objects.into(), bodies.into());
        let handle = self.state.batches.push(BatchState {
            objects,
            bodies,
            batch: Box::new(batch),
            breaks_with: None,
            placements: SmallVec::new(),
            multipliers: Vec::new(),
        });
        self.state.wake_batch(handle);
        Ok(handle)
    }

    /// Returns the batches of an object, in the order in which they were added.
    pub fn batches_of(&self, object: ObjectHandle) -> Vec<BatchHandle> {
        let named = self.state.batches.iter().filter(|(_, state)| state.objects.contains(&object));
        named.map(|(handle, _)| handle).collect()
    }

    /// Changes the numbers of a traced batch; the next step uses them.
    ///
    /// # Errors
    /// A stale handle, a batch that is written by hand, or a number that is not valid; the batch
    /// is then as it was.
    pub fn edit_batch(&mut self, handle: BatchHandle, edit: impl FnOnce(&mut Batch)) -> Result<(), WorldError> {
        let counts = self.state.node_counts(handle)?;
        self.state.prepare_constraint_edit();
        let state = self.state.batches.get_mut(handle).ok_or(WorldError::StaleHandle("batch"))?;
        let batch = state.batch.traced_mut().ok_or(WorldError::StaleHandle("traced batch"))?;
        let before = batch.clone();
        edit(batch);
        if let Err(error) = batch.validate(counts) {
            *batch = before;
            return Err(error.into());
        }
        self.state.wake_batch(handle);
        self.state.plan_is_stale = true;
        Ok(())
    }

    /// Removes constraints.
    ///
    /// # Errors
    /// A stale handle.
    pub fn remove_batch(&mut self, handle: BatchHandle) -> Result<(), WorldError> {
        self.state.prepare_constraint_edit();
        self.state.wake_batch(handle);
        self.state.batches.remove(handle).ok_or(WorldError::StaleHandle("batch"))?;
        self.state.plan_is_stale = true;
        Ok(())
    }

    /// Removes an object, its particles, and all constraints that touch it. Other handles stay valid.
    ///
    /// # Errors
    /// A stale handle.
    pub fn remove(&mut self, handle: ObjectHandle) -> Result<(), WorldError> {
        self.state.object(handle)?;
        self.state.prepare_particle_edit();
        self.state.wake_all();
        let removed = self.state.objects.remove(handle).ok_or(WorldError::StaleHandle("object"))?;
        self.state.remove_batches(|batch| batch.objects.contains(&handle));
        self.state.particles.remove(removed.range.clone());
        let gap = removed.range.len();
        self.state.objects.for_each_mut(|_, object| {
            if object.range.start >= removed.range.end {
                object.range = object.range.start - gap..object.range.end - gap;
            }
        });
        self.state.contacts.clear_particle_contacts();
        self.state.contacts.surfaces.remove_particles(removed.range);
        self.state.plan_is_stale = true;
        Ok(())
    }
}

/// Refuses handles of which one is named twice.
fn check_each_is_once<K: Key>(handles: &[K], what: &'static str) -> Result<(), WorldError> {
    let mut sorted = handles.to_vec();
    sorted.sort_unstable();
    let is_twice = sorted.windows(2).any(|pair| pair[0] == pair[1]);
    if is_twice { Err(WorldError::DuplicateHandle(what)) } else { Ok(()) }
}

/// Returns the place of an absent particle in the rest shape \[m\]: farther from all others than any diameter.
fn parked_rest_position(k: usize) -> Vec3 {
    let digit = |place: u32| ((k >> (10 * place)) & 1023) as f32;
    (Vec3::new(digit(0), digit(1), digit(2)) + 1.0) * 1e6
}
