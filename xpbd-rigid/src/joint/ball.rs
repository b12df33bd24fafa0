//! Two points held together (\[Deul14\] §4.1, ball joint).
//!
//! ```text
//!        a          free: swing and twist
//!      ──●──        C = x₁ − x₀, three rows [m]
//!         \ b       λ/h² is the force on b [N]
//! ```
//!
//! The rotation of b consists of a twist about its axis and a swing of the axis; each can be limited. At a swing
//! of half a turn the twist is not defined. A [motor](RotationMotor) drives the rotation as a whole.

pub mod drive;

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::constraint::Point;
use xpbd_core::scalar::Real;

use self::drive::{BallDrive, BallDriveParameters};
use super::axis::AxisRows;
use super::geometry::{twist_angle, unsigned_angle};
use super::limit::JointLimits;
use super::limit::rows::{SwingLimitRow, TwistLimitRow};
use super::lock::axes::{AxisDrive, FreeAxes, axis_lock, axis_lock_parameters};
use super::lock::{LockRows, damping_of_batch};
use super::motor::rotation::RotationMotorParameters;
use super::part::{A, Attachment, B, JointRole, ParameterLayout, axis, point, twist_attachments};
use super::{Joint, JointAxis, JointBasis, JointError, JointFrame, JointPart, JointSettings, RotationMotor};

/// The rows of a ball joint: two points coincide.
#[derive(Debug, Clone, Copy)]
pub struct BallRows;

impl LockRows<2, 3> for BallRows {
    const NAME: &'static str = "ball-joint";
    const FORCE_ROWS: usize = 3;

    fn rows<S: Real>(x: &[Point<S>; 2]) -> [S; 3] {
        (x[1] - x[0]).to_array()
    }
}

impl FreeAxes<6, 5, 2> for BallRows {
    const NAME: &'static str = "driven-ball-joint";
    const AXES: [JointAxis; 2] = [JointAxis::Swing, JointAxis::Twist];
    const HAS_MOTORS: bool = false;

    fn coordinates<S: Real>(x: &[Point<S>; 6]) -> [S; 2] {
        let [a0, b0, a1, b1] = [2, 3, 4, 5].map(|k| x[k].axis());
        let twist = twist_angle([b0, a0.cross(b0)], [b1, a1.cross(b1)]);
        [unsigned_angle(a0, a1), twist]
    }
}

/// A ball and socket: a shoulder, a link of a chain.
///
/// ```
/// # use glam::Vec3;
/// # use parry3d::math::Pose;
/// # use xpbd_rigid::prelude::*;
/// # let mut world = World::new(Settings::default())?;
/// # let arm = world.add_body(Body::dynamic(Pose::translation(0.0, -0.3, 0.0), Mass::ball(1.0, 0.1)))?;
/// let shoulder = BallJoint::new(Vec3::ZERO).axis(Vec3::NEG_Y).swing_limit(1.2).twist_limit(-0.5, 0.5);
/// let shoulder = shoulder.add_to_world(&mut world, arm)?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct BallJoint {
    /// The settings that all joints have.
    pub settings: JointSettings,
    /// Limit of the swing \[rad\]; the lower one is 0.
    pub swing_limit: Option<JointLimits>,
    /// Limits of the twist \[rad\].
    pub twist_limit: Option<JointLimits>,
    /// The motor that rotates the second body.
    pub motor: Option<RotationMotor>,
}

impl BallJoint {
    /// Returns a joint at a point \[m\] of the world, whose axis is y.
    pub fn new(anchor: Vec3) -> Self {
        Self::with(JointSettings::new(JointFrame::new(anchor, Vec3::Y)))
    }

    /// Returns a joint at a frame on each body.
    pub fn between(a: JointFrame, b: JointFrame) -> Self {
        Self::with(JointSettings::on_bodies(a, b))
    }

    fn with(settings: JointSettings) -> Self {
        Self { settings, swing_limit: None, twist_limit: None, motor: None }
    }

    /// Sets the axis in the world, from which the swing and about which the twist is measured.
    #[must_use]
    pub fn axis(mut self, axis: Vec3) -> Self {
        self.settings.placement = self.settings.placement.with_axis(axis);
        self
    }

    /// Limits the angle \[rad\], at most π, between the axis and where it began.
    #[must_use]
    pub fn swing_limit(self, angle: f32) -> Self {
        Self { swing_limit: Some(JointLimits::new(0.0, angle)), ..self }
    }

    /// Limits the twist \[rad\].
    #[must_use]
    pub fn twist_limit(self, min: f32, max: f32) -> Self {
        Self { twist_limit: Some(JointLimits::new(min, max)), ..self }
    }

    /// Sets the motor.
    #[must_use]
    pub fn motor(self, motor: RotationMotor) -> Self {
        Self { motor: Some(motor), ..self }
    }

    /// Returns the constraint of the joint with its motor, over the same points and axes as that without.
    fn driven_lock(
        &self,
        joint: usize,
        motor: RotationMotorParameters,
        attachments: [Attachment; 6],
        drives: [AxisDrive; 2],
    ) -> Result<JointPart, JointError> {
        let (axes, rows) = axis_lock_parameters(joint, &self.settings, const { &BallRows::AXES }, drives)?;
        let parameters = BallDriveParameters { axes, motor };
        let part = JointPart::new(JointRole::Lock, BallDrive, attachments, parameters, BallRows::FORCE_ROWS)?;
        let layout = ParameterLayout::AxisLock(AxisRows { has_rotation_motor: true, ..rows });
        Ok(part.soft(1.0, damping_of_batch(parameters.is_damped())).layout(layout))
    }
}

impl Joint for BallJoint {
    fn settings(&mut self) -> &mut JointSettings {
        &mut self.settings
    }

    fn parts(&self, [a, b]: [&JointBasis; 2], joint: usize) -> Result<Vec<JointPart>, JointError> {
        let [a0, b0] = [a.axis, a.normal].map(|local| axis(A, local));
        let [a1, b1] = [b.axis, b.normal].map(|local| axis(B, local));
        let attachments = [point(A, a.anchor), point(B, b.anchor), a0, b0, a1, b1];
        let drives = [self.swing_limit, self.twist_limit].map(|limits| AxisDrive { limits, motor: None });
        let lock = match self.motor {
            Some(motor) => self.driven_lock(joint, motor.parameters(joint, a)?, attachments, drives)?,
            None => axis_lock::<BallRows, 6, 5, 2, 3, 2>(joint, &self.settings, attachments, drives)?,
        };
        let mut parts = vec![lock];
        if let Some(limits) = self.swing_limit {
            parts.extend(limits.part(joint, JointAxis::Swing, SwingLimitRow, [a0, a1])?);
        }
        if let Some(limits) = self.twist_limit {
            parts.extend(limits.part(joint, JointAxis::Twist, TwistLimitRow, twist_attachments(a, b))?);
        }
        Ok(parts)
    }
}
