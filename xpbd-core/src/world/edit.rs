//! Edits: adding, removing, pinning, pushing, teleporting. Each checks first and changes after.

use glam::Vec3;
use parry3d::math::Pose;
use smallvec::SmallVec;

use super::World;
use super::error::WorldError;
use super::object::{Filter, Friction, Object};
use super::ordered::{BatchHandle, BodyHandle, ColliderHandle, ObjectHandle};
use super::settings::Settings;
use super::state::{BatchState, ObjectState, State};
use crate::batch::{Batch, ConstraintBatch, NodeCounts};
use crate::collide::Collider;
use crate::constraint::{Constraint, ConstraintError, Registry};

impl World {
    /// An empty world.
    ///
    /// # Errors
    /// A setting that no step could honour.
    pub fn new(settings: Settings) -> Result<Self, WorldError> {
        settings.validate()?;
        Ok(Self { state: State { settings, ..State::default() }, registry: Registry::default() })
    }

    /// Makes a constraint type known, which restoring a snapshot needs; adding a batch does it too.
    ///
    /// # Errors
    /// What the self-check of the type found, or another type of the same name.
    pub fn register<K, const N: usize, const P: usize, const M: usize>(
        &mut self,
        constraint: K,
    ) -> Result<(), ConstraintError>
    where
        K: Constraint<N, P, M>,
    {
        self.registry.register(constraint).map(drop)
    }

    /// The constraint types that this world knows.
    pub fn registry_mut(&mut self) -> &mut Registry {
        &mut self.registry
    }

    /// How the world is stepped.
    pub fn settings(&self) -> &Settings {
        &self.state.settings
    }

