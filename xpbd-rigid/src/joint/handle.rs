//! Joints of a world: what they bear, where they stand, and how they change while the world runs.

use std::sync::Arc;

use glam::{Quat, Vec3};
use xpbd_core::bodies::Body;
use xpbd_core::scalar::rotation::normalized;
use xpbd_core::scalar::trig;
use xpbd_core::world::{BatchHandle, BodyHandle, World, WorldError};

use super::part::{JointRole, ParameterLayout};
use super::{JointAxis, JointBasis, JointError};

/// The batch of a constraint of a joint.
#[derive(Debug, Clone, PartialEq)]
pub struct JointBatch {
    /// The purpose of the constraint.
    pub role: JointRole,
    /// The batch that holds the joint.
    pub batch: BatchHandle,
    /// The meaning of its parameters.
    pub(super) layout: ParameterLayout,
}

impl JointBatch {
    /// Returns whether the constraint locks the joint.
    pub(super) fn is_lock(&self) -> bool {
        matches!(self.layout, ParameterLayout::Lock | ParameterLayout::AxisLock(_))
    }
}

/// A handle of a joint in a world.
#[derive(Debug, Clone, PartialEq)]
pub struct JointHandle {
    pub(super) bodies: [BodyHandle; 2],
    pub(super) bases: [JointBasis; 2],
    pub(super) contacts_enabled: bool,
    pub(super) parts: Arc<[JointBatch]>,
    pub(super) index: usize,
}

/// The force and torque of a joint on its second body; those on its first body are the opposite.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct JointReaction {
    /// Force \[N\] at the anchor, in the world.
    pub force: Vec3,
    /// Torque \[N m\] about the anchor, in the world.
    pub torque: Vec3,
}

impl JointHandle {
    /// Returns the two bodies.
    pub fn bodies(&self) -> [BodyHandle; 2] {
        self.bodies
    }

    /// Returns whether the two bodies collide with each other.
    pub fn contacts_enabled(&self) -> bool {
        self.contacts_enabled
    }

    /// Returns the batches of its constraints, and the number of the joint in each of them.
    pub fn batches(&self) -> (&[JointBatch], usize) {
        (&self.parts, self.index)
    }

    /// Returns the force and torque of the joint, with its limits and motors, on its second body: the mean over the
    /// substeps of the last frame.
    ///
    /// # Errors
    /// The joint or a body has been removed.
    pub fn reaction(&self, world: &World) -> Result<JointReaction, JointError> {
        let mut sum = JointReaction::default();
        for &JointBatch { batch, .. } in self.parts.iter() {
            if let Some(reaction) = world.reaction(batch, self.index)?.get(1) {
                sum.force += reaction.force;
                sum.torque += reaction.torque;
            }
        }
        let body = world.body(self.bodies[1])?;
        let arm = body.pose.rotation * (self.bases[1].anchor - body.mass.center_of_mass);
        sum.torque -= arm.cross(sum.force);
        Ok(sum)
    }

    /// Returns whether the joint has broken.
    ///
    /// # Errors
    /// The joint has been removed.
    pub fn is_broken(&self, world: &World) -> Result<bool, JointError> {
        let first = self.parts.first().ok_or(WorldError::StaleHandle("batch"))?;
        Ok(world.batch(first.batch)?.traced().is_some_and(|batch| batch.is_broken(self.index)))
    }

    /// Returns whether a batch and the number of a constraint in it, as in
    /// [`BrokenConstraint`](xpbd_core::world::BrokenConstraint), are those of this joint.
    pub fn owns(&self, batch: BatchHandle, constraint: u32) -> bool {
        self.index == constraint as usize && self.parts.iter().any(|part| part.batch == batch)
    }

    /// Breaks the joint, or restores it.
    ///
    /// # Errors
    /// The joint has been removed.
    pub fn set_broken(&self, world: &mut World, broken: bool) -> Result<(), JointError> {
        for &JointBatch { batch, .. } in self.parts.iter() {
            world.edit_batch(batch, |batch| batch.set_broken(self.index, broken))?;
        }
        Ok(())
    }

    /// Returns the coordinate of the second body along or about a free axis \[m or rad\], angles within ±π. Along an
    /// axis that the joint locks it is the error of the joint.
    ///
    /// # Errors
    /// A body has been removed.
    pub fn coordinate(&self, world: &World, axis: JointAxis) -> Result<f32, JointError> {
        let [(x0, [a0, b0, c0]), (x1, [a1, b1, c1])] = [self.axes_in_world(world, 0)?, self.axes_in_world(world, 1)?];
        let apart = x1.as_dvec3() - x0.as_dvec3();
        Ok(match axis {
            JointAxis::Linear => apart.dot(a0.as_dvec3()) as f32,
            JointAxis::SecondLinear => apart.dot(b0.as_dvec3()) as f32,
            JointAxis::ThirdLinear => apart.dot(c0.as_dvec3()) as f32,
            JointAxis::Distance => apart.length() as f32,
            JointAxis::Angular => trig::atan2(b1.dot(c0), b1.dot(b0)),
            JointAxis::SecondAngular => trig::atan2(a0.dot(c1), a0.dot(a1)),
            JointAxis::Swing => trig::atan2(a0.cross(a1).length(), a0.dot(a1)),
            JointAxis::FirstSwing => 2.0 * trig::atan2(-a1.dot(c0), 1.0 + a0.dot(a1)),
            JointAxis::SecondSwing => 2.0 * trig::atan2(a1.dot(b0), 1.0 + a0.dot(a1)),
            JointAxis::Twist => trig::atan2(b1.dot(c0) - c1.dot(b0), b1.dot(b0) + c1.dot(c0)),
        })
    }

    /// Returns the rotation of the second body against the first, from where the frames of the joint coincide, in the
    /// frame of the first body: the one that a [`RotationMotor`](super::RotationMotor) reaches.
    ///
    /// # Errors
    /// A body has been removed.
    pub fn rotation(&self, world: &World) -> Result<Quat, JointError> {
        let [a, b] = [world.body_pose(self.bodies[0])?, world.body_pose(self.bodies[1])?];
        let [to_a, to_b] = self.bases.map(|basis| basis.to_body());
        Ok(normalized(a.rotation.inverse() * b.rotation * to_b * to_a.inverse()))
    }

    /// Returns the anchor \[m\] and the three axes on a body, in the world.
    fn axes_in_world(&self, world: &World, side: usize) -> Result<(Vec3, [Vec3; 3]), JointError> {
        let Body { pose, .. } = world.body(self.bodies[side])?;
        let basis = &self.bases[side];
        let axes = [basis.axis, basis.normal, basis.binormal()].map(|axis| pose.rotation * axis);
        Ok((pose.transform_point(basis.anchor), axes))
    }

    /// Removes the joint, with all joints that were added together with it and consist of the same
    /// constraints. The bodies stay, also the fixed one of a joint to the world; those of this joint
    /// collide with each other again.
    ///
    /// # Errors
    /// The joint has been removed before.
    pub fn remove(&self, world: &mut World) -> Result<(), JointError> {
        self.parts.iter().try_for_each(|part| world.remove_batch(part.batch))?;
        let [a, b] = self.bodies;
        if !self.contacts_enabled {
            world.set_contacts_between(a, b, true)?;
        }
        Ok(())
    }
}
