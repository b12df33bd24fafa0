//! Bodies: adding, changing, pushing, removing.

use glam::{Vec3, Vec4Swizzles};
use parry3d::math::Pose;

use super::World;
use super::colliders::{check_collider_shape, check_pose};
use super::error::WorldError;
use super::state::State;
use crate::bodies::{Body, BodyKind};
use crate::handle::BodyHandle;
use crate::number::NumberError;
use crate::scalar::rotation::normalized;

impl World {
    /// Adds a body.
    ///
    /// # Errors
    /// The first number that is not valid.
    pub fn add_body(&mut self, body: Body) -> Result<BodyHandle, WorldError> {
        let body = check(body)?;
        self.state.prepare_body_edit();
        self.state.bodies.push(body);
        Ok(self.state.body_handles.push(()))
    }

    /// Returns a body as it is now.
    ///
    /// # Errors
    /// A stale handle.
    pub fn body(&self, handle: BodyHandle) -> Result<Body, WorldError> {
        Ok(self.state.bodies.body(self.state.body_index(handle)?))
    }

    /// Changes a body in any way: its place without a motion in between, its velocities, its kind,
    /// its mass. It is awake then.
    ///
    /// # Errors
    /// A stale handle, the first number that is not valid, or a collider whose shape a dynamic body may not have; the
    /// body is then as it was.
    pub fn edit_body(&mut self, handle: BodyHandle, edit: impl FnOnce(&mut Body)) -> Result<(), WorldError> {
        let k = self.state.body_index(handle)?;
        self.state.prepare_body_edit();
        let mut body = self.state.bodies.body(k);
        edit(&mut body);
        let body = check(body)?;
        if body.kind == BodyKind::Dynamic && self.state.bodies.records[k].body.kind != BodyKind::Dynamic {
            let colliders = self.state.colliders.iter().map(|(_, collider)| collider);
            let all = colliders.chain(self.state.sensors.iter().map(|(_, sensor)| sensor));
            let mut attached = all.filter(|collider| collider.body == Some(handle));
            attached.try_for_each(|collider| check_collider_shape(collider, true))?;
        }
        let planned = |body: &Body| (body.kind, body.mass, body.locked_axes);
        let before = self.state.bodies.records[k];
        self.state.plan_is_stale |= planned(&before.body) != planned(&body) || before.frozen;
        self.state.plan_is_stale |= self.state.bodies.sleep[k].asleep;
        self.state.wake_island(k);
        if self.state.bodies.body(k).pose != body.pose {
            if body.kind != BodyKind::Dynamic {
                self.state.wake_all();
            }
            self.state.settle_body_contacts();
        }
        self.state.bodies.set_body(k, body);
        Ok(())
    }

    /// Moves a body that is not dynamic to `target` in the course of the next frame, by the shorter
    /// way round.
    ///
    /// # Errors
    /// A stale handle, a dynamic body, or a pose that is not finite.
    pub fn move_body(&mut self, handle: BodyHandle, target: Pose) -> Result<(), WorldError> {
        let k = self.state.body_index(handle)?;
        let target = check_pose(target)?;
        if self.state.bodies.records[k].body.kind == BodyKind::Dynamic {
            let (what, must) = ("the target of a dynamic body", "reached by forces, or the body kinematic");
            return Err(WorldError::InvalidValue { what, value: format!("{target:?}"), must });
        }
        self.state.bodies.target[k] = Some(target);
        let tied = self.state.batches.iter().filter(|(_, batch)| batch.bodies.contains(&handle)).map(|(key, _)| key);
        tied.collect::<Vec<_>>().into_iter().for_each(|batch| self.state.wake_batch(batch));
        Ok(())
    }

    /// Puts a body at `pose` without a motion in between; it keeps its velocities.
    ///
    /// # Errors
    /// A stale handle, or a pose that is not finite.
    pub fn set_body_pose(&mut self, handle: BodyHandle, pose: Pose) -> Result<(), WorldError> {
        self.edit_body(handle, |body| body.pose = pose)
    }

    /// Adds a force \[N\] at the centre of mass for the next frame, and wakes the body.
    ///
    /// # Errors
    /// A stale handle, or a force that is not finite.
    pub fn add_body_force(&mut self, handle: BodyHandle, force: Vec3) -> Result<(), WorldError> {
        self.accumulate_force(handle, force, Vec3::ZERO)
    }

    /// Adds a force \[N\] at `point` \[m\] of the world for the next frame, and wakes the body.
    ///
    /// # Errors
    /// A stale handle, or a force or point that is not finite.
    pub fn add_body_force_at(&mut self, handle: BodyHandle, force: Vec3, point: Vec3) -> Result<(), WorldError> {
        let torque = self.state.lever_arm(handle, point)?.cross(force);
        self.accumulate_force(handle, force, torque)
    }

