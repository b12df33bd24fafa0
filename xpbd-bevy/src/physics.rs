//! The world behind the components.

use std::sync::{PoisonError, RwLock};

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use parry3d::math::Pose;
use slotmap::SecondaryMap;
use xpbd_core::query::{SpatialIndex, SpatialQuery};
use xpbd_core::world::{
    Backend as _, BatchHandle, BodyHandle, ColliderHandle, ObjectHandle, SensorHandle, Settings, StepError, StepPhase,
    StepReport, World as Core, WorldError,
};

use crate::backend::ActiveBackend;
#[cfg(feature = "gpu")]
use crate::backend::GpuReadback;

/// The physics world, its back end, and the entities that its objects, bodies, colliders, sensors and batches belong to.
///
/// All of them may be edited. Those of an entity are removed together with the entity.
#[derive(Resource)]
pub struct Physics {
    world: Core,
    pub(crate) stepper: ActiveBackend,
    report: StepReport,
    owners: OwnerMaps,
    /// Brought up to date by the first query after a change of the world.
    index: RwLock<SpatialIndex>,
}

/// The settings of the physics world, which may be changed at any time: a change takes effect in the next step. What is
/// written by [`World::set_settings`](Core::set_settings), or restored with a snapshot, is seen here after a step.
#[derive(Resource, Debug, Default, Clone, PartialEq, Deref, DerefMut, Reflect)]
#[reflect(Resource, Clone, Debug, Default, PartialEq)]
pub struct PhysicsSettings(pub Settings);

/// The settings that resource and world had when they were last compared.
#[derive(Resource, Debug)]
pub(crate) struct KnownSettings(pub Settings);

/// Writes changed settings to the world, or takes in those that the world has got otherwise. Settings that are refused are
/// replaced by those of the world.
pub(crate) fn apply_settings(
    mut physics: ResMut<Physics>,
    mut settings: ResMut<PhysicsSettings>,
    mut known: ResMut<KnownSettings>,
) {
    if settings.0 != known.0
        && let Err(problem) = physics.world_mut().set_settings(settings.0.clone())
    {
        error!("PhysicsSettings: {problem}; the world keeps the settings that it had");
    }
    if settings.0 != *physics.world().settings() {
        settings.0.clone_from(physics.world().settings());
    }
    if known.0 != settings.0 {
        known.0.clone_from(&settings.0);
    }
}

/// The entity of each object, body, collider, sensor and batch.
#[derive(Default, Clone)]
pub(crate) struct OwnerMaps {
    objects: SecondaryMap<ObjectHandle, Entity>,
    bodies: SecondaryMap<BodyHandle, Entity>,
    colliders: SecondaryMap<ColliderHandle, Entity>,
    sensors: SecondaryMap<SensorHandle, Entity>,
    batches: SecondaryMap<BatchHandle, Entity>,
    object_of: EntityHashMap<ObjectHandle>,
    body_of: EntityHashMap<BodyHandle>,
}

impl OwnerMaps {
    /// Returns the entities that own something, some of them several times.
    pub fn entities(&self) -> impl Iterator<Item = Entity> {
        self.handles().map(|(_, entity)| entity)
    }

    /// Returns everything that is owned, with its entity.
    fn handles(&self) -> impl Iterator<Item = (PhysicsHandle, Entity)> {
        let objects = self.objects.iter().map(|(handle, &entity)| (PhysicsHandle::Object(handle), entity));
        let bodies = self.bodies.iter().map(|(handle, &entity)| (PhysicsHandle::Body(handle), entity));
        let colliders = self.colliders.iter().map(|(handle, &entity)| (PhysicsHandle::Collider(handle), entity));
        let sensors = self.sensors.iter().map(|(handle, &entity)| (PhysicsHandle::Sensor(handle), entity));
        let batches = self.batches.iter().map(|(handle, &entity)| (PhysicsHandle::Batch(handle), entity));
        objects.chain(bodies).chain(colliders).chain(sensors).chain(batches)
    }
}

/// A world that is put aside, with the entities that its parts belong to.
pub(crate) struct PutAside {
    world: Core,
    owners: OwnerMaps,
}

impl PutAside {
    /// Returns the entities that its parts belonged to.
    pub fn owners(&self) -> &OwnerMaps {
        &self.owners
    }
}

