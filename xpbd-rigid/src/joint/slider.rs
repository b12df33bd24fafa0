//! One axis to slide along (\[Deul14\] §4.3, slider or prismatic joint).
//!
//! ```text
//!   ══════╦═══╦══════ a₀    free: sliding along a₀
//!         ║ b ║             C = (d·b₀, d·c₀, 2 tan(θ/2) n), two rows [m] and three [rad], d = x₁ − x₀
//!         ╚═══╝             λ/h²: the force on b across a₀ [N], and its torque [N m] in the world
//! ```
//!
//! θ n is the rotation of b against a. A force that b bears far from its anchor turns a, since the
//! rail is part of a: the gradient has the lever d on a.

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::prelude::*;

use super::geometry::{rotation_between, sample_frame};
use super::limit::linear::LinearLimitRow;
use super::limit::{JointLimits, limit_row};
use super::motor::JointMotor;
use super::motor::linear::LinearMotorRow;
use super::part::{A, B, JointRole, axis, linear_attachments};
use super::settings::JointSettings;
use super::{Joint, JointAxis, JointBasis, JointError, JointFrame, JointPart, diagonal};

/// Holds a point on a line and two frames parallel. Parameters: the compliances of the forces and of
/// the torques as parts of the batch's. Compliance \[m/N and rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct SliderRows;

impl Constraint<6, 5> for SliderRows {
    type Parameters<S: Copy> = [S; 2];

    const NAME: &'static str = "slider-joint";

    fn value<S: Real>(x: &Points<S, 6>, _: [S; 2]) -> [S; 5] {
        let d = x.now[1] - x.now[0];
        let [a0, b0, a1, b1] = [2, 3, 4, 5].map(|k| x.now[k].axis());
        let turn = rotation_between([a0, b0], [a1, b1]);
        [d.dot(b0), d.dot(a0.cross(b0)), turn.x, turn.y, turn.z]
    }

    fn compliance<S: Real>(alpha: S, [force, torque]: [S; 2]) -> [[S; 5]; 5] {
        let (force, torque) = (alpha * force, alpha * torque);
        diagonal([force, force, torque, torque, torque])
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 6], [f32; 2])> {
        let ([x0, a0, b0], [x1, a1, b1]) = (sample_frame(number), sample_frame(number + 1));
        Some(([x0, x1, a0, b0, a1, b1], [1.0, 0.5]))
    }
}

/// A slider with hard stops. Parameters: those of [`SliderRows`], then middle and half of the range of
/// the slide \[m\]. Compliance \[m/N and rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct LimitedSliderRows;

impl Constraint<6, 6> for LimitedSliderRows {
    type Parameters<S: Copy> = [S; 4];

    const NAME: &'static str = "bounded-slider-joint";

    fn value<S: Real>(x: &Points<S, 6>, [force, torque, middle, half]: [S; 4]) -> [S; 6] {
        let slide = (x.now[1] - x.now[0]).dot(x.now[2].axis());
        let [b, c, u, v, w] = SliderRows::value(x, [force, torque]);
        [b, c, limit_row(slide, [middle, half]), u, v, w]
    }

    fn admissible<S: Real>([b, c, stop, u, v, w]: [S; 6], _: [S; 4], _: S) -> [S; 6] {
        [b, c, stop.max(S::zero()), u, v, w]
    }

    fn compliance<S: Real>(alpha: S, [force, torque, _, _]: [S; 4]) -> [[S; 6]; 6] {
        let (force, torque) = (alpha * force, alpha * torque);
        diagonal([force, force, S::zero(), torque, torque, torque])
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 6], [f32; 4])> {
        let (points, [force, torque]) = SliderRows::sample(number)?;
        Some((points, [force, torque, 0.2, 0.1]))
    }
}

/// A slider: a drawer, a piston, a lift.
///
/// ```
/// # use glam::Vec3;
/// # use parry3d::math::Pose;
/// # use xpbd_rigid::prelude::*;
/// # let mut world = World::new(Settings::default())?;
/// # let cabin = world.add_body(Body::dynamic(Pose::IDENTITY, Mass::ball(500.0, 1.0)))?;
/// let lift = Slider::new(Vec3::ZERO, Vec3::Y).limits(0.0, 12.0);
/// let lift = lift.motor(Motor::position(3.0).max_speed(1.5).max_force(8e3)).add_to_world(&mut world, cabin)?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SliderJoint {
    /// What all joints have.
    pub settings: JointSettings,
    /// Bounds of the slide \[m\].
    pub limits: Option<JointLimits>,
    /// What moves it.
    pub motor: Option<JointMotor>,
}

impl SliderJoint {
    /// Creates a slider whose anchor \[m\] is at this point of the world, along this axis.
    pub fn new(anchor: Vec3, axis: Vec3) -> Self {
        Self { settings: JointSettings::new(JointFrame::new(anchor, axis)), limits: None, motor: None }
    }

    /// Creates a slider at a frame on each body.
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

impl Joint for SliderJoint {
    fn settings(&mut self) -> &mut JointSettings {
        &mut self.settings
    }

    fn parts(&self, [a, b]: [&JointBasis; 2], joint: usize) -> Result<Vec<JointPart>, JointError> {
        let [x0, x1, a0] = linear_attachments(a, b);
        let ties = [x0, x1, a0, axis(A, a.normal), axis(B, b.axis), axis(B, b.normal)];
        let [force, torque] = self.settings.compliance_ratios();
        let mut parts = if JointLimits::any_hard([self.limits]) {
            let [middle, half] = JointLimits::locked_range(self.limits, joint, JointAxis::Linear)?;
            let params = [force, torque, middle, half];
            vec![JointPart::new(JointRole::Lock, LimitedSliderRows, ties, params, 3)?.limited([(JointAxis::Linear, 2)])]
        } else {
            vec![JointPart::new(JointRole::Lock, SliderRows, ties, [force, torque], 2)?]
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
