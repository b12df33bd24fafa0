//! A point of b on a line of a (\[Deul14\] §4, target line).
//!
//! ```text
//!   ═══════●═══════ a₀    free: sliding along a₀, swing and twist
//!           \ b           C = (d·b₀, d·c₀), two rows [m], d = x₁ − x₀
//!                         λ/h²: the force on b across a₀ [N]
//! ```

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::prelude::*;

use super::limit::linear::LinearLimitRow;
use super::limit::{JointLimits, limit_row};
use super::motor::JointMotor;
use super::motor::linear::LinearMotorRow;
use super::part::{A, B, JointRole, axis, linear_attachments, point};
use super::settings::JointSettings;
use super::{Joint, JointAxis, JointBasis, JointError, JointFrame, JointPart, diagonal};

/// Holds a point on a line. No parameters. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct PointOnLineRows;

impl Constraint<4, 2> for PointOnLineRows {
    type Parameters<S: Copy> = [S; 0];

    const NAME: &'static str = "line-joint";

    fn value<S: Real>(x: &Points<S, 4>, _: [S; 0]) -> [S; 2] {
        let d = x.now[1] - x.now[0];
        [d.dot(x.now[2].axis()), d.dot(x.now[3].axis())]
    }
}

/// A point on a line with hard stops. Parameters: middle and half of the range of the slide \[m\].
/// Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct LimitedPointOnLineRows;

impl Constraint<5, 3> for LimitedPointOnLineRows {
    type Parameters<S: Copy> = [S; 2];

    const NAME: &'static str = "bounded-line-joint";

    fn value<S: Real>(x: &Points<S, 5>, range: [S; 2]) -> [S; 3] {
        let d = x.now[1] - x.now[0];
        [d.dot(x.now[2].axis()), d.dot(x.now[3].axis()), limit_row(d.dot(x.now[4].axis()), range)]
    }

    fn admissible<S: Real>([b, c, stop]: [S; 3], _: [S; 2], _: S) -> [S; 3] {
        [b, c, stop.max(S::zero())]
    }

    fn compliance<S: Real>(alpha: S, _: [S; 2]) -> [[S; 3]; 3] {
        diagonal([alpha, alpha, S::zero()])
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
pub struct PointOnLineJoint {
    /// What all joints have.
    pub settings: JointSettings,
    /// Bounds of the slide \[m\].
    pub limits: Option<JointLimits>,
    /// What moves it.
    pub motor: Option<JointMotor>,
}

impl PointOnLineJoint {
    /// The point of the second body that is here \[m\] in the world, on a line of the first.
    pub fn new(anchor: Vec3, axis: Vec3) -> Self {
        Self { settings: JointSettings::new(JointFrame::new(anchor, axis)), limits: None, motor: None }
    }

    /// The anchor of a frame on the second body, on the axis of one on the first.
    pub fn between(a: JointFrame, b: JointFrame) -> Self {
        Self { settings: JointSettings::on_bodies(a, b), limits: None, motor: None }
    }

    /// With a slide within these bounds \[m\].
    #[must_use]
    pub fn limits(self, low: f32, high: f32) -> Self {
        Self { limits: Some(JointLimits::new(low, high)), ..self }
    }

    /// With a motor.
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
        let ties = [point(A, a.anchor), point(B, b.anchor), axis(A, a.normal), axis(A, a.binormal())];
        let mut parts = if JointLimits::any_hard([self.limits]) {
            let range = JointLimits::locked_range(self.limits, joint, JointAxis::Linear)?;
            let [x0, x1, b0, c0] = ties;
            let ties = [x0, x1, b0, c0, axis(A, a.axis)];
            vec![
                JointPart::new(JointRole::Lock, LimitedPointOnLineRows, ties, range, 3)?
                    .limited([(JointAxis::Linear, 0)]),
            ]
        } else {
            vec![JointPart::new(JointRole::Lock, PointOnLineRows, ties, [], 2)?]
        };
        if let Some(motor) = self.motor {
            parts.push(motor.part(joint, JointAxis::Linear, LinearMotorRow, linear_attachments(a, b))?);
        }
        if let Some(limits) = self.limits {
            parts.extend(limits.part(joint, JointAxis::Linear, LinearLimitRow, linear_attachments(a, b))?);
        }
        Ok(parts)
    }
}
