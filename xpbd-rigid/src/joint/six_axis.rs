//! Six axes, each of which is locked, limited, driven or free.
//!
//! ```text
//!   coordinates of b against a, with d = x₁ − x₀ and the axes (a, b, c) of the joint on each body:
//!     d·a₀, d·b₀, d·c₀                     translations [m]
//!     atan2(b₁·c₀ − c₁·b₀, b₁·b₀ + c₁·c₀)  twist about a [rad]
//!     2 atan2(−a₁·c₀, 1 + a₀·a₁)           first swing, toward −c [rad]
//!     2 atan2(a₁·b₀, 1 + a₀·a₁)            second swing, toward b [rad]
//! ```
//!
//! A swing about b₀ alone is the first swing, and one about c₀ alone the second; of a swing about a direction between the
//! two, the half-angle tangents are the components of its own. Every axis is one row of the block: a locked one is a
//! motor without a bound that stays at 0. Where the axis of b points against that of a, neither swings nor twist are
//! defined: a joint that rotates by more than half a turn does so about its axis, by the twist.

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::constraint::Point;
use xpbd_core::scalar::Real;

use super::geometry::{partial_swing, sample_frames, twist_angle};
use super::limit::JointLimits;
use super::limit::rows::{LinearLimitRow, PartialSwingLimitRow, TwistLimitRow};
use super::lock::LockRows;
use super::lock::axes::{AxisDrive, FreeAxes, axis_lock_parameters, axis_lock_part};
use super::motor::JointMotor;
use super::part::{A, B, axis, point, twist_attachments};
use super::{Joint, JointAxis, JointBasis, JointError, JointFrame, JointPart, JointSettings};

/// The rows of a joint of six axes, all of which are axes; `ANCHORED` if all translations are locked.
#[derive(Debug, Clone, Copy)]
pub struct SixAxisRows<const ANCHORED: bool>;

impl<const ANCHORED: bool> LockRows<0, 0> for SixAxisRows<ANCHORED> {
    const NAME: &'static str = "six-axis-joint-without-axes";
    const FORCE_ROWS: usize = 0;
    const ANCHORS_COINCIDE: bool = ANCHORED;

    fn rows<S: Real>(_: &[Point<S>; 0]) -> [S; 0] {
        []
    }
}

/// The axes of the joint, in the order of its rows.
const AXES: [JointAxis; 6] = [
    JointAxis::Linear,
    JointAxis::SecondLinear,
    JointAxis::ThirdLinear,
    JointAxis::Twist,
    JointAxis::FirstSwing,
    JointAxis::SecondSwing,
];

impl<const ANCHORED: bool> FreeAxes<6, 6, 6> for SixAxisRows<ANCHORED> {
    const NAME: &'static str = if ANCHORED { "anchored-six-axis-joint" } else { "six-axis-joint" };
    const AXES: [JointAxis; 6] = AXES;

    fn coordinates<S: Real>(x: &[Point<S>; 6]) -> [S; 6] {
        let d = x[1] - x[0];
        let [a0, b0, a1, b1] = [2, 3, 4, 5].map(|k| x[k].axis());
        let c0 = a0.cross(b0);
        let twist = twist_angle([b0, c0], [b1, a1.cross(b1)]);
        [d.dot(a0), d.dot(b0), d.dot(c0), twist, partial_swing(a1, [a0, -c0]), partial_swing(a1, [a0, b0])]
    }

    fn sample(number: u32) -> Option<[[f32; 3]; 6]> {
        Some(sample_frames(number))
    }
}

/// The motion that an axis of a joint of six axes allows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum AxisMotion {
    /// No motion, as far as the compliance of the joint lets it be so.
    Fixed,
    /// Motion within limits, by a motor.
    Free {
        /// Limits of the axis, if it has any.
        limits: Option<JointLimits>,
        /// Motor of the axis, if it has one.
        motor: Option<JointMotor>,
    },
}

impl AxisMotion {
    /// Returns its limits and its motor.
    fn parts(self) -> (Option<JointLimits>, Option<JointMotor>) {
        match self {
            Self::Fixed => (None, None),
            Self::Free { limits, motor } => (limits, motor),
        }
    }
}

/// A joint of six axes, all of which are locked until they are given free: a car's suspension, a bushing, a crane.
///
/// ```
/// # use glam::Vec3;
/// # use parry3d::math::Pose;
/// # use xpbd_rigid::prelude::*;
/// # let mut world = World::new(Settings::default())?;
/// # let car = world.add_body(Body::dynamic(Pose::IDENTITY, Mass::ball(800.0, 1.0)))?;
/// # let wheel = world.add_body(Body::dynamic(Pose::translation(1.0, -0.5, 0.0), Mass::ball(20.0, 0.3)))?;
/// let frame = JointFrame::new(Vec3::new(1.0, -0.5, 0.0), Vec3::X).reference_axis(Vec3::Y);
/// let strut = JointMotor::position(0.0).spring(4e4, 3e3);
/// let suspension = SixAxisJoint::new(frame)
///     .free(JointAxis::Twist)
///     .limits(JointAxis::SecondLinear, -0.1, 0.2)
///     .motor(JointAxis::SecondLinear, strut)
///     .add(&mut world, car, wheel)?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct SixAxisJoint {
    /// The settings that all joints have; the compliance is that of locked axes.
    pub settings: JointSettings,
    /// The motion of each axis: the translations along the axis, the reference axis and across both, then the twist and the
    /// two swings.
    pub axes: [AxisMotion; 6],
}

