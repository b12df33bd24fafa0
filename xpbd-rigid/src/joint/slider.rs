//! One axis of translation (\[Deul14\] §4.3, slider or prismatic joint).
//!
//! ```text
//!   ══════╦═══╦══════ a₀    free: translation along a₀
//!         ║ b ║             C = (d·b₀, d·c₀, 2 tan(θ/2) n), two rows [m] and three [rad], d = x₁ − x₀
//!         ╚═══╝             λ/h²: the force on b across a₀ [N], and its torque [N m] in the world
//! ```
//!
//! θ n is the rotation of b against a. A force that b bears far from its anchor rotates a, since the
//! rail is part of a: the gradient has the lever d on a.

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::constraint::Point;
use xpbd_core::scalar::Real;

use super::geometry::{rotation_between, sample_frames};
use super::limit::JointLimits;
use super::limit::rows::LinearLimitRow;
use super::lock::LockRows;
use super::lock::axes::{AxisDrive, FreeAxes, axis_lock};
use super::motor::JointMotor;
use super::part::{A, B, axis, linear_attachments};
use super::{Joint, JointAxis, JointBasis, JointError, JointFrame, JointPart, JointSettings};

/// The rows of a slider: a point stays on a line, and two frames stay parallel.
#[derive(Debug, Clone, Copy)]
pub struct SliderRows;

impl LockRows<6, 5> for SliderRows {
    const NAME: &'static str = "slider-joint";
    const FORCE_ROWS: usize = 2;

    fn rows<S: Real>(x: &[Point<S>; 6]) -> [S; 5] {
        let d = x[1] - x[0];
        let [a0, b0, a1, b1] = [2, 3, 4, 5].map(|k| x[k].axis());
        let rotation = rotation_between([a0, b0], [a1, b1]);
        [d.dot(b0), d.dot(a0.cross(b0)), rotation.x, rotation.y, rotation.z]
    }

    fn sample(number: u32) -> Option<[[f32; 3]; 6]> {
        Some(sample_frames(number))
    }
}

impl FreeAxes<6, 6, 1> for SliderRows {
    const NAME: &'static str = "driven-slider-joint";
    const AXES: [JointAxis; 1] = [JointAxis::Linear];

    fn coordinates<S: Real>(x: &[Point<S>; 6]) -> [S; 1] {
        [(x[1] - x[0]).dot(x[2].axis())]
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
/// let lift = SliderJoint::new(Vec3::ZERO, Vec3::Y).limits(0.0, 12.0);
/// let lift = lift.motor(JointMotor::position(3.0).max_speed(1.5).max_force(8e3)).add_to_world(&mut world, cabin)?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct SliderJoint {
    /// The settings that all joints have.
    pub settings: JointSettings,
    /// Limits of the translation \[m\].
    pub limits: Option<JointLimits>,
    /// The motor that moves the second body.
    pub motor: Option<JointMotor>,
}

impl SliderJoint {
    /// Returns a slider whose anchor \[m\] is at a point of the world, along an axis.
    pub fn new(anchor: Vec3, axis: Vec3) -> Self {
        Self { settings: JointSettings::new(JointFrame::new(anchor, axis)), limits: None, motor: None }
    }

    /// Returns a slider at a frame on each body.
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

impl Joint for SliderJoint {
    fn settings(&mut self) -> &mut JointSettings {
        &mut self.settings
    }

    fn parts(&self, [a, b]: [&JointBasis; 2], joint: usize) -> Result<Vec<JointPart>, JointError> {
        let [x0, x1, a0] = linear_attachments(a, b);
        let attachments = [x0, x1, a0, axis(A, a.normal), axis(B, b.axis), axis(B, b.normal)];
        let drives = [AxisDrive { limits: self.limits, motor: self.motor }];
        let lock = axis_lock::<SliderRows, 6, 6, 6, 5, 1>(joint, &self.settings, attachments, drives)?;
        let mut parts = vec![lock];
        if let Some(limits) = self.limits {
            parts.extend(limits.part(joint, JointAxis::Linear, LinearLimitRow, linear_attachments(a, b))?);
        }
        Ok(parts)
    }
}
