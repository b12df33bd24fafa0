//! One axis of rotation (\[Deul14\] §4.2, hinge joint).
//!
//! ```text
//!     │ a            free: rotation about a
//!   ┌─┴─┐            C = (x₁ − x₀, a₁·b₀, a₁·c₀), three rows [m] and two [rad]
//!   │ b ├──── b      λ/h²: the force on b [N], and its torque about c₀ and −b₀ [N m]
//!   └─┬─┘
//! ```
//!
//! The angle is atan2(b₁·c₀, b₁·b₀), within ±π: limits may span the half turn, and motors pass through it, but whole
//! turns are not counted.

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::constraint::Point;
use xpbd_core::scalar::Real;

use super::geometry::signed_angle;
use super::limit::JointLimits;
use super::limit::rows::AngularLimitRow;
use super::lock::LockRows;
use super::lock::axes::{AxisDrive, FreeAxes, axis_lock};
use super::motor::JointMotor;
use super::part::{A, B, angular_attachments, axis, point};
use super::{Joint, JointAxis, JointBasis, JointError, JointFrame, JointPart, JointSettings};

/// The rows of a hinge: two points coincide, and an axis stays across two others.
#[derive(Debug, Clone, Copy)]
pub struct HingeRows;

impl LockRows<5, 5> for HingeRows {
    const NAME: &'static str = "hinge-joint";
    const FORCE_ROWS: usize = 3;

    fn rows<S: Real>(x: &[Point<S>; 5]) -> [S; 5] {
        let [d, a1] = [x[1] - x[0], x[2].axis()];
        [d.x, d.y, d.z, a1.dot(x[3].axis()), a1.dot(x[4].axis())]
    }
}

impl FreeAxes<6, 6, 1> for HingeRows {
    const NAME: &'static str = "driven-hinge-joint";
    const AXES: [JointAxis; 1] = [JointAxis::Angular];

    fn coordinates<S: Real>(x: &[Point<S>; 6]) -> [S; 1] {
        [signed_angle(x[5].axis(), [x[3].axis(), x[4].axis()])]
    }
}

/// A hinge: a door, a wheel, a knee.
///
/// ```
/// # use glam::Vec3;
/// # use parry3d::math::Pose;
/// # use xpbd_rigid::prelude::*;
/// # let mut world = World::new(Settings::default())?;
/// # let car = world.add_body(Body::dynamic(Pose::IDENTITY, Mass::ball(100.0, 1.0)))?;
/// # let wheel = world.add_body(Body::dynamic(Pose::translation(1.0, 0.0, 0.0), Mass::ball(10.0, 0.3)))?;
/// let axle = HingeJoint::new(Vec3::X, Vec3::X).motor(JointMotor::velocity(20.0).max_torque(300.0));
/// let axle = axle.add(&mut world, car, wheel)?;
/// axle.set_motor(&mut world, JointAxis::Angular, JointMotor::velocity(0.0).max_torque(1e3))?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct HingeJoint {
    /// The settings that all joints have.
    pub settings: JointSettings,
    /// Limits of the angle \[rad\].
    pub limits: Option<JointLimits>,
    /// The motor that rotates the second body.
    pub motor: Option<JointMotor>,
}

impl HingeJoint {
    /// Returns a hinge at a point \[m\] of the world, about an axis.
    pub fn new(anchor: Vec3, axis: Vec3) -> Self {
        Self { settings: JointSettings::new(JointFrame::new(anchor, axis)), limits: None, motor: None }
    }

    /// Returns a hinge at a frame on each body.
    pub fn between(a: JointFrame, b: JointFrame) -> Self {
        Self { settings: JointSettings::on_bodies(a, b), limits: None, motor: None }
    }

    /// Limits the angle \[rad\].
    #[must_use]
    pub fn limits(self, min: f32, max: f32) -> Self {
        Self { limits: Some(JointLimits::new(min, max)), ..self }
    }

    /// Sets the motor.
    #[must_use]
    pub fn motor(self, motor: JointMotor) -> Self {
        Self { motor: Some(motor), ..self }
    }
}

impl Joint for HingeJoint {
    fn settings(&mut self) -> &mut JointSettings {
        &mut self.settings
    }

    fn parts(&self, [a, b]: [&JointBasis; 2], joint: usize) -> Result<Vec<JointPart>, JointError> {
        let [x0, x1] = [point(A, a.anchor), point(B, b.anchor)];
        let attachments = [x0, x1, axis(B, b.axis), axis(A, a.normal), axis(A, a.binormal()), axis(B, b.normal)];
        let drives = [AxisDrive { limits: self.limits, motor: self.motor }];
        let lock = axis_lock::<HingeRows, 6, 6, 5, 5, 1>(joint, &self.settings, attachments, drives)?;
        let mut parts = vec![lock];
        if let Some(limits) = self.limits {
            parts.extend(limits.part(joint, JointAxis::Angular, AngularLimitRow, angular_attachments(a, b))?);
        }
        Ok(parts)
    }
}