    /// Changes how the world is stepped from the next step on.
    ///
    /// # Errors
    /// A setting that no step could honour.
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), WorldError> {
        settings.validate()?;
        self.state.plan_is_stale |= settings.schedule != self.state.settings.schedule;
        self.state.settings = settings;
        Ok(())
    }

    /// Adds an object with its batches.
    ///
    /// # Errors
    /// The first particle, pin or constraint that is not valid; nothing is added then.
    pub fn add(&mut self, object: Object) -> Result<ObjectHandle, WorldError> {
        object.validate()?;
        let counts = NodeCounts { particles: object.positions.len(), bodies: 0 };
        object.batches.iter().try_for_each(|batch| batch.validate(counts))?;
        for batch in object.batches.iter().filter_map(|batch| batch.traced()) {
            self.registry.insert(batch.kind())?;
        }
        let state = &mut self.state;
        let start = state.particles.len();
        for (k, (&position, &mass)) in object.positions.iter().zip(&object.masses).enumerate() {
            let velocity = object.velocities.get(k).copied().unwrap_or(Vec3::ZERO);
            let rest = object.rest.get(k).copied().unwrap_or(position);
            state.particles.push(position, velocity, mass, rest);
        }
        for &pin in &object.pins {
            state.particles.set_pinned(start + pin as usize, true);
        }
        let handle = state.objects.push(ObjectState {
            name: object.name,
            range: start..state.particles.len(),
            friction: object.friction,
            filter: object.filter,
            gravity_scale: object.gravity_scale,
            drag: object.drag,
            frozen: false,
            targets: Vec::new(),
        });
        for batch in object.batches {
            let objects = SmallVec::from_elem(handle, 1);
            state.batches.push(BatchState { objects, bodies: SmallVec::new(), batch });
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
        for &object in objects {
            counts.particles += self.state.object(object)?.range.len();
        }
        for &body in bodies {
            self.state.body(body)?;
        }
        batch.validate(counts)?;
        if let Some(batch) = batch.traced() {
            self.registry.insert(batch.kind())?;
        }
        self.state.plan_is_stale = true;
        Ok(self.state.batches.push(BatchState {
            objects: objects.into(),
            bodies: bodies.into(),
            batch: Box::new(batch),
        }))
    }

    /// The batches of an object, in the order in which they were added.
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
        let state = self.state.batches.get_mut(handle).ok_or(WorldError::Stale("batch"))?;
        let batch = state.batch.traced_mut().ok_or(WorldError::Stale("traced batch"))?;
        let before = batch.clone();
        edit(batch);
        if let Err(error) = batch.validate(counts) {
            *batch = before;
            return Err(error.into());
        }
        self.state.plan_is_stale = true;
        Ok(())
    }

    /// Removes constraints.
    ///
    /// # Errors
    /// A stale handle.
    pub fn remove_batch(&mut self, handle: BatchHandle) -> Result<(), WorldError> {
        self.state.batches.remove(handle).ok_or(WorldError::Stale("batch"))?;
        self.state.plan_is_stale = true;
        Ok(())
    }

    /// Removes an object, its particles, and all constraints that touch it. Other handles stay valid.
    ///
    /// # Errors
    /// A stale handle.
    pub fn remove(&mut self, handle: ObjectHandle) -> Result<(), WorldError> {
        let removed = self.state.objects.remove(handle).ok_or(WorldError::Stale("object"))?;
        self.state.remove_batches(|batch| batch.objects.contains(&handle));
        self.state.particles.remove(removed.range.clone());
        let gap = removed.range.len();
        self.state.objects.for_each_mut(|_, object| {
            if object.range.start >= removed.range.end {
                object.range = object.range.start - gap..object.range.end - gap;
            }
        });
        self.state.contacts.clear_frame();
        self.state.plan_is_stale = true;
        Ok(())
    }

    /// Pins a particle where it is, or lets it go again.
    ///
    /// # Errors
    /// A stale handle, or no such particle.
    pub fn set_pinned(&mut self, object: ObjectHandle, particle: usize, pinned: bool) -> Result<(), WorldError> {
        let i = self.state.particle(object, particle)?;
        let frozen = self.state.object(object)?.frozen;
        self.state.particles.set_pinned(i, pinned);
        if frozen {
            self.state.particles.anchor[i].w = 0.0;
        }
        self.state.plan_is_stale = true;
        Ok(())
    }

    /// Moves a pinned particle to `target` \[m\] in the course of the next frame.
    ///
    /// # Errors
    /// A stale handle, no such particle, or a target that is not finite.
    pub fn move_pinned(&mut self, object: ObjectHandle, particle: usize, target: Vec3) -> Result<(), WorldError> {
        self.state.particle(object, particle)?;
        self.state.finite(object, "the target", particle, target)?;
        if let Some(object) = self.state.objects.get_mut(object) {
            object.targets.retain(|&(other, _)| other as usize != particle);
            object.targets.push((particle as u32, target));
        }
        Ok(())
    }

    /// Puts a particle at `position` \[m\] with `velocity` \[m/s\], without a motion in between.
    ///
    /// # Errors
    /// A stale handle, no such particle, or a vector that is not finite.
    pub fn place(
        &mut self,
        object: ObjectHandle,
        particle: usize,
        position: Vec3,
        velocity: Vec3,
    ) -> Result<(), WorldError> {
        let i = self.state.particle(object, particle)?;
        self.state.finite(object, "the position", particle, position)?;
        self.state.finite(object, "the velocity", particle, velocity)?;
        self.state.particles.place(i, position, velocity);
        Ok(())
    }

    /// Adds a force \[N\] on a particle for the next frame.
    ///
    /// # Errors
    /// A stale handle, no such particle, or a force that is not finite.
    pub fn add_force(&mut self, object: ObjectHandle, particle: usize, force: Vec3) -> Result<(), WorldError> {
        let i = self.state.particle(object, particle)?;
        let sum = self.state.particles.force[i] + force;
        self.state.finite(object, "the force", particle, sum)?;
        self.state.particles.force[i] = sum;
        Ok(())
    }

    /// Changes the velocity of a particle by an impulse \[N s\]; pinned particles keep theirs.
    ///
    /// # Errors
    /// A stale handle, no such particle, or an impulse that is not finite.
    pub fn add_impulse(&mut self, object: ObjectHandle, particle: usize, impulse: Vec3) -> Result<(), WorldError> {
        let i = self.state.particle(object, particle)?;
        let particles = &mut self.state.particles;
        let velocity = particles.velocity[i] + (impulse * particles.anchor[i].w).extend(0.0);
        self.state.finite(object, "the impulse", particle, velocity.truncate())?;
        self.state.particles.velocity[i] = velocity;
        Ok(())
    }

    /// Changes who an object collides with.
    ///
    /// # Errors
    /// A stale handle.
    pub fn set_filter(&mut self, object: ObjectHandle, filter: Filter) -> Result<(), WorldError> {
        self.state.objects.get_mut(object).ok_or(WorldError::Stale("object"))?.filter = filter;
        Ok(())
    }

    /// Changes the friction of an object.
    ///
    /// # Errors
    /// A stale handle, or coefficients that are not valid.
    pub fn set_friction(&mut self, object: ObjectHandle, friction: Friction) -> Result<(), WorldError> {
        self.state.object(object)?;
        check_friction(friction)?;
        if let Some(object) = self.state.objects.get_mut(object) {
            object.friction = friction;
        }
        Ok(())
    }

    /// Lets an object that was frozen move again, at rest where it was frozen.
    ///
    /// # Errors
    /// A stale handle.
    pub fn thaw(&mut self, object: ObjectHandle) -> Result<(), WorldError> {
        let Self { state, .. } = self;
        let object = state.objects.get_mut(object).ok_or(WorldError::Stale("object"))?;
        object.frozen = false;
        for i in object.range.clone() {
            let pinned = state.particles.pinned[i];
            state.particles.set_pinned(i, pinned);
        }
        state.plan_is_stale = true;
        Ok(())
    }

    /// Adds a collider.
    ///
    /// # Errors
    /// A stale body handle, a pose that is not finite, or friction that is not valid.
    pub fn add_collider(&mut self, mut collider: Collider) -> Result<ColliderHandle, WorldError> {
        if let Some(body) = collider.body {
            self.state.body(body)?;
        }
        collider.pose = check_pose(collider.pose)?;
        check_friction(collider.friction)?;
        Ok(self.state.colliders.push(collider))
    }

    /// Changes a collider, in place or with a jump that is no motion.
    ///
    /// # Errors
    /// A stale handle, or a collider that is not valid; the collider is then as it was.
    pub fn edit_collider(
        &mut self,
        handle: ColliderHandle,
        edit: impl FnOnce(&mut Collider),
    ) -> Result<(), WorldError> {
        let mut changed = self.state.colliders.get(handle).ok_or(WorldError::Stale("collider"))?.clone();
        edit(&mut changed);
        if let Some(body) = changed.body {
            self.state.body(body)?;
        }
        changed.pose = check_pose(changed.pose)?;
        check_friction(changed.friction)?;
        if let Some(collider) = self.state.colliders.get_mut(handle) {
            *collider = changed;
        }
        Ok(())
    }

    /// Removes a collider.
    ///
    /// # Errors
    /// A stale handle.
    pub fn remove_collider(&mut self, handle: ColliderHandle) -> Result<(), WorldError> {
        self.state.colliders.remove(handle).map(drop).ok_or(WorldError::Stale("collider"))
    }

    /// Adds a body that nothing but its target moves.
    ///
    /// # Errors
    /// A pose that is not finite.
    pub fn add_body(&mut self, pose: Pose) -> Result<BodyHandle, WorldError> {
        let pose = check_pose(pose)?;
        self.state.bodies.push(pose);
        Ok(self.state.body_handles.push(()))
    }

    /// Moves a body to `target` in the course of the next frame, by the shorter way round.
    ///
    /// # Errors
    /// A stale handle, or a pose that is not finite.
    pub fn move_body(&mut self, handle: BodyHandle, target: Pose) -> Result<(), WorldError> {
        let body = self.state.body(handle)?;
        self.state.bodies.target[body] = Some(check_pose(target)?);
        Ok(())
    }

    /// Puts a body at `pose` without a motion in between.
    ///
    /// # Errors
    /// A stale handle, or a pose that is not finite.
    pub fn place_body(&mut self, handle: BodyHandle, pose: Pose) -> Result<(), WorldError> {
        let body = self.state.body(handle)?;
        self.state.bodies.place(body, check_pose(pose)?);
        Ok(())
    }

    /// Removes a body, its colliders, and all constraints that touch it.
    ///
    /// # Errors
    /// A stale handle.
    pub fn remove_body(&mut self, handle: BodyHandle) -> Result<(), WorldError> {
        let body = self.state.body(handle)?;
        self.state.body_handles.remove(handle);
        self.state.bodies.remove(body);
        self.state.remove_batches(|batch| batch.bodies.contains(&handle));
        let attached: Vec<_> =
            self.state.colliders.iter().filter(|(_, c)| c.body == Some(handle)).map(|(k, _)| k).collect();
        for collider in attached {
            self.state.colliders.remove(collider);
        }
        self.state.plan_is_stale = true;
        Ok(())
    }
}

