//! Colliders and bodies: adding, moving, removing.

use parry3d::math::Pose;

use super::World;
use super::error::WorldError;
use super::ordered::{BodyHandle, ColliderHandle};
use crate::collide::Collider;

impl World {
    /// Adds a collider.
    ///
    /// # Errors
    /// A stale body handle, a pose that is not finite, or friction that is not valid.
    pub fn add_collider(&mut self, mut collider: Collider) -> Result<ColliderHandle, WorldError> {
        if let Some(body) = collider.body {
            self.state.body(body)?;
        }
        collider.pose = check_pose(collider.pose)?;
        collider.friction.check()?;
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
        changed.friction.check()?;
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

/// A finite pose with its rotation normalized.
fn check_pose(pose: Pose) -> Result<Pose, WorldError> {
    let length = pose.rotation.length();
    if !(pose.translation.is_finite() && length.is_finite() && length > 1e-6) {
        let must = "finite, with a rotation that is not zero";
        return Err(WorldError::Placement { what: "the pose", value: format!("{pose:?}"), must });
    }
    Ok(Pose::from_parts(pose.translation, pose.rotation.normalize()))
}