    /// Adds a torque \[N m\] for the next frame, and wakes the body.
    ///
    /// # Errors
    /// A stale handle, or a torque that is not finite.
    pub fn add_body_torque(&mut self, handle: BodyHandle, torque: Vec3) -> Result<(), WorldError> {
        self.accumulate_force(handle, Vec3::ZERO, torque)
    }

    fn accumulate_force(&mut self, handle: BodyHandle, force: Vec3, torque: Vec3) -> Result<(), WorldError> {
        let k = self.state.body_index(handle)?;
        let about = self.state.bodies.records[k];
        let (force, torque) = (about.force + force, about.torque + torque);
        finite("the force", force)?;
        finite("the torque", torque)?;
        self.state.wake_island(k);
        let about = &mut self.state.bodies.records[k];
        (about.force, about.torque) = (force, torque);
        Ok(())
    }

    /// Changes the velocities of a dynamic body by an impulse \[N s\] at `point` \[m\] of the world,
    /// and wakes it.
    ///
    /// # Errors
    /// A stale handle, or an impulse or point that is not finite.
    pub fn add_body_impulse_at(&mut self, handle: BodyHandle, impulse: Vec3, point: Vec3) -> Result<(), WorldError> {
        let turning = self.state.lever_arm(handle, point)?.cross(impulse);
        self.apply_impulse(handle, impulse, turning)
    }

    /// Changes the velocity of a dynamic body by an impulse \[N s\] at its centre of mass, and wakes it.
    ///
    /// # Errors
    /// A stale handle, or an impulse that is not finite.
    pub fn add_body_impulse(&mut self, handle: BodyHandle, impulse: Vec3) -> Result<(), WorldError> {
        self.apply_impulse(handle, impulse, Vec3::ZERO)
    }

    /// Changes the angular velocity of a dynamic body by an angular impulse \[N m s\], and wakes it.
    ///
    /// # Errors
    /// A stale handle, or an impulse that is not finite.
    pub fn add_body_torque_impulse(&mut self, handle: BodyHandle, impulse: Vec3) -> Result<(), WorldError> {
        self.apply_impulse(handle, Vec3::ZERO, impulse)
    }

    fn apply_impulse(&mut self, handle: BodyHandle, impulse: Vec3, turning: Vec3) -> Result<(), WorldError> {
        let k = self.state.body_index(handle)?;
        finite("the impulse", impulse)?;
        finite("the angular impulse", turning)?;
        if self.state.bodies.records[k].body.kind != BodyKind::Dynamic {
            return Ok(());
        }
        self.edit_body(handle, |body| {
            let axes = body.pose.rotation * body.mass.principal_axes;
            body.velocity += impulse / body.mass.mass;
            body.angular_velocity += axes * ((axes.inverse() * turning) / body.mass.principal_inertia);
        })
    }

    /// Returns whether a body became non-finite and was frozen; [`World::edit_body`] lets it move again.
    ///
    /// # Errors
    /// A stale handle.
    pub fn is_body_frozen(&self, handle: BodyHandle) -> Result<bool, WorldError> {
        Ok(self.state.bodies.records[self.state.body_index(handle)?].frozen)
    }

    /// Returns whether a body sleeps: it came to rest, and nothing has touched it since.
    ///
    /// # Errors
    /// A stale handle.
    pub fn is_asleep(&self, handle: BodyHandle) -> Result<bool, WorldError> {
        Ok(self.state.bodies.sleep[self.state.body_index(handle)?].asleep)
    }

    /// Wakes a body, and with it those with which it fell asleep.
    ///
    /// # Errors
    /// A stale handle.
    pub fn wake(&mut self, handle: BodyHandle) -> Result<(), WorldError> {
        let k = self.state.body_index(handle)?;
        self.state.wake_island(k);
        Ok(())
    }

    /// Puts a body to sleep where it is, without a velocity. It wakes as one that came to rest does; nothing happens if it
    /// sleeps already.
    ///
    /// # Errors
    /// A stale handle, or a body that is not dynamic or may not sleep.
    pub fn put_to_sleep(&mut self, handle: BodyHandle) -> Result<(), WorldError> {
        let k = self.state.body_index(handle)?;
        let body = &self.state.bodies.records[k].body;
        if body.kind != BodyKind::Dynamic || !body.can_sleep {
            let (what, must) = ("a body that is put to sleep", "dynamic, and allowed to sleep");
            let value = format!("{:?}, can_sleep {}", body.kind, body.can_sleep);
            return Err(WorldError::InvalidValue { what, value, must });
        }
        self.state.fall_asleep(k);
        Ok(())
    }