impl State {
    /// An object that has not been removed.
    pub(super) fn object(&self, handle: ObjectHandle) -> Result<&ObjectState, WorldError> {
        self.objects.get(handle).ok_or(WorldError::Stale("object"))
    }

    /// The index of a body that has not been removed.
    pub(super) fn body(&self, handle: BodyHandle) -> Result<usize, WorldError> {
        self.body_handles.position(handle).ok_or(WorldError::Stale("body"))
    }

    /// The world index of a particle of an object.
    pub(super) fn particle(&self, handle: ObjectHandle, particle: usize) -> Result<usize, WorldError> {
        let object = self.object(handle)?;
        let count = object.range.len();
        if particle >= count {
            return Err(WorldError::Particle { object: object.name.clone(), index: particle, count });
        }
        Ok(object.range.start + particle)
    }

    pub(super) fn node_counts(&self, handle: BatchHandle) -> Result<NodeCounts, WorldError> {
        let batch = self.batches.get(handle).ok_or(WorldError::Stale("batch"))?;
        let lengths = batch.objects.iter().filter_map(|&object| self.objects.get(object)).map(|o| o.range.len());
        Ok(NodeCounts { particles: lengths.sum(), bodies: batch.bodies.len() })
    }

    fn finite(&self, handle: ObjectHandle, what: &'static str, index: usize, value: Vec3) -> Result<(), WorldError> {
        if value.is_finite() {
            return Ok(());
        }
        let object = self.object(handle)?.name.clone();
        Err(WorldError::Number { object, what, index, value: value.to_string(), must: "finite" })
    }

