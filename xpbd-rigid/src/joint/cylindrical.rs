//! One axis to slide along and to turn about (\[Deul14\] §4, cylindrical joint).
//!
//! ```text
//!   ══════╦═══╦══════ a₀    free: sliding along a₀ and turning about it
//!         ║ b ║ ↻           C = (d·b₀, d·c₀, a₁·b₀, a₁·c₀), two rows [m] and two [rad], d = x₁ − x₀
//!         ╚═══╝             λ/h²: the force on b across a₀ [N], and its torque about c₀ and −b₀ [N m]
//! ```
//!
//! The turn is measured as that of a [hinge](super::hinge), the slide as that of a
//! [slider](super::slider).

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::prelude::*;

use super::geometry::signed_angle;
use super::limit::angular::AngularLimitRow;
use super::limit::linear::LinearLimitRow;
use super::limit::{JointLimits, angular_limit_row, limit_row};
use super::motor::JointMotor;
use super::motor::angular::AngularMotorRow;
use super::motor::linear::LinearMotorRow;
use super::part::{A, B, JointRole, angular_attachments, axis, linear_attachments, point};
use super::settings::JointSettings;
use super::{Joint, JointAxis, JointBasis, JointError, JointFrame, JointPart, diagonal};

/// Holds a point on a line and an axis parallel to it. Parameters: the compliances of the forces and of
/// the torques as parts of the batch's. Compliance \[m/N and rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct CylindricalRows;

impl Constraint<5, 4> for CylindricalRows {
    type Parameters<S: Copy> = [S; 2];

    const NAME: &'static str = "cylindrical-joint";

    fn value<S: Real>(x: &Points<S, 5>, _: [S; 2]) -> [S; 4] {
        let [d, a1] = [x.now[1] - x.now[0], x.now[2].axis()];
        let [b0, c0] = [x.now[3].axis(), x.now[4].axis()];
        [d.dot(b0), d.dot(c0), a1.dot(b0), a1.dot(c0)]
    }

    fn compliance<S: Real>(alpha: S, [force, torque]: [S; 2]) -> [[S; 4]; 4] {
        let (force, torque) = (alpha * force, alpha * torque);
        diagonal([force, force, torque, torque])
    }
}

/// A cylindrical joint with hard stops. Parameters: those of [`CylindricalRows`], then middle and half of
/// the range of the slide \[m\] and of the turn \[rad\]. Compliance \[m/N and rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct LimitedCylindricalRows;

impl Constraint<6, 6> for LimitedCylindricalRows {
    type Parameters<S: Copy> = [S; 6];

    const NAME: &'static str = "bounded-cylindrical-joint";

    fn value<S: Real>(x: &Points<S, 6>, [_, _, slide, along, turn, about]: [S; 6]) -> [S; 6] {
        let d = x.now[1] - x.now[0];
        let [a1, b0, c0, b1] = [2, 3, 4, 5].map(|k| x.now[k].axis());
        let ends = limit_row(d.dot(b0.cross(c0)), [slide, along]);
        let stops = angular_limit_row(signed_angle(b1, [b0, c0]), [turn, about]);
        [d.dot(b0), d.dot(c0), ends, a1.dot(b0), a1.dot(c0), stops]
    }

    fn admissible<S: Real>([x, y, ends, b, c, stops]: [S; 6], _: [S; 6], _: S) -> [S; 6] {
        [x, y, ends.max(S::zero()), b, c, stops.max(S::zero())]
    }

    fn compliance<S: Real>(alpha: S, [force, torque, ..]: [S; 6]) -> [[S; 6]; 6] {
        let (force, torque) = (alpha * force, alpha * torque);
        diagonal([force, force, S::zero(), torque, torque, S::zero()])
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
/// let bolt = Cylindrical::new(Vec3::ZERO, Vec3::X).slide_limits(0.0, 0.1);
/// let bolt = bolt.turn_motor(Motor::velocity(0.0).max_torque(0.2)).add_to_world(&mut world, sleeve)?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CylindricalJoint {
    /// What all joints have.
    pub settings: JointSettings,
    /// Bounds of the turn \[rad\].
    pub angular_limits: Option<JointLimits>,
    /// Bounds of the slide \[m\].
    pub linear_limits: Option<JointLimits>,
    /// What turns it.
    pub angular_motor: Option<JointMotor>,
    /// What moves it along.
    pub linear_motor: Option<JointMotor>,
}

impl CylindricalJoint {
    /// Creates a joint whose anchor \[m\] is at this point of the world, along this axis.
    pub fn new(anchor: Vec3, axis: Vec3) -> Self {
        Self::with(JointSettings::new(JointFrame::new(anchor, axis)))
    }

    /// Creates a joint at a frame on each body.
    pub fn between(a: JointFrame, b: JointFrame) -> Self {
        Self::with(JointSettings::on_bodies(a, b))
    }

    fn with(setup: JointSettings) -> Self {
        Self { settings: setup, angular_limits: None, linear_limits: None, angular_motor: None, linear_motor: None }
    }

    /// With a turn within these bounds \[rad\].
    #[must_use]
    pub fn angular_limits(self, low: f32, high: f32) -> Self {
        Self { angular_limits: Some(JointLimits::new(low, high)), ..self }
    }

    /// With a slide within these bounds \[m\].
    #[must_use]
    pub fn linear_limits(self, low: f32, high: f32) -> Self {
        Self { linear_limits: Some(JointLimits::new(low, high)), ..self }
    }

    /// With a motor that turns.
    #[must_use]
    pub fn angular_motor(self, motor: JointMotor) -> Self {
        Self { angular_motor: Some(motor), ..self }
    }

    /// With a motor that slides.
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
        let ties = [point(A, a.anchor), point(B, b.anchor), axis(B, b.axis), axis(A, a.normal), axis(A, a.binormal())];
        let [force, torque] = self.settings.compliance_ratios();
        let mut parts = if JointLimits::any_hard([self.angular_limits, self.linear_limits]) {
            let [slide, along] = JointLimits::locked_range(self.linear_limits, joint, JointAxis::Linear)?;
            let [turn, about] = JointLimits::locked_range(self.angular_limits, joint, JointAxis::Angular)?;
            let [x0, x1, a1, b0, c0] = ties;
            let ties = [x0, x1, a1, b0, c0, axis(B, b.normal)];
            let params = [force, torque, slide, along, turn, about];
            let hold = JointPart::new(JointRole::Lock, LimitedCylindricalRows, ties, params, 3)?;
            vec![hold.limited([(JointAxis::Linear, 2), (JointAxis::Angular, 4)])]
        } else {
            vec![JointPart::new(JointRole::Lock, CylindricalRows, ties, [force, torque], 2)?]
        };
        if let Some(motor) = self.angular_motor {
            parts.push(motor.part(joint, JointAxis::Angular, AngularMotorRow, angular_attachments(a, b))?);
        }
        if let Some(motor) = self.linear_motor {
            parts.push(motor.part(joint, JointAxis::Linear, LinearMotorRow, linear_attachments(a, b))?);
        }
        if let Some(limits) = self.angular_limits {
            parts.extend(limits.part(joint, JointAxis::Angular, AngularLimitRow, angular_attachments(a, b))?);
        }
        if let Some(limits) = self.linear_limits {
            parts.extend(limits.part(joint, JointAxis::Linear, LinearLimitRow, linear_attachments(a, b))?);
        }
        Ok(parts)
    }
}
