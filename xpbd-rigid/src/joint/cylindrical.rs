//! One axis of translation and rotation (\[Deul14\] §4, cylindrical joint).
//!
//! ```text
//!   ══════╦═══╦══════ a₀    free: translation along a₀ and rotation about it
//!         ║ b ║ ↻           C = (d·b₀, d·c₀, a₁·b₀, a₁·c₀), two rows [m] and two [rad], d = x₁ − x₀
//!         ╚═══╝             λ/h²: the force on b across a₀ [N], and its torque about c₀ and −b₀ [N m]
//! ```
//!
//! The angle is measured as that of a [hinge](super::hinge), the translation as that of a
//! [slider](super::slider).

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::constraint::Point;
use xpbd_core::scalar::Real;

use super::geometry::signed_angle;
use super::limit::JointLimits;
use super::limit::rows::{AngularLimitRow, LinearLimitRow};
use super::lock::LockRows;
use super::lock::axes::{AxisDrive, FreeAxes, axis_lock};
use super::motor::JointMotor;
use super::part::{A, B, angular_attachments, axis, linear_attachments, point};
use super::{Joint, JointAxis, JointBasis, JointError, JointFrame, JointPart, JointSettings};

/// The rows of a cylindrical joint: a point stays on a line, and an axis stays parallel to it.
#[derive(Debug, Clone, Copy)]
pub struct CylindricalRows;

impl LockRows<5, 4> for CylindricalRows {
    const NAME: &'static str = "cylindrical-joint";
    const FORCE_ROWS: usize = 2;

    fn rows<S: Real>(x: &[Point<S>; 5]) -> [S; 4] {
        let [d, a1] = [x[1] - x[0], x[2].axis()];
        let [b0, c0] = [x[3].axis(), x[4].axis()];
        [d.dot(b0), d.dot(c0), a1.dot(b0), a1.dot(c0)]
    }
}

impl FreeAxes<6, 6, 2> for CylindricalRows {
    const NAME: &'static str = "driven-cylindrical-joint";
    const AXES: [JointAxis; 2] = [JointAxis::Linear, JointAxis::Angular];

    fn coordinates<S: Real>(x: &[Point<S>; 6]) -> [S; 2] {
        let [b0, c0, b1] = [3, 4, 5].map(|k| x[k].axis());
        [(x[1] - x[0]).dot(b0.cross(c0)), signed_angle(b1, [b0, c0])]
    }
}

/// A sleeve on a rod: a bolt, a telescope.
///
/// ```
/// # use glam::Vec3;
/// # use parry3d::math::Pose;
/// # use xpbd_rigid::prelude::*;
/// # let mut world = World::new(Settings::default())?;
/// # let sleeve = world.add_body(Body::dynamic(Pose::IDENTITY, Mass::ball(1.0, 0.1)))?;
/// let bolt = CylindricalJoint::new(Vec3::ZERO, Vec3::X).linear_limits(0.0, 0.1);
/// let bolt = bolt.angular_motor(JointMotor::velocity(0.0).max_torque(0.2)).add_to_world(&mut world, sleeve)?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct CylindricalJoint {
    /// The settings that all joints have.
    pub settings: JointSettings,
    /// Limits of the angle \[rad\].
    pub angular_limits: Option<JointLimits>,
    /// Limits of the translation \[m\].
    pub linear_limits: Option<JointLimits>,
    /// The motor that rotates the second body.
    pub angular_motor: Option<JointMotor>,
    /// The motor that moves the second body along the axis.
    pub linear_motor: Option<JointMotor>,
}

impl CylindricalJoint {
    /// Returns a joint whose anchor \[m\] is at a point of the world, along an axis.
    pub fn new(anchor: Vec3, axis: Vec3) -> Self {
        Self::with(JointSettings::new(JointFrame::new(anchor, axis)))
    }

    /// Returns a joint at a frame on each body.
    pub fn between(a: JointFrame, b: JointFrame) -> Self {
        Self::with(JointSettings::on_bodies(a, b))
    }

    fn with(settings: JointSettings) -> Self {
        Self { settings, angular_limits: None, linear_limits: None, angular_motor: None, linear_motor: None }
    }

    /// Limits the angle \[rad\].
    #[must_use]
    pub fn angular_limits(self, min: f32, max: f32) -> Self {
        Self { angular_limits: Some(JointLimits::new(min, max)), ..self }
    }

    /// Limits the translation \[m\].
    #[must_use]
    pub fn linear_limits(self, min: f32, max: f32) -> Self {
        Self { linear_limits: Some(JointLimits::new(min, max)), ..self }
    }

    /// Sets the motor that rotates.
    #[must_use]
    pub fn angular_motor(self, motor: JointMotor) -> Self {
        Self { angular_motor: Some(motor), ..self }
    }

    /// Sets the motor that moves along the axis.
    #[must_use]
    pub fn linear_motor(self, motor: JointMotor) -> Self {
        Self { linear_motor: Some(motor), ..self }
    }
}

impl Joint for CylindricalJoint {
    fn settings(&mut self) -> &mut JointSettings {
        &mut self.settings
    }

    fn parts(&self, [a, b]: [&JointBasis; 2], joint: usize) -> Result<Vec<JointPart>, JointError> {
        let [x0, x1] = [point(A, a.anchor), point(B, b.anchor)];
        let attachments = [x0, x1, axis(B, b.axis), axis(A, a.normal), axis(A, a.binormal()), axis(B, b.normal)];
        let linear = AxisDrive { limits: self.linear_limits, motor: self.linear_motor };
        let angular = AxisDrive { limits: self.angular_limits, motor: self.angular_motor };
        let drives = [linear, angular];
        let lock = axis_lock::<CylindricalRows, 6, 6, 5, 4, 2>(joint, &self.settings, attachments, drives)?;
        let mut parts = vec![lock];
        if let Some(limits) = self.angular_limits {
            parts.extend(limits.part(joint, JointAxis::Angular, AngularLimitRow, angular_attachments(a, b))?);
        }
        if let Some(limits) = self.linear_limits {
            parts.extend(limits.part(joint, JointAxis::Linear, LinearLimitRow, linear_attachments(a, b))?);
        }
        Ok(parts)
    }
}