/// The handle of an object, a body, a collider, a sensor or a batch of the physics world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhysicsHandle {
    /// An object: particles with their constraints.
    Object(ObjectHandle),
    /// A body.
    Body(BodyHandle),
    /// A collider.
    Collider(ColliderHandle),
    /// A sensor.
    Sensor(SensorHandle),
    /// A batch of constraints.
    Batch(BatchHandle),
}

impl Physics {
    /// Creates an empty world, to be stepped on the CPU.
    ///
    /// # Errors
    /// Settings that no step could honour.
    pub fn new(settings: Settings) -> Result<Self, WorldError> {
        let world = Core::new(settings)?;
        Ok(Self {
            world,
            stepper: ActiveBackend::cpu(),
            report: StepReport::default(),
            owners: OwnerMaps::default(),
            index: RwLock::default(),
        })
    }

    /// Returns the world.
    pub fn world(&self) -> &Core {
        &self.world
    }

    /// Returns the world, to edit.
    pub fn world_mut(&mut self) -> &mut Core {
        &mut self.world
    }

    /// Returns the entities that everything belongs to.
    pub(crate) fn owners(&self) -> &OwnerMaps {
        &self.owners
    }

    /// Puts an empty world in the place of the world.
    pub(crate) fn put_aside(&mut self) -> PutAside {
        PutAside { world: std::mem::take(&mut self.world), owners: std::mem::take(&mut self.owners) }
    }

    /// Puts a world back, whose parts belong to these entities.
    pub(crate) fn put_back(&mut self, aside: PutAside, owners: OwnerMaps) {
        (self.world, self.owners) = (aside.world, owners);
    }

    /// Removes everything that belongs to an entity.
    pub(crate) fn remove_all_of(&mut self, entity: Entity) {
        let owned: Vec<_> = self.owners.handles().filter(|&(_, owner)| owner == entity).collect();
        owned.into_iter().for_each(|(handle, _)| self.remove(handle));
    }

    /// Calls `ask` with the spatial queries of the world as it is now.
    pub fn with_queries<R>(&self, ask: impl FnOnce(SpatialQuery<'_>) -> R) -> R {
        loop {
            // Nothing that is asked holds the index alone, so `ask` may ask again.
            let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(space) = index.current(&self.world) {
                return ask(space);
            }
            drop(index);
            self.index.write().unwrap_or_else(PoisonError::into_inner).update(&self.world);
        }
    }

    /// Moves all particles of an object by a rigid motion of the world \[m\] at once; their velocities turn with it.
    ///
    /// # Errors
    /// A stale handle, or a motion that is not finite.
    pub(crate) fn teleport_object(&mut self, object: ObjectHandle, motion: Pose) -> Result<(), WorldError> {
        let active: Vec<u32> = self.world.active_particles(object)?.collect();
        for particle in active.into_iter().map(|particle| particle as usize) {
            let position = motion.transform_point(self.world.position(object, particle)?);
            let velocity = motion.rotation * self.world.velocity(object, particle)?;
            self.world.set_position(object, particle, position, velocity)?;
        }
        // Bodies of no entity are the segments of rods.
        let batches = self.world.state().batches.iter().map(|(_, batch)| batch);
        let batches = batches.filter(|batch| batch.objects.contains(&object));
        let mut segments: Vec<BodyHandle> = batches.flat_map(|batch| batch.bodies.iter().copied()).collect();
        segments.sort_unstable();
        segments.dedup();
        segments.retain(|&body| !self.owners.bodies.contains_key(body));
        for body in segments {
            self.world.edit_body(body, |body| {
                body.pose = motion * body.pose;
                body.angular_velocity = motion.rotation * body.angular_velocity;
            })?;
        }
        Ok(())
    }

    /// Returns the report of the last step.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// Returns the time of the last step \[s\], by phase.
    pub fn phase_times(&self) -> impl Iterator<Item = (StepPhase, f64)> + '_ {
        StepPhase::ALL.into_iter().map(|phase| (phase, self.report.time(phase)))
    }

    /// Returns the name of the back end.
    pub fn backend_name(&self) -> String {
        self.stepper.name()
    }

