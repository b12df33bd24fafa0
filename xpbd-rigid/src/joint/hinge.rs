//! One axis to turn about (\[Deul14\] §4.2, hinge joint).
//!
//! ```text
//!     │ a            free: turning about a
//!   ┌─┴─┐            C = (x₁ − x₀, a₁·b₀, a₁·c₀), three rows [m] and two [rad]
//!   │ b ├──── b      λ/h²: the force on b [N], and its torque about c₀ and −b₀ [N m]
//!   └─┬─┘
//! ```
//!
//! The turn is atan2(b₁·c₀, b₁·b₀), within ±π: [limits](super::limit::angle) may span the half turn, and
//! [motors](super::motor::angle) turn on through it, but whole turns are not counted.

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::prelude::*;

use super::geometry::signed_angle;
use super::limit::angular::AngularLimitRow;
use super::limit::{JointLimits, angular_limit_row};
use super::motor::JointMotor;
use super::motor::angular::AngularMotorRow;
use super::part::{A, B, JointRole, angular_attachments, axis, point};
use super::settings::JointSettings;
use super::{Joint, JointAxis, JointBasis, JointError, JointFrame, JointPart, diagonal};

/// Holds two points together and an axis across two others. Parameters: the compliances of the forces
/// and of the torques as parts of the batch's. Compliance \[m/N and rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct HingeRows;

impl Constraint<5, 5> for HingeRows {
    type Parameters<S: Copy> = [S; 2];

    const NAME: &'static str = "hinge-joint";

    fn value<S: Real>(x: &Points<S, 5>, _: [S; 2]) -> [S; 5] {
        let [d, a1] = [x.now[1] - x.now[0], x.now[2].axis()];
        [d.x, d.y, d.z, a1.dot(x.now[3].axis()), a1.dot(x.now[4].axis())]
    }

    fn compliance<S: Real>(alpha: S, [force, torque]: [S; 2]) -> [[S; 5]; 5] {
        let (force, torque) = (alpha * force, alpha * torque);
        diagonal([force, force, force, torque, torque])
    }
}

/// A hinge with hard stops. Parameters: those of [`HingeRows`], then middle and half of the range of the
/// turn \[rad\]. Compliance \[m/N and rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct LimitedHingeRows;

impl Constraint<6, 6> for LimitedHingeRows {
    type Parameters<S: Copy> = [S; 4];

    const NAME: &'static str = "bounded-hinge-joint";

    fn value<S: Real>(x: &Points<S, 6>, [_, _, middle, half]: [S; 4]) -> [S; 6] {
        let d = x.now[1] - x.now[0];
        let [a1, b0, c0, b1] = [2, 3, 4, 5].map(|k| x.now[k].axis());
        let stop = angular_limit_row(signed_angle(b1, [b0, c0]), [middle, half]);
        [d.x, d.y, d.z, a1.dot(b0), a1.dot(c0), stop]
    }

    fn admissible<S: Real>([x, y, z, b, c, stop]: [S; 6], _: [S; 4], _: S) -> [S; 6] {
        [x, y, z, b, c, stop.max(S::zero())]
    }

    fn compliance<S: Real>(alpha: S, [force, torque, _, _]: [S; 4]) -> [[S; 6]; 6] {
        let (force, torque) = (alpha * force, alpha * torque);
        diagonal([force, force, force, torque, torque, S::zero()])
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
/// let axle = Hinge::new(Vec3::X, Vec3::X).motor(Motor::velocity(20.0).max_torque(300.0));
/// let axle = axle.add(&mut world, car, wheel)?;
/// axle.set_motor(&mut world, Freedom::Angular, Motor::velocity(0.0).max_torque(1e3))?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HingeJoint {
    /// What all joints have.
    pub settings: JointSettings,
    /// Bounds of the turn \[rad\].
    pub limits: Option<JointLimits>,
    /// What turns it.
    pub motor: Option<JointMotor>,
}

impl HingeJoint {
    /// Creates a hinge at this point \[m\] of the world, about this axis.
    pub fn new(anchor: Vec3, axis: Vec3) -> Self {
        Self { settings: JointSettings::new(JointFrame::new(anchor, axis)), limits: None, motor: None }
    }

    /// Creates a hinge at a frame on each body.
    pub fn between(a: JointFrame, b: JointFrame) -> Self {
        Self { settings: JointSettings::on_bodies(a, b), limits: None, motor: None }
    }

    /// With a turn within these bounds \[rad\].
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

impl Joint for HingeJoint {
    fn settings(&mut self) -> &mut JointSettings {
        &mut self.settings
    }

    fn parts(&self, [a, b]: [&JointBasis; 2], joint: usize) -> Result<Vec<JointPart>, JointError> {
        let ties = [point(A, a.anchor), point(B, b.anchor), axis(B, b.axis), axis(A, a.normal), axis(A, a.binormal())];
        let [force, torque] = self.settings.compliance_ratios();
        let mut parts = if JointLimits::any_hard([self.limits]) {
            let [middle, half] = JointLimits::locked_range(self.limits, joint, JointAxis::Angular)?;
            let [x0, x1, a1, b0, c0] = ties;
            let (ties, params) = ([x0, x1, a1, b0, c0, axis(B, b.normal)], [force, torque, middle, half]);
            vec![JointPart::new(JointRole::Lock, LimitedHingeRows, ties, params, 3)?.limited([(JointAxis::Angular, 2)])]
        } else {
            vec![JointPart::new(JointRole::Lock, HingeRows, ties, [force, torque], 3)?]
        };
        if let Some(motor) = self.motor {
            parts.push(motor.part(joint, JointAxis::Angular, AngularMotorRow, angular_attachments(a, b))?);
        }
        if let Some(limits) = self.limits {
            parts.extend(limits.part(joint, JointAxis::Angular, AngularLimitRow, angular_attachments(a, b))?);
        }
        Ok(parts)
    }
}