impl SixAxisJoint {
    /// Returns a joint at a frame in the world, all axes of which are locked.
    pub fn new(frame: JointFrame) -> Self {
        Self { settings: JointSettings::new(frame), axes: [AxisMotion::Fixed; 6] }
    }

    /// Returns a joint at a frame on each body, all axes of which are locked.
    pub fn between(a: JointFrame, b: JointFrame) -> Self {
        Self { settings: JointSettings::on_bodies(a, b), axes: [AxisMotion::Fixed; 6] }
    }

    /// Frees an axis.
    #[must_use]
    pub fn free(self, axis: JointAxis) -> Self {
        self.change(axis, |_, _| {})
    }

    /// Frees an axis within hard limits \[m or rad\].
    #[must_use]
    pub fn limits(self, axis: JointAxis, min: f32, max: f32) -> Self {
        self.joint_limits(axis, JointLimits::new(min, max))
    }

    /// Frees an axis within limits.
    #[must_use]
    pub fn joint_limits(self, axis: JointAxis, joint_limits: JointLimits) -> Self {
        self.change(axis, |limits, _| *limits = Some(joint_limits))
    }

    /// Frees an axis and drives it by a motor.
    #[must_use]
    pub fn motor(self, axis: JointAxis, joint_motor: JointMotor) -> Self {
        self.change(axis, |_, motor| *motor = Some(joint_motor))
    }

    /// Frees an axis and sets its limits and its motor; an axis that the joint does not have changes nothing.
    fn change(
        mut self,
        axis: JointAxis,
        change: impl FnOnce(&mut Option<JointLimits>, &mut Option<JointMotor>),
    ) -> Self {
        if let Some(k) = AXES.iter().position(|&other| other == axis) {
            let (mut limits, mut motor) = self.axes[k].parts();
            change(&mut limits, &mut motor);
            self.axes[k] = AxisMotion::Free { limits, motor };
        }
        self
    }

    /// Returns the soft limits of an axis as a constraint, if it has any.
    fn soft_limits(&self, joint: usize, [a, b]: [&JointBasis; 2], k: usize) -> Result<Option<JointPart>, JointError> {
        let Some(limits) = self.axes[k].parts().0 else { return Ok(None) };
        let along = |direction: Vec3| [point(A, a.anchor), point(B, b.anchor), axis(A, direction)];
        let toward = |direction: Vec3| [axis(B, b.axis), axis(A, a.axis), axis(A, direction)];
        match AXES[k] {
            free @ JointAxis::Linear => limits.part(joint, free, LinearLimitRow, along(a.axis)),
            free @ JointAxis::SecondLinear => limits.part(joint, free, LinearLimitRow, along(a.normal)),
            free @ JointAxis::ThirdLinear => limits.part(joint, free, LinearLimitRow, along(a.binormal())),
            free @ JointAxis::FirstSwing => limits.part(joint, free, PartialSwingLimitRow, toward(-a.binormal())),
            free @ JointAxis::SecondSwing => limits.part(joint, free, PartialSwingLimitRow, toward(a.normal)),
            free => limits.part(joint, free, TwistLimitRow, twist_attachments(a, b)),
        }
    }
}

impl Joint for SixAxisJoint {
    fn settings(&mut self) -> &mut JointSettings {
        &mut self.settings
    }

    fn parts(&self, bases: [&JointBasis; 2], joint: usize) -> Result<Vec<JointPart>, JointError> {
        let [a, b] = bases;
        let [a0, b0] = [a.axis, a.normal].map(|local| axis(A, local));
        let [a1, b1] = [b.axis, b.normal].map(|local| axis(B, local));
        let attachments = [point(A, a.anchor), point(B, b.anchor), a0, b0, a1, b1];
        let drives = self.axes.map(|motion| {
            let (limits, motor) = motion.parts();
            AxisDrive { limits, motor }
        });
        let (mut parameters, mut rows) = axis_lock_parameters(joint, &self.settings, &AXES, drives)?;
        rows.locked = self.axes.map(|motion| motion == AxisMotion::Fixed);
        parameters.lock_axes(&rows);
        let lock = match rows.locked {
            [true, true, true, ..] => {
                axis_lock_part::<SixAxisRows<true>, 6, 6, 0, 0, 6>(attachments, parameters, rows)?
            }
            _ => axis_lock_part::<SixAxisRows<false>, 6, 6, 0, 0, 6>(attachments, parameters, rows)?,
        };
        let mut parts = vec![lock];
        for k in 0..6 {
            parts.extend(self.soft_limits(joint, bases, k)?);
        }
        Ok(parts)
    }
}
