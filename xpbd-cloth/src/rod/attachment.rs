//! The ends of a rod and their attachment to bodies.
//!
//! The frame of an end is tied to that of the segment before it by the bending and twist of half a segment,
//! so that a clamped rod is as long as its segments.

use glam::Quat;
use parry3d::math::Pose;
use xpbd_core::bodies::Body;
use xpbd_core::world::{BatchHandle, BodyHandle, World};

use super::{RodAttachment, RodEnd, RodError, RodHandle};
use crate::constraint::attachment::attach;

impl RodHandle {
    /// Returns the particle and the segment at an end.
    fn end_indices(&self, end: RodEnd) -> (usize, usize) {
        match end {
            RodEnd::First => (0, 0),
            RodEnd::Last => (self.segments.len(), self.segments.len() - 1),
        }
    }

    /// Returns the pose of an end \[m\]: the position of its point and the rotation of its segment.
    ///
    /// # Errors
    /// The rod has been removed.
    pub fn end_pose(&self, world: &World, end: RodEnd) -> Result<Pose, RodError> {
        let (particle, segment) = self.end_indices(end);
        let rotation = world.body_pose(self.segments[segment])?.rotation;
        Ok(Pose::from_parts(world.position(self.object, particle)?, rotation))
    }

    /// Ties the frame of an end to a body at their present poses.
    ///
    /// # Errors
    /// The rod or the body has been removed; the world is then as it was.
    pub fn attach(&self, world: &mut World, end: RodEnd, body: BodyHandle) -> Result<RodAttachment, RodError> {
        let local = world.body_pose(body)?.inverse() * self.end_pose(world, end)?;
        self.attach_at(world, end, body, local)
    }

    /// Ties the frame of an end to a body at this pose on it: its point, and the third axis along the rod.
    ///
    /// # Errors
    /// The rod or the body has been removed, or the pose is not finite; the world is then as it was.
    pub fn attach_at(
        &self,
        world: &mut World,
        end: RodEnd,
        body: BodyHandle,
        at: Pose,
    ) -> Result<RodAttachment, RodError> {
        let (particle, _) = self.end_indices(end);
        let point = attach(&[(particle as u32, at.translation)])?.solver(self.material.solver);
        let point = world.add_batch(&[self.object], &[body], point)?;
        match self.tie_rotation(world, end, body, at.rotation) {
            Ok(frame) => Ok(RodAttachment { batches: vec![point, frame], hold: None }),
            Err(error) => {
                world.remove_batch(point)?;
                Err(error)
            }
        }
    }

    /// Holds an end at its present position and rotation: pins its particle, and ties its frame to a fixed body.
    ///
    /// # Errors
    /// The rod has been removed; the world is then as it was.
    pub fn hold(&self, world: &mut World, end: RodEnd) -> Result<RodAttachment, RodError> {
        let (particle, _) = self.end_indices(end);
        let fixed = world.add_body(Body::fixed(self.end_pose(world, end)?))?;
        let held = self.tie_rotation(world, end, fixed, Quat::IDENTITY);
        let held = held.and_then(|frame| Ok(world.set_pinned(self.object, particle, true).map(|()| frame)?));
        match held {
            Ok(frame) => Ok(RodAttachment { batches: vec![frame], hold: Some((fixed, self.object, particle)) }),
            Err(error) => {
                world.remove_body(fixed)?;
                Err(error)
            }
        }
    }

    /// Adds the bending and twist of half a segment, between a body and the segment at an end.
    fn tie_rotation(
        &self,
        world: &mut World,
        end: RodEnd,
        body: BodyHandle,
        turn: Quat,
    ) -> Result<BatchHandle, RodError> {
        let (_, segment) = self.end_indices(end);
        let batch = self.material.tie(end, turn)?;
        Ok(world.add_batch(&[], &[body, self.segments[segment]], batch)?)
    }
}

impl RodAttachment {
    /// Returns the fixed body that [`RodHandle::hold`] has added.
    pub fn fixed_body(&self) -> Option<BodyHandle> {
        self.hold.map(|(body, ..)| body)
    }

    /// Returns the batches that tie the end: with [`RodHandle::attach`] its point, then its frame; with
    /// [`RodHandle::hold`] its frame alone.
    pub fn batches(&self) -> &[BatchHandle] {
        &self.batches
    }

    /// Releases the end.
    ///
    /// # Errors
    /// It has been released before, or the rod or the body has been removed.
    pub fn remove(&self, world: &mut World) -> Result<(), RodError> {
        self.batches.iter().try_for_each(|&batch| world.remove_batch(batch))?;
        if let Some((fixed, object, particle)) = self.hold {
            world.remove_body(fixed)?;
            world.set_pinned(object, particle, false)?;
        }
        Ok(())
    }
}
