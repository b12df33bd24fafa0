//! Two crossed axes (\[Deul14\] §4, universal joint, after Cardano).
//!
//! ```text
//!   a ────┐ a₀
//!       ──┼── b₁    free: turning about a₀, which is fixed to a, and about b₁, which is fixed to b
//!         └──── b   C = (x₁ − x₀, a₀·b₁), three rows [m] and one [rad]
//!                   λ/h²: the force on b [N], and its torque about b₁ × a₀ [N m]
//! ```
//!
//! The angles are those of b about a₀, then about b₁. Where the second one is a quarter turn the axis
//! of b lies along a₀, as in any cross; the joint holds on, but the angles limit each other no more.

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::prelude::*;

use super::geometry::signed_angle;
use super::limit::angular::AngularLimitRow;
use super::limit::{JointLimits, angular_limit_row};
use super::motor::JointMotor;
use super::motor::angular::AngularMotorRow;
use super::part::{A, Attachment, B, JointRole, angular_attachments, axis, point};
use super::settings::JointSettings;
use super::{Joint, JointAxis, JointBasis, JointError, JointFrame, JointPart, diagonal};

/// Holds two points together and two axes at a right angle. Parameters: the compliances of the forces
/// and of the torque as parts of the batch's. Compliance \[m/N and rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct UniversalRows;

impl Constraint<4, 4> for UniversalRows {
    type Parameters<S: Copy> = [S; 2];

    const NAME: &'static str = "universal-joint";

    fn value<S: Real>(x: &Points<S, 4>, _: [S; 2]) -> [S; 4] {
        let d = x.now[1] - x.now[0];
        [d.x, d.y, d.z, x.now[2].axis().dot(x.now[3].axis())]
    }

    fn compliance<S: Real>(alpha: S, [force, torque]: [S; 2]) -> [[S; 4]; 4] {
        let force = alpha * force;
        diagonal([force, force, force, alpha * torque])
    }
}

/// A universal joint with hard stops. Parameters: those of [`UniversalRows`], then middle and half of the
/// ranges of the two turns \[rad\]. Compliance \[m/N and rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct LimitedUniversalRows;

impl Constraint<6, 6> for LimitedUniversalRows {
    type Parameters<S: Copy> = [S; 6];

    const NAME: &'static str = "bounded-universal-joint";

    fn value<S: Real>(x: &Points<S, 6>, [_, _, first, about, second, across]: [S; 6]) -> [S; 6] {
        let d = x.now[1] - x.now[0];
        let [a0, b1, b0, a1] = [2, 3, 4, 5].map(|k| x.now[k].axis());
        let first = angular_limit_row(signed_angle(b1, [b0, a0.cross(b0)]), [first, about]);
        let second = angular_limit_row(signed_angle(a0, [a1, a1.cross(b1)]), [second, across]);
        [d.x, d.y, d.z, a0.dot(b1), first, second]
    }

    fn admissible<S: Real>([x, y, z, cross, first, second]: [S; 6], _: [S; 6], _: S) -> [S; 6] {
        [x, y, z, cross, first.max(S::zero()), second.max(S::zero())]
    }

    fn compliance<S: Real>(alpha: S, [force, torque, ..]: [S; 6]) -> [[S; 6]; 6] {
        let force = alpha * force;
        diagonal([force, force, force, alpha * torque, S::zero(), S::zero()])
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
/// let hip = Universal::new(Vec3::ZERO, Vec3::X, Vec3::Z).limits(-1.0, 1.0).second_limits(-0.4, 0.4);
/// let hip = hip.add_to_world(&mut world, leg)?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct UniversalJoint {
    /// What all joints have.
    pub settings: JointSettings,
    /// Bounds of the turn about the axis of the first body \[rad\].
    pub limits: Option<JointLimits>,
    /// Bounds of the turn about the axis of the second body \[rad\].
    pub second_limits: Option<JointLimits>,
    /// What turns it about the axis of the first body.
    pub motor: Option<JointMotor>,
    /// What turns it about the axis of the second body.
    pub second_motor: Option<JointMotor>,
}

impl UniversalJoint {
    /// Creates a joint at this point \[m\] of the world, with an axis that is fixed to the first body and one,
    /// made perpendicular to it, that is fixed to the second.
    pub fn new(anchor: Vec3, first: Vec3, second: Vec3) -> Self {
        Self::with(JointSettings::new(JointFrame::new(anchor, first).reference_axis(second)))
    }

