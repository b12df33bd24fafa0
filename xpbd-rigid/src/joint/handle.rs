//! A joint in a world: what it bears, where it stands, and changes while it runs.

use std::sync::Arc;

use glam::Vec3;
use xpbd_core::bodies::Body;
use xpbd_core::scalar::trig;
use xpbd_core::world::{BatchHandle, BodyHandle, World, WorldError};

use super::limit::JointLimits;
use super::motor::JointMotor;
use super::part::JointRole;
use super::{JointAxis, JointBasis, JointError};

/// The batch of a part of a joint.
#[derive(Debug, Clone, PartialEq)]
pub struct JointBatch {
    /// What it does.
    pub role: JointRole,
    /// Its batch.
    pub batch: BatchHandle,
    /// Which of its parameters are the middle and half of the range of a free axis.
    pub(super) limits: Vec<(JointAxis, usize)>,
}

/// Names a joint of a world.
#[derive(Debug, Clone, PartialEq)]
pub struct JointHandle {
    pub(super) bodies: [BodyHandle; 2],
    pub(super) axes: [JointBasis; 2],
    pub(super) contacts_enabled: bool,
    pub(super) parts: Arc<[JointBatch]>,
    pub(super) index: usize,
}

/// What a joint does to its second body, and the opposite of it to its first.
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

    /// Returns whether the two bodies are to collide with each other.
    pub fn contacts_enabled(&self) -> bool {
        self.contacts_enabled
    }

    /// Returns the batches of its constraints, what they do, and the number of the joint in each of them.
    pub fn batches(&self) -> (&[JointBatch], usize) {
        (&self.parts, self.index)
    }

    /// Returns what the joint with its limits and motors did to its second body in the last substep.
    ///
    /// # Errors
    /// The joint or a body has been removed.
    pub fn reaction(&self, world: &World) -> Result<JointReaction, JointError> {
        let mut sum = JointReaction::default();
        for &JointBatch { batch, .. } in self.parts.iter() {
            if let Some(load) = world.reaction(batch, self.index)?.get(1) {
                sum.force += load.force;
                sum.torque += load.torque;
            }
        }
        let body = world.body(self.bodies[1])?;
        let arm = body.pose.rotation * (self.axes[1].anchor - body.mass.center_of_mass);
        sum.torque -= arm.cross(sum.force);
        Ok(sum)
    }

    /// Returns whether it has broken.
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

    /// Breaks the joint, or makes it whole again.
    ///
    /// # Errors
    /// The joint has been removed.
    pub fn set_broken(&self, world: &mut World, broken: bool) -> Result<(), JointError> {
        for &JointBatch { batch, .. } in self.parts.iter() {
            world.edit_batch(batch, |batch| batch.set_broken(self.index, broken))?;
        }
        Ok(())
    }

    /// Returns where its bodies stand along or about a free axis \[m or rad\], angles within ±π. What the joint
    /// does not leave free is 0 but for the error of the joint.
    ///
    /// # Errors
    /// A body has been removed.
    pub fn coordinate(&self, world: &World, freedom: JointAxis) -> Result<f32, JointError> {
        let [(x0, [a0, b0, c0]), (x1, [a1, b1, c1])] = [self.axes_in(world, 0)?, self.axes_in(world, 1)?];
        let apart = x1.as_dvec3() - x0.as_dvec3();
        Ok(match freedom {
            JointAxis::Linear => apart.dot(a0.as_dvec3()) as f32,
            JointAxis::Distance => apart.length() as f32,
            JointAxis::Angular => trig::atan2(b1.dot(c0), b1.dot(b0)),
            JointAxis::SecondAngular => trig::atan2(a0.dot(c1), a0.dot(a1)),
            JointAxis::Swing => trig::atan2(a0.cross(a1).length(), a0.dot(a1)),
            JointAxis::Twist => trig::atan2(b1.dot(c0) - c1.dot(b0), b1.dot(b0) + c1.dot(c0)),
        })
    }

    /// Returns the anchor \[m\] and the three axes on a body, in the world.
    fn axes_in(&self, world: &World, side: usize) -> Result<(Vec3, [Vec3; 3]), JointError> {
        let Body { pose, .. } = world.body(self.bodies[side])?;
        let axes = &self.axes[side];
        let turned = [axes.axis, axes.normal, axes.binormal()].map(|axis| pose.rotation * axis);
        Ok((pose.transform_point(axes.anchor), turned))
    }

    /// Changes the bounds \[rad or m\] of a free axis; they stay as hard or soft as they were. A hard bound
    /// that is set past the coordinate is reached within a substep, with the speed that this takes: what
    /// is to be moved there gently needs a motor.
    ///
    /// # Errors
    /// The joint has been removed, has no limit there, or the bounds are not valid.
    pub fn set_limits(&self, world: &mut World, freedom: JointAxis, low: f32, high: f32) -> Result<(), JointError> {
        let swing = freedom == JointAxis::Swing;
        let bounds = JointLimits::new(low, high).params(0, freedom)?;
        let bounds = if swing { [0.0, high] } else { bounds };
        let of = |part: &JointBatch| Some((part.batch, part.limits.iter().find(|bound| bound.0 == freedom)?.1));
        let missing = JointError::Missing { part: "limit", axis: freedom };
        // Soft stops are parts of their own, beside a row for hard ones that what holds may have.
        let (soft, hold): (Vec<&JointBatch>, Vec<&JointBatch>) =
            self.parts.iter().partition(|part| part.role != JointRole::Lock);
        let (batch, first) = soft.into_iter().chain(hold).find_map(of).ok_or(missing)?;
        world.edit_parameters(batch, |numbers| {
            let parameters = numbers.parameters_mut(self.index).iter_mut().skip(first);
            parameters.zip(bounds).for_each(|(parameter, bound)| *parameter = bound);
        })?;
        Ok(())
    }

    /// Changes the motor of a free axis. No new plan is made, so that it may be changed every frame.
    ///
    /// # Errors
    /// The joint has been removed, has no motor there, or the motor is not valid.
    pub fn set_motor(&self, world: &mut World, freedom: JointAxis, motor: JointMotor) -> Result<(), JointError> {
        let params = motor.params(0)?;
        let found = self.parts.iter().find(|part| part.role == JointRole::Motor(freedom));
        let JointBatch { batch, .. } = *found.ok_or(JointError::Missing { part: "motor", axis: freedom })?;
        world.edit_parameters(batch, |numbers| {
            numbers.parameters_mut(self.index).iter_mut().zip(params).for_each(|(parameter, new)| *parameter = new);
            numbers.set_compliance(self.index, motor.compliance);
            numbers.set_damping(self.index, motor.damping_coefficient);
        })?;
        Ok(())
    }

    /// Removes the joint, with all joints that were added together with it and are of the same
    /// constraints. The bodies stay, also the fixed one of a joint to the world; those of this joint
    /// touch each other again.
    ///
    /// # Errors
    /// It has been removed before.
    pub fn remove(&self, world: &mut World) -> Result<(), JointError> {
        self.parts.iter().try_for_each(|part| world.remove_batch(part.batch))?;
        let [a, b] = self.bodies;
        Ok(world.set_contacts_between(a, b, true)?)
    }
}