    fn remove_batches(&mut self, touched: impl Fn(&BatchState) -> bool) {
        let gone: Vec<_> = self.batches.iter().filter(|(_, batch)| touched(batch)).map(|(handle, _)| handle).collect();
        for handle in gone {
            self.batches.remove(handle);
        }
    }
}

impl Object {
    /// Refuses an object that no step could honour.
    fn validate(&self) -> Result<(), WorldError> {
        let count = self.positions.len();
        let refuse = |what, index, value: String, must| {
            Err(WorldError::Number { object: self.name.clone(), what, index, value, must })
        };
        for (what, found, may_be_empty) in [
            ("masses", self.masses.len(), false),
            ("velocities", self.velocities.len(), true),
            ("rest positions", self.rest.len(), true),
        ] {
            if found != count && !(may_be_empty && found == 0) {
                return Err(WorldError::Length { object: self.name.clone(), what, found, count });
            }
        }
        for (index, &mass) in self.masses.iter().enumerate() {
            if !(mass.is_normal() && mass > 0.0 && (1.0 / mass).is_finite()) {
                return refuse("the mass", index, mass.to_string(), "finite and positive");
            }
        }
        for (what, list) in
            [("the position", &self.positions), ("the velocity", &self.velocities), ("the rest position", &self.rest)]
        {
            if let Some(index) = list.iter().position(|value| !value.is_finite()) {
                return refuse(what, index, list[index].to_string(), "finite");
            }
        }
        if let Some(&pin) = self.pins.iter().find(|&&pin| pin as usize >= count) {
            return Err(WorldError::Particle { object: self.name.clone(), index: pin as usize, count });
        }
        if !self.gravity_scale.is_finite() {
            return Err(WorldError::Setting { what: "gravity_scale", value: self.gravity_scale, must: "finite" });
        }
        if !(self.drag.is_finite() && self.drag >= 0.0) {
            return Err(WorldError::Setting { what: "drag", value: self.drag, must: "finite and not negative" });
        }
        check_friction(self.friction)
    }
}

fn check_friction(friction: Friction) -> Result<(), WorldError> {
    if friction.is_valid() {
        return Ok(());
    }
    let must = "finite, not negative, and no less when sticking than when sliding";
    Err(WorldError::Placement { what: "the friction", value: format!("{friction:?}"), must })
}

/// A finite pose with its rotation normalized.
fn check_pose(pose: Pose) -> Result<Pose, WorldError> {
    let length = pose.rotation.length();
    if !(pose.translation.is_finite() && length.is_finite() && length > 1e-6) {
        let must = "finite, with a rotation that is not zero";
        return Err(WorldError::Placement { what: "the pose", value: format!("{pose:?}"), must });
    }
    Ok(Pose::from_parts(pose.translation, pose.rotation.normalize()))
}
