//! A point of b on a line of a (\[Deul14\] §4, target line).
//!
//! ```text
//!   ═══════●═══════ a₀    free: translation along a₀, swing and twist
//!           \ b           C = (d·b₀, d·c₀), two rows [m], d = x₁ − x₀
//!                         λ/h²: the force on b across a₀ [N]
//! ```

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::constraint::Point;
use xpbd_core::scalar::Real;

use super::limit::JointLimits;
use super::limit::rows::LinearLimitRow;
use super::lock::LockRows;
use super::lock::axes::{AxisDrive, FreeAxes, axis_lock};
use super::motor::JointMotor;
use super::part::{A, axis, linear_attachments};
use super::{Joint, JointAxis, JointBasis, JointError, JointFrame, JointPart, JointSettings};

/// The rows of a point on a line.
#[derive(Debug, Clone, Copy)]
pub struct PointOnLineRows;

impl LockRows<4, 2> for PointOnLineRows {
    const NAME: &'static str = "line-joint";
    const FORCE_ROWS: usize = 2;

    fn rows<S: Real>(x: &[Point<S>; 4]) -> [S; 2] {
        let d = x[1] - x[0];
        [d.dot(x[2].axis()), d.dot(x[3].axis())]
    }
}

impl FreeAxes<5, 3, 1> for PointOnLineRows {
    const NAME: &'static str = "driven-line-joint";
    const AXES: [JointAxis; 1] = [JointAxis::Linear];

    fn coordinates<S: Real>(x: &[Point<S>; 5]) -> [S; 1] {
        [(x[1] - x[0]).dot(x[4].axis())]
    }
}

/// A ring on a rod: a curtain, a trolley.
///
/// ```
/// # use glam::Vec3;
/// # use parry3d::math::Pose;
/// # use xpbd_rigid::prelude::*;
/// # let mut world = World::new(Settings::default())?;
/// # let ring = world.add_body(Body::dynamic(Pose::IDENTITY, Mass::ball(1.0, 0.1)))?;
/// let rod = PointOnLineJoint::new(Vec3::ZERO, Vec3::X).limits(-1.0, 1.0).add_to_world(&mut world, ring)?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct PointOnLineJoint {
    /// The settings that all joints have.
    pub settings: JointSettings,
    /// Limits of the translation \[m\].
    pub limits: Option<JointLimits>,
    /// The motor that moves the second body.
    pub motor: Option<JointMotor>,
}

impl PointOnLineJoint {
    /// Returns a joint that holds the point of the second body at `anchor` \[m\] in the world on a line of the first.
    pub fn new(anchor: Vec3, axis: Vec3) -> Self {
        Self { settings: JointSettings::new(JointFrame::new(anchor, axis)), limits: None, motor: None }
    }

    /// Returns a joint that holds the anchor of a frame on the second body on the axis of one on the first.
    pub fn between(a: JointFrame, b: JointFrame) -> Self {
        Self { settings: JointSettings::on_bodies(a, b), limits: None, motor: None }
    }

    /// Limits the translation \[m\].
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

impl Joint for PointOnLineJoint {
    fn settings(&mut self) -> &mut JointSettings {
        &mut self.settings
    }

    fn parts(&self, [a, b]: [&JointBasis; 2], joint: usize) -> Result<Vec<JointPart>, JointError> {
        let [x0, x1, a0] = linear_attachments(a, b);
        let attachments = [x0, x1, axis(A, a.normal), axis(A, a.binormal()), a0];
        let drives = [AxisDrive { limits: self.limits, motor: self.motor }];
        let lock = axis_lock::<PointOnLineRows, 5, 3, 4, 2, 1>(joint, &self.settings, attachments, drives)?;
        let mut parts = vec![lock];
        if let Some(limits) = self.limits {
            parts.extend(limits.part(joint, JointAxis::Linear, LinearLimitRow, linear_attachments(a, b))?);
        }
        Ok(parts)
    }
}