    /// Creates a joint at a frame on each body: the first body has the axis of its frame, the second the
    /// direction across the axis of its own.
    pub fn between(a: JointFrame, b: JointFrame) -> Self {
        Self::with(JointSettings::on_bodies(a, b))
    }

    fn with(setup: JointSettings) -> Self {
        Self { settings: setup, limits: None, second_limits: None, motor: None, second_motor: None }
    }

    /// With a turn about the axis of the first body within these bounds \[rad\].
    #[must_use]
    pub fn limits(self, low: f32, high: f32) -> Self {
        Self { limits: Some(JointLimits::new(low, high)), ..self }
    }

    /// With a turn about the axis of the second body within these bounds \[rad\].
    #[must_use]
    pub fn second_limits(self, low: f32, high: f32) -> Self {
        Self { second_limits: Some(JointLimits::new(low, high)), ..self }
    }

    /// With a motor about the axis of the first body.
    #[must_use]
    pub fn motor(self, motor: JointMotor) -> Self {
        Self { motor: Some(motor), ..self }
    }

    /// With a motor about the axis of the second body.
    #[must_use]
    pub fn second_motor(self, motor: JointMotor) -> Self {
        Self { second_motor: Some(motor), ..self }
    }
}

/// Returns the axis of the first body seen from the second, which turns the other way about b₁.
fn second_angular_attachments(a: &JointBasis, b: &JointBasis) -> [Attachment; 3] {
    [axis(A, a.axis), axis(B, b.axis), axis(B, b.binormal())]
}

impl Joint for UniversalJoint {
    fn settings(&mut self) -> &mut JointSettings {
        &mut self.settings
    }

    fn parts(&self, [a, b]: [&JointBasis; 2], joint: usize) -> Result<Vec<JointPart>, JointError> {
        let ties = [point(A, a.anchor), point(B, b.anchor), axis(A, a.axis), axis(B, b.normal)];
        let [force, torque] = self.settings.compliance_ratios();
        let mut parts = if JointLimits::any_hard([self.limits, self.second_limits]) {
            let [first, about] = JointLimits::locked_range(self.limits, joint, JointAxis::Angular)?;
            let [second, across] = JointLimits::locked_range(self.second_limits, joint, JointAxis::SecondAngular)?;
            let [x0, x1, a0, b1] = ties;
            let ties = [x0, x1, a0, b1, axis(A, a.normal), axis(B, b.axis)];
            let params = [force, torque, first, about, second, across];
            let hold = JointPart::new(JointRole::Lock, LimitedUniversalRows, ties, params, 3)?;
            vec![hold.limited([(JointAxis::Angular, 2), (JointAxis::SecondAngular, 4)])]
        } else {
            vec![JointPart::new(JointRole::Lock, UniversalRows, ties, [force, torque], 3)?]
        };
        if let Some(motor) = self.motor {
            parts.push(motor.part(joint, JointAxis::Angular, AngularMotorRow, angular_attachments(a, b))?);
        }
        if let Some(motor) = self.second_motor {
            parts.push(motor.part(
                joint,
                JointAxis::SecondAngular,
                AngularMotorRow,
                second_angular_attachments(a, b),
            )?);
        }
        if let Some(limits) = self.limits {
            parts.extend(limits.part(joint, JointAxis::Angular, AngularLimitRow, angular_attachments(a, b))?);
        }
        if let Some(limits) = self.second_limits {
            parts.extend(limits.part(
                joint,
                JointAxis::SecondAngular,
                AngularLimitRow,
                second_angular_attachments(a, b),
            )?);
        }
        Ok(parts)
    }
}