    /// Turns contacts between the colliders of two bodies on or off. They are on at first, if their layers let
    /// them: bodies that a joint ties are often made to overlap.
    ///
    /// # Errors
    /// A stale handle.
    pub fn set_contacts_between(&mut self, a: BodyHandle, b: BodyHandle, touch: bool) -> Result<(), WorldError> {
        let [i, j] = [self.state.body_index(a)? as u32, self.state.body_index(b)? as u32];
        self.state.set_ignored([a.min(b), a.max(b)], [i.min(j), i.max(j)], !touch);
        self.state.wake_all();
        Ok(())
    }

    /// Removes a body, its colliders and sensors, and all constraints that touch it. What rested on it is awake.
    ///
    /// # Errors
    /// A stale handle.
    pub fn remove_body(&mut self, handle: BodyHandle) -> Result<(), WorldError> {
        let k = self.state.body_index(handle)?;
        self.state.prepare_body_edit();
        self.state.wake_all();
        self.state.settle_body_contacts();
        self.state.body_handles.remove(handle);
        self.state.bodies.remove(k);
        self.state.remove_batches(|batch| batch.bodies.contains(&handle));
        self.state.ignored_pairs.retain(|pair| !pair.contains(&handle));
        self.state.rebuild_ignored_indices();
        self.state.contacts.clear_particle_contacts();
        let attached: Vec<_> =
            self.state.colliders.iter().filter(|(_, c)| c.body == Some(handle)).map(|(k, _)| k).collect();
        for collider in attached {
            self.state.colliders.remove(collider);
        }
        let attached: Vec<_> =
            self.state.sensors.iter().filter(|(_, s)| s.body == Some(handle)).map(|(k, _)| k).collect();
        attached.into_iter().try_for_each(|sensor| self.remove_sensor(sensor))?;
        self.state.plan_is_stale = true;
        Ok(())
    }
}

impl State {
    /// Adds a pair of bodies, with its indices, to those that do not touch each other, or takes it from them. Pairs that
    /// are added in the order of their indices cost the same however many there are.
    fn set_ignored(&mut self, pair: [BodyHandle; 2], indices: [u32; 2], ignored: bool) {
        match (self.ignored_pair_indices.binary_search(&indices), ignored) {
            (Err(place), true) => {
                self.ignored_pair_indices.insert(place, indices);
                self.ignored_pairs.push(pair);
            }
            (Ok(place), false) => {
                self.ignored_pair_indices.remove(place);
                self.ignored_pairs.retain(|&other| other != pair);
            }
            (Ok(_), true) | (Err(_), false) => {}
        }
    }

    /// Works out by index which bodies do not touch.
    pub(super) fn rebuild_ignored_indices(&mut self) {
        let places = &self.body_handles;
        let pairs = self.ignored_pairs.iter().filter_map(|&[a, b]| {
            let (a, b) = (places.index_of(a)? as u32, places.index_of(b)? as u32);
            Some([a.min(b), a.max(b)])
        });
        self.ignored_pair_indices = pairs.collect();
        self.ignored_pair_indices.sort_unstable();
        self.ignored_pair_indices.dedup();
    }

    /// From the centre of mass of a body, where it is now, to a point of the world \[m\].
    fn lever_arm(&mut self, handle: BodyHandle, point: Vec3) -> Result<Vec3, WorldError> {
        let k = self.body_index(handle)?;
        finite("the point", point)?;
        // A device that is lost leaves the last state that there is.
        let _ = self.sync_from_device();
        Ok((point - self.bodies.anchor[k].xyz()) - self.bodies.offset[k].xyz())
    }
}

/// Refuses a body that no step could honour.
fn check(mut body: Body) -> Result<Body, WorldError> {
    body.pose = check_pose(body.pose)?;
    body.mass.validate()?;
    body.mass.principal_axes = normalized(body.mass.principal_axes);
    finite("the velocity", body.velocity)?;
    finite("the angular velocity", body.angular_velocity)?;
    NumberError::check_finite("gravity scale", body.gravity_scale)?;
    NumberError::check_not_negative("linear damping", body.linear_damping)?;
    NumberError::check_not_negative("angular damping", body.angular_damping)?;
    Ok(body)
}

fn finite(what: &'static str, value: Vec3) -> Result<(), WorldError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(WorldError::InvalidValue { what, value: value.to_string(), must: "finite" })
}