    /// Returns the entity that a thing belongs to; none for what was added by hand.
    pub fn entity(&self, handle: PhysicsHandle) -> Option<Entity> {
        match handle {
            PhysicsHandle::Object(handle) => self.owners.objects.get(handle),
            PhysicsHandle::Body(handle) => self.owners.bodies.get(handle),
            PhysicsHandle::Collider(handle) => self.owners.colliders.get(handle),
            PhysicsHandle::Sensor(handle) => self.owners.sensors.get(handle),
            PhysicsHandle::Batch(handle) => self.owners.batches.get(handle),
        }
        .copied()
    }

    /// Returns the number of objects, bodies, colliders, sensors and batches that belong to entities.
    pub fn owned_count(&self) -> usize {
        let OwnerMaps { objects, bodies, colliders, sensors, batches, .. } = &self.owners;
        objects.len() + bodies.len() + colliders.len() + sensors.len() + batches.len()
    }

    /// Returns the object that an entity is.
    pub fn object_of(&self, entity: Entity) -> Option<ObjectHandle> {
        self.owners.object_of.get(&entity).copied()
    }

    /// Returns the body that an entity is.
    pub fn body_of(&self, entity: Entity) -> Option<BodyHandle> {
        self.owners.body_of.get(&entity).copied()
    }

    /// Says whose a thing is: events and queries then name the entity.
    pub fn set_owner(&mut self, handle: PhysicsHandle, entity: Entity) {
        match handle {
            PhysicsHandle::Object(handle) => {
                self.owners.object_of.insert(entity, handle);
                self.owners.objects.insert(handle, entity)
            }
            PhysicsHandle::Body(handle) => {
                self.owners.body_of.insert(entity, handle);
                self.owners.bodies.insert(handle, entity)
            }
            PhysicsHandle::Collider(handle) => self.owners.colliders.insert(handle, entity),
            PhysicsHandle::Sensor(handle) => self.owners.sensors.insert(handle, entity),
            PhysicsHandle::Batch(handle) => self.owners.batches.insert(handle, entity),
        };
    }

    /// Takes a thing out of the world; nothing happens if it has gone already, as constraints do with what they
    /// hold.
    pub fn remove(&mut self, handle: PhysicsHandle) {
        // A stale handle is the only error that removing knows.
        match handle {
            PhysicsHandle::Object(handle) => {
                self.world.remove(handle).ok();
                if let Some(entity) = self.owners.objects.remove(handle)
                    && self.owners.object_of.get(&entity) == Some(&handle)
                {
                    self.owners.object_of.remove(&entity);
                }
            }
            PhysicsHandle::Body(handle) => {
                self.world.remove_body(handle).ok();
                if let Some(entity) = self.owners.bodies.remove(handle)
                    && self.owners.body_of.get(&entity) == Some(&handle)
                {
                    self.owners.body_of.remove(&entity);
                }
            }
            PhysicsHandle::Collider(handle) => {
                self.world.remove_collider(handle).ok();
                self.owners.colliders.remove(handle);
            }
            PhysicsHandle::Sensor(handle) => {
                self.world.remove_sensor(handle).ok();
                self.owners.sensors.remove(handle);
            }
            PhysicsHandle::Batch(handle) => {
                self.world.remove_batch(handle).ok();
                self.owners.batches.remove(handle);
            }
        }
    }

    /// Steps the world. If the device is lost it is stepped on the CPU from then on.
    pub(crate) fn step(&mut self, dt: f32) -> Result<(), StepError> {
        let result = self.world.step(&mut self.stepper, dt);
        if result.is_err() && self.stepper.is_gpu() {
            warn!("the GPU back end has failed; physics goes on on the CPU");
            self.stepper = ActiveBackend::cpu();
        }
        self.report = result?;
        Ok(())
    }
}

#[cfg(feature = "gpu")]
impl Physics {
    /// Returns the back end on the renderer's GPU, if the world is stepped on it.
    pub fn gpu(&self) -> Option<&xpbd_gpu::GpuBackend> {
        match &self.stepper {
            ActiveBackend::Gpu(backend) => Some(backend),
            ActiveBackend::Cpu(_) => None,
        }
    }

    /// Follows the resource.
    pub(crate) fn set_readback(&mut self, readback: GpuReadback) {
        if let ActiveBackend::Gpu(backend) = &mut self.stepper {
            backend.set_readback(match readback {
                GpuReadback::Late => xpbd_gpu::Readback::EveryFrame,
                GpuReadback::OnRequest => xpbd_gpu::Readback::OnRequest,
            });
        }
    }
}
