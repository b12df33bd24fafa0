//! Edits of what the particles of an object do. Each checks first and changes after.

use glam::Vec3;

use super::World;
use super::error::WorldError;
use super::state::{BatchState, State};
use super::validate::{check_supports, check_triangles};
use crate::batch::NodeCounts;
use crate::friction::Friction;
use crate::handle::{BatchHandle, BodyHandle, ObjectHandle};
use crate::layers::CollisionLayers;
use crate::number::NumberError;
use crate::object::Surface;
use crate::object::{ObjectState, ParticleStiffness, Support};

impl World {
    /// Pins a particle where it is, or lets it go again.
    ///
    /// # Errors
    /// A stale handle, no such particle, or one that is absent.
    pub fn set_pinned(&mut self, object: ObjectHandle, particle: usize, pinned: bool) -> Result<(), WorldError> {
        let i = self.state.active_particle_index(object, particle)?;
        self.state.wake_with_attached(object);
        let frozen = self.state.object(object)?.frozen;
        self.state.prepare_particle_edit();
        self.state.plan_is_stale |= !pinned && !self.state.particles.was_movable[i];
        self.state.renew_direct_systems(object);
        self.state.particles.set_pinned(i, pinned);
        if frozen {
            self.state.particles.anchor[i].w = 0.0;
        }
        Ok(())
    }

    /// Moves a pinned particle to `target` \[m\] in the course of the next frame.
    ///
    /// # Errors
    /// A stale handle, no such particle, one that is absent, or a target that is not finite.
    pub fn move_pinned(&mut self, object: ObjectHandle, particle: usize, target: Vec3) -> Result<(), WorldError> {
        self.state.active_particle_index(object, particle)?;
        self.state.check_finite(object, "the target", particle, target)?;
        self.state.wake_with_attached(object);
        if let Some(object) = self.state.objects.get_mut(object) {
            object.pin_targets.retain(|&(other, _)| other as usize != particle);
            object.pin_targets.push((particle as u32, target));
        }
        Ok(())
    }

    /// Moves neighbouring pinned particles, `first` and those that follow it, to these targets \[m\] in the
    /// course of the next frame: all at once what [`World::move_pinned`] does one by one.
    ///
    /// # Errors
    /// A stale handle, the first particle that does not exist or is absent, or a target that is not finite;
    /// nothing has changed then.
    pub fn move_pinned_range(
        &mut self,
        object: ObjectHandle,
        first: usize,
        targets: &[Vec3],
    ) -> Result<(), WorldError> {
        for (particle, &target) in (first..).zip(targets) {
            self.state.active_particle_index(object, particle)?;
            self.state.check_finite(object, "the target", particle, target)?;
        }
        self.state.wake_with_attached(object);
        if let Some(object) = self.state.objects.get_mut(object) {
            let moved = first..first + targets.len();
            object.pin_targets.retain(|&(other, _)| !moved.contains(&(other as usize)));
            object.pin_targets.extend(moved.zip(targets).map(|(particle, &target)| (particle as u32, target)));
        }
        Ok(())
    }

    /// Puts a particle at `position` \[m\] with `velocity` \[m/s\], without a motion in between.
    ///
    /// # Errors
    /// A stale handle, no such particle, one that is absent, or a vector that is not finite.
    pub fn set_position(
        &mut self,
        object: ObjectHandle,
        particle: usize,
        position: Vec3,
        velocity: Vec3,
    ) -> Result<(), WorldError> {
        let i = self.state.active_particle_index(object, particle)?;
        self.state.check_finite(object, "the position", particle, position)?;
        self.state.check_finite(object, "the velocity", particle, velocity)?;
        self.state.wake_object(object);
        self.state.prepare_particle_edit();
        self.state.particles.set_position(i, position, velocity);
        self.state.contacts.surfaces.forget_particle(i);
        Ok(())
    }

    /// Adds a force \[N\] on a particle for the next frame; nothing pushes one that is pinned or absent.
    ///
    /// # Errors
    /// A stale handle, no such particle, or a force that is not finite.
    pub fn add_force(&mut self, object: ObjectHandle, particle: usize, force: Vec3) -> Result<(), WorldError> {
        let i = self.state.particle_index(object, particle)?;
        let sum = self.state.particles.force[i] + force;
        self.state.check_finite(object, "the force", particle, sum)?;
        if force != Vec3::ZERO {
            self.state.wake_object(object);
        }
        self.state.particles.force[i] = sum;
        self.state.has_forces = true;
        Ok(())
    }

