//! Rods that change in place to another description of themselves.

use glam::Quat;
use xpbd_core::batch::ConstraintBatch;
use xpbd_core::constraint::Constraint;
use xpbd_core::world::{BatchHandle, UpdateOutcome, World};

use super::{RodEnd, RodError, RodHandle, RodParts};
use crate::constraint::RodBendTwist;

impl RodHandle {
    /// Changes the numbers of the segments and of the constraints that differ between the parts `before`, which the rod
    /// was added with or last updated to, and the parts `after`. [`World::update_object`] does so for the particles.
    ///
    /// Attachments of the ends change with the rod. Stiffness and damping are changed without a new plan; masses make a
    /// new one.
    ///
    /// # Errors
    /// The rod has been removed.
    pub fn update(
        &mut self,
        world: &mut World,
        before: &RodParts,
        after: &RodParts,
    ) -> Result<UpdateOutcome, RodError> {
        if self.segments.len() != before.segments.len() || !before.has_same_topology(after) {
            return Ok(UpdateOutcome::TopologyDiffers);
        }
        for (&segment, (was, is)) in self.segments.iter().zip(before.segments.iter().zip(&after.segments)) {
            if was.mass != is.mass {
                world.edit_body(segment, |body| body.mass = is.mass)?;
            }
            if was.angular_damping != is.angular_damping {
                world.edit_body(segment, |body| body.angular_damping = is.angular_damping)?;
            }
        }
        world.update_batch(self.stretch, &before.stretch, &after.stretch)?;
        if let (Some(bend), Some(was), Some(is)) = (self.bend, &before.bend, &after.bend) {
            world.update_batch(bend, was, is)?;
        }
        for (batch, end) in self.ties(world) {
            let [was, is] = [before, after].map(|parts| parts.material.tie(end, Quat::IDENTITY));
            world.update_batch(batch, &was?, &is?)?;
        }
        self.material = after.material;
        Ok(UpdateOutcome::Updated)
    }

    /// Returns the batches that tie the frames of ends to bodies.
    fn ties(&self, world: &World) -> Vec<(BatchHandle, RodEnd)> {
        let [first, last] = [self.segments.first(), self.segments.last()];
        let ties = world.state().batches.iter().filter_map(|(handle, state)| {
            let &[_, segment] = state.bodies.as_slice() else { return None };
            let end = if Some(&segment) == first { RodEnd::First } else { RodEnd::Last };
            let is_end = end == RodEnd::First || Some(&segment) == last;
            let is_tie = state.batch.name() == RodBendTwist::NAME && self.bend != Some(handle);
            (is_end && is_tie).then_some((handle, end))
        });
        ties.collect()
    }
}

impl RodParts {
    /// Returns whether two descriptions differ in numbers alone.
    fn has_same_topology(&self, other: &Self) -> bool {
        let has_same_bend = match (&self.bend, &other.bend) {
            (Some(bend), Some(other)) => bend.has_same_topology(other),
            (None, None) => true,
            _ => false,
        };
        has_same_bend && self.stretch.has_same_topology(&other.stretch) && self.clamps == other.clamps
    }
}
