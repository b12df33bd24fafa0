//! Two crossed axes (\[Deul14\] §4, universal joint, after Cardano).
//!
//! ```text
//!   a ────┐ a₀
//!       ──┼── b₁    free: rotation about a₀, which is fixed to a, and about b₁, which is fixed to b
//!         └──── b   C = (x₁ − x₀, a₀·b₁), three rows [m] and one [rad]
//!                   λ/h²: the force on b [N], and its torque about b₁ × a₀ [N m]
//! ```
//!
//! The angles are those of b about a₀, then about b₁. Where the second one is a quarter turn the axis
//! of b lies along a₀; the joint still holds, but the limits of the angles no longer act.

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
use super::part::{A, Attachment, B, angular_attachments, axis, point};
use super::{Joint, JointAxis, JointBasis, JointError, JointFrame, JointPart, JointSettings};

/// The rows of a universal joint: two points coincide, and two axes stay at a right angle.
#[derive(Debug, Clone, Copy)]
pub struct UniversalRows;

impl LockRows<4, 4> for UniversalRows {
    const NAME: &'static str = "universal-joint";
    const FORCE_ROWS: usize = 3;

    fn rows<S: Real>(x: &[Point<S>; 4]) -> [S; 4] {
        let d = x[1] - x[0];
        [d.x, d.y, d.z, x[2].axis().dot(x[3].axis())]
    }
}

impl FreeAxes<6, 6, 2> for UniversalRows {
    const NAME: &'static str = "driven-universal-joint";
    const AXES: [JointAxis; 2] = [JointAxis::Angular, JointAxis::SecondAngular];

    fn coordinates<S: Real>(x: &[Point<S>; 6]) -> [S; 2] {
        let [a0, b1, b0, a1] = [2, 3, 4, 5].map(|k| x[k].axis());
        [signed_angle(b1, [b0, a0.cross(b0)]), signed_angle(a0, [a1, a1.cross(b1)])]
    }
}

/// A universal joint: the cross of a drive shaft, the hip of a machine.
///
/// ```
/// # use glam::Vec3;
/// # use parry3d::math::Pose;
/// # use xpbd_rigid::prelude::*;
/// # let mut world = World::new(Settings::default())?;
/// # let leg = world.add_body(Body::dynamic(Pose::translation(0.0, -0.5, 0.0), Mass::ball(1.0, 0.1)))?;
/// let hip = UniversalJoint::new(Vec3::ZERO, Vec3::X, Vec3::Z).limits(-1.0, 1.0).second_limits(-0.4, 0.4);
/// let hip = hip.add_to_world(&mut world, leg)?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct UniversalJoint {
    /// The settings that all joints have.
    pub settings: JointSettings,
    /// Limits of the angle about the axis of the first body \[rad\].
    pub limits: Option<JointLimits>,
    /// Limits of the angle about the axis of the second body \[rad\].
    pub second_limits: Option<JointLimits>,
    /// The motor about the axis of the first body.
    pub motor: Option<JointMotor>,
    /// The motor about the axis of the second body.
    pub second_motor: Option<JointMotor>,
}

impl UniversalJoint {
    /// Returns a joint at a point \[m\] of the world, with an axis that is fixed to the first body and one,
    /// made perpendicular to it, that is fixed to the second.
    pub fn new(anchor: Vec3, first: Vec3, second: Vec3) -> Self {
        Self::with(JointSettings::new(JointFrame::new(anchor, first).reference_axis(second)))
    }

    /// Returns a joint at a frame on each body: the first axis is the axis of the first frame, the second the
    /// reference axis of the second frame.
    pub fn between(a: JointFrame, b: JointFrame) -> Self {
        Self::with(JointSettings::on_bodies(a, b))
    }

    fn with(settings: JointSettings) -> Self {
        Self { settings, limits: None, second_limits: None, motor: None, second_motor: None }
    }

    /// Limits the angle about the axis of the first body \[rad\].
    #[must_use]
    pub fn limits(self, min: f32, max: f32) -> Self {
        Self { limits: Some(JointLimits::new(min, max)), ..self }
    }

    /// Limits the angle about the axis of the second body \[rad\].
    #[must_use]
    pub fn second_limits(self, min: f32, max: f32) -> Self {
        Self { second_limits: Some(JointLimits::new(min, max)), ..self }
    }

    /// Sets the motor about the axis of the first body.
    #[must_use]
    pub fn motor(self, motor: JointMotor) -> Self {
        Self { motor: Some(motor), ..self }
    }

    /// Sets the motor about the axis of the second body.
    #[must_use]
    pub fn second_motor(self, motor: JointMotor) -> Self {
        Self { second_motor: Some(motor), ..self }
    }
}

/// Returns the axis of the first body and two normals of the second, against which it rotates the other way about b₁.
fn second_angular_attachments(a: &JointBasis, b: &JointBasis) -> [Attachment; 3] {
    [axis(A, a.axis), axis(B, b.axis), axis(B, b.binormal())]
}

impl Joint for UniversalJoint {
    fn settings(&mut self) -> &mut JointSettings {
        &mut self.settings
    }

    fn parts(&self, [a, b]: [&JointBasis; 2], joint: usize) -> Result<Vec<JointPart>, JointError> {
        let [x0, x1] = [point(A, a.anchor), point(B, b.anchor)];
        let attachments = [x0, x1, axis(A, a.axis), axis(B, b.normal), axis(A, a.normal), axis(B, b.axis)];
        let first = AxisDrive { limits: self.limits, motor: self.motor };
        let second = AxisDrive { limits: self.second_limits, motor: self.second_motor };
        let drives = [first, second];
        let lock = axis_lock::<UniversalRows, 6, 6, 4, 4, 2>(joint, &self.settings, attachments, drives)?;
        let mut parts = vec![lock];
        let (first, second) = (angular_attachments(a, b), second_angular_attachments(a, b));
        if let Some(limits) = self.limits {
            parts.extend(limits.part(joint, JointAxis::Angular, AngularLimitRow, first)?);
        }
        if let Some(limits) = self.second_limits {
            parts.extend(limits.part(joint, JointAxis::SecondAngular, AngularLimitRow, second)?);
        }
        Ok(parts)
    }
}