    /// Changes the velocity of a particle by an impulse \[N s\]; pinned and absent ones keep theirs.
    ///
    /// # Errors
    /// A stale handle, no such particle, or an impulse that is not finite.
    pub fn add_impulse(&mut self, object: ObjectHandle, particle: usize, impulse: Vec3) -> Result<(), WorldError> {
        let i = self.state.particle_index(object, particle)?;
        self.state.wake_object(object);
        self.state.prepare_particle_edit();
        let particles = &mut self.state.particles;
        let velocity = particles.velocity[i] + (impulse * particles.anchor[i].w).extend(0.0);
        self.state.check_finite(object, "the impulse", particle, velocity.truncate())?;
        self.state.particles.velocity[i] = velocity;
        Ok(())
    }

    /// Changes who an object collides with.
    ///
    /// # Errors
    /// A stale handle.
    pub fn set_collision_layers(&mut self, object: ObjectHandle, filter: CollisionLayers) -> Result<(), WorldError> {
        self.state.wake_object(object);
        self.state.objects.get_mut(object).ok_or(WorldError::StaleHandle("object"))?.collision_layers = filter;
        self.state.contacts.surfaces.forget_enclosed();
        Ok(())
    }

    /// Sets the factor of gravity \[1\] of an object.
    ///
    /// # Errors
    /// A stale handle, or a factor that is not finite.
    pub fn set_gravity_scale(&mut self, object: ObjectHandle, gravity_scale: f32) -> Result<(), WorldError> {
        self.state.object(object)?;
        NumberError::check_finite("gravity scale", gravity_scale)?;
        self.state.wake_object(object);
        if let Some(object) = self.state.objects.get_mut(object) {
            object.gravity_scale = gravity_scale;
        }
        Ok(())
    }

    /// Changes the linear damping \[1/s\] of an object: the part of the velocity that is lost in a second.
    ///
    /// # Errors
    /// A stale handle, or a damping that is negative or not finite.
    pub fn set_linear_damping(&mut self, object: ObjectHandle, linear_damping: f32) -> Result<(), WorldError> {
        self.state.object(object)?;
        NumberError::check_not_negative("linear damping", linear_damping)?;
        self.state.wake_object(object);
        if let Some(object) = self.state.objects.get_mut(object) {
            object.linear_damping = linear_damping;
        }
        Ok(())
    }

    /// Changes the friction of an object.
    ///
    /// # Errors
    /// A stale handle, or coefficients that are not valid.
    pub fn set_friction(&mut self, object: ObjectHandle, friction: Friction) -> Result<(), WorldError> {
        self.state.object(object)?;
        friction.check()?;
        self.state.wake_object(object);
        if let Some(object) = self.state.objects.get_mut(object) {
            object.friction = friction;
        }
        Ok(())
    }

    /// Changes the coefficient of restitution of an object \[1\].
    ///
    /// # Errors
    /// A stale handle, or a number that is not from 0 to 1.
    pub fn set_restitution(&mut self, object: ObjectHandle, restitution: f32) -> Result<(), WorldError> {
        self.state.object(object)?;
        NumberError::check_restitution(restitution)?;
        self.state.wake_object(object);
        if let Some(object) = self.state.objects.get_mut(object) {
            object.restitution = restitution;
        }
        Ok(())
    }

    /// Changes the triangles that an object collides with.
    ///
    /// # Errors
    /// A stale handle, a thickness that is not positive, a negative permeability, or a triangle that is not one of three of its particles.
    pub fn set_surface(&mut self, object: ObjectHandle, surface: Option<Surface>) -> Result<(), WorldError> {
        let known = self.state.object(object)?;
        if let Some(surface) = &surface {
            surface.validate(&known.name, known.range.len())?;
        }
        self.state.wake_object(object);
        if let Some(object) = self.state.objects.get_mut(object) {
            object.surface = surface;
        }
        self.state.plan_is_stale = true;
        Ok(())
    }

    /// Changes the triangles of an object that [queries](crate::query) find.
    ///
    /// # Errors
    /// A stale handle, or a triangle that is not one of three of its particles.
    pub fn set_triangles(&mut self, object: ObjectHandle, triangles: Vec<[u32; 3]>) -> Result<(), WorldError> {
        let known = self.state.object(object)?;
        check_triangles(&triangles, &known.name, known.range.len())?;
        if let Some(object) = self.state.objects.get_mut(object) {
            object.triangles = triangles;
        }
        Ok(())
    }

    /// Changes what holds the particles of an object.
    ///
    /// # Errors
    /// A stale handle, or a support that no object may [have](crate::object::Object::supports).
    pub fn set_supports(&mut self, object: ObjectHandle, supports: Vec<Support>) -> Result<(), WorldError> {
        let known = self.state.object(object)?;
        check_supports(&supports, &known.name, known.range.len())?;
        self.state.wake_object(object);
        if let Some(object) = self.state.objects.get_mut(object) {
            object.supports = supports;
        }
        self.state.plan_is_stale = true;
        Ok(())
    }

    /// Changes how stiffly the constraints of an object hold its particles, without a new plan.
    ///
    /// # Errors
    /// A stale handle, or a stiffness that no object may [have](crate::object::Object::stiffness).
    pub fn set_stiffness(&mut self, object: ObjectHandle, stiffness: ParticleStiffness) -> Result<(), WorldError> {
        let known = self.state.object(object)?;
        stiffness.validate(&known.name, known.range.len())?;
        self.state.wake_object(object);
        if let Some(object) = self.state.objects.get_mut(object) {
            object.stiffness = stiffness;
        }
        self.state.renew_supports();
        Ok(())
    }

    /// Lets an object that was frozen move again, at rest where it was frozen.
    ///
    /// # Errors
    /// A stale handle.
    pub fn unfreeze(&mut self, object: ObjectHandle) -> Result<(), WorldError> {
        let Self { state, .. } = self;
        state.object(object)?;
        state.prepare_particle_edit();
        let object = state.objects.get_mut(object).ok_or(WorldError::StaleHandle("object"))?;
        object.frozen = false;
        for i in object.range.clone() {
            let pinned = state.particles.pinned[i];
            state.particles.set_pinned(i, pinned);
        }
        state.plan_is_stale = true;
        Ok(())
    }
}

impl State {
    /// Returns an object that has not been removed.
    pub(super) fn object(&self, handle: ObjectHandle) -> Result<&ObjectState, WorldError> {
        self.objects.get(handle).ok_or(WorldError::StaleHandle("object"))
    }

    /// Returns the index of a body that has not been removed.
    pub(super) fn body_index(&self, handle: BodyHandle) -> Result<usize, WorldError> {
        self.body_handles.index_of(handle).ok_or(WorldError::StaleHandle("body"))
    }

    /// Returns the world index of a particle of an object.
    pub(super) fn particle_index(&self, handle: ObjectHandle, particle: usize) -> Result<usize, WorldError> {
        let object = self.object(handle)?;
        let count = object.range.len();
        if particle >= count {
            return Err(WorldError::NoParticle { object: object.name.clone(), index: particle, count });
        }
        Ok(object.range.start + particle)
    }

    /// Returns the world index of a particle of an object that is not absent.
    pub(super) fn active_particle_index(&self, handle: ObjectHandle, particle: usize) -> Result<usize, WorldError> {
        let i = self.particle_index(handle, particle)?;
        if self.particles.inactive[i] {
            let object = self.object(handle)?.name.clone();
            return Err(WorldError::ParticleActivity { object, index: particle, must: "present" });
        }
        Ok(i)
    }

    pub(super) fn node_counts(&self, handle: BatchHandle) -> Result<NodeCounts, WorldError> {
        let batch = self.batches.get(handle).ok_or(WorldError::StaleHandle("batch"))?;
        let lengths = batch.objects.iter().filter_map(|&object| self.objects.get(object)).map(|o| o.range.len());
        Ok(NodeCounts { particles: lengths.sum(), bodies: batch.bodies.len() })
    }

    pub(super) fn check_finite(
        &self,
        handle: ObjectHandle,
        what: &'static str,
        index: usize,
        value: Vec3,
    ) -> Result<(), WorldError> {
        if value.is_finite() {
            return Ok(());
        }
        let object = self.object(handle)?.name.clone();
        Err(WorldError::InvalidNumber { object, what, index, value: value.to_string(), must: "finite" })
    }

    pub(super) fn remove_batches(&mut self, touched: impl Fn(&BatchState) -> bool) {
        let gone: Vec<_> = self.batches.iter().filter(|(_, batch)| touched(batch)).map(|(handle, _)| handle).collect();
        for handle in gone {
            self.batches.remove(handle);
        }
    }
}
