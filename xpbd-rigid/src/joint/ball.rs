//! Two points held together (\[Deul14\] §4.1, ball joint).
//!
//! ```text
//!        a          free: swing and twist
//!      ──●──        C = x₁ − x₀, three rows [m]
//!         \ b       λ/h² is the force on b [N]
//! ```
//!
//! The rotation of b is taken apart into a twist about its axis and a swing of the axis; a
//! [cone](super::limit::cone) bounds the swing, and a [range](super::limit::twist) the twist. At a swing
//! of half a turn the twist is not defined.

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::prelude::*;

use super::geometry::unsigned_angle;
use super::limit::swing::SwingLimitRow;
use super::limit::twist::{TwistLimitRow, twist};
use super::limit::{JointLimits, angular_limit_row, limit_row};
use super::part::{A, B, JointRole, axis, point};
use super::settings::JointSettings;
use super::{Joint, JointAxis, JointBasis, JointError, JointFrame, JointPart, diagonal};

/// Holds two points together. No parameters. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct BallRows;

impl Constraint<2, 3> for BallRows {
    type Parameters<S: Copy> = [S; 0];

    const NAME: &'static str = "ball-joint";

    fn value<S: Real>(x: &Points<S, 2>, _: [S; 0]) -> [S; 3] {
        (x.now[1] - x.now[0]).to_array()
    }
}

/// A ball joint with hard stops. Parameters: middle and half of the ranges of swing and twist \[rad\].
/// Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct LimitedBallRows;

impl Constraint<6, 5> for LimitedBallRows {
    type Parameters<S: Copy> = [S; 4];

    const NAME: &'static str = "bounded-ball-joint";

    fn value<S: Real>(x: &Points<S, 6>, [low, swing, middle, half]: [S; 4]) -> [S; 5] {
        let d = x.now[1] - x.now[0];
        let [a0, b0, a1, b1] = [2, 3, 4, 5].map(|k| x.now[k].axis());
        let twist = twist([b0, a0.cross(b0)], [b1, a1.cross(b1)]);
        let (cone, range) = (limit_row(unsigned_angle(a0, a1), [low, swing]), angular_limit_row(twist, [middle, half]));
        [d.x, d.y, d.z, cone, range]
    }

    fn admissible<S: Real>([x, y, z, cone, range]: [S; 5], _: [S; 4], _: S) -> [S; 5] {
        [x, y, z, cone.max(S::zero()), range.max(S::zero())]
    }

    fn compliance<S: Real>(alpha: S, _: [S; 4]) -> [[S; 5]; 5] {
        diagonal([alpha, alpha, alpha, S::zero(), S::zero()])
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
/// let shoulder = Ball::new(Vec3::ZERO).axis(Vec3::NEG_Y).swing(1.2).twist(-0.5, 0.5);
/// let shoulder = shoulder.add_to_world(&mut world, arm)?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BallJoint {
    /// What all joints have.
    pub settings: JointSettings,
    /// Bounds of the swing \[rad\]; the lower one is 0.
    pub swing_limit: Option<JointLimits>,
    /// Bounds of the twist \[rad\].
    pub twist_limit: Option<JointLimits>,
}

impl BallJoint {
    /// Creates a joint at this point \[m\] of the world, whose axis is y.
    pub fn new(anchor: Vec3) -> Self {
        Self { settings: JointSettings::new(JointFrame::new(anchor, Vec3::Y)), swing_limit: None, twist_limit: None }
    }

    /// Creates a joint at a frame on each body.
    pub fn between(a: JointFrame, b: JointFrame) -> Self {
        Self { settings: JointSettings::on_bodies(a, b), swing_limit: None, twist_limit: None }
    }

    /// With this axis in the world, from which the swing is measured and about which the twist.
    #[must_use]
    pub fn axis(mut self, axis: Vec3) -> Self {
        self.settings.placement = self.settings.placement.with_axis(axis);
        self
    }

    /// With an axis that stays within this angle \[rad\], at most π, of where it began.
    #[must_use]
    pub fn swing_limit(self, angle: f32) -> Self {
        Self { swing_limit: Some(JointLimits::new(0.0, angle)), ..self }
    }

    /// With a twist within these bounds \[rad\].
    #[must_use]
    pub fn twist_limit(self, low: f32, high: f32) -> Self {
        Self { twist_limit: Some(JointLimits::new(low, high)), ..self }
    }
}

impl Joint for BallJoint {
    fn settings(&mut self) -> &mut JointSettings {
        &mut self.settings
    }

    fn parts(&self, [a, b]: [&JointBasis; 2], joint: usize) -> Result<Vec<JointPart>, JointError> {
        let (swing, points) = (JointLimits::cone(self.swing_limit, joint)?, [point(A, a.anchor), point(B, b.anchor)]);
        let mut parts = if JointLimits::any_hard([swing, self.twist_limit]) {
            let [low, cone] = JointLimits::locked_range(swing, joint, JointAxis::Swing)?;
            let [middle, half] = JointLimits::locked_range(self.twist_limit, joint, JointAxis::Twist)?;
            let [a0, b0] = [a.axis, a.normal].map(|local| axis(A, local));
            let [a1, b1] = [b.axis, b.normal].map(|local| axis(B, local));
            let ties = [points[0], points[1], a0, b0, a1, b1];
            let hold = JointPart::new(JointRole::Lock, LimitedBallRows, ties, [low, cone, middle, half], 3)?;
            vec![hold.limited([(JointAxis::Swing, 0), (JointAxis::Twist, 2)])]
        } else {
            vec![JointPart::new(JointRole::Lock, BallRows, points, [], 3)?]
        };
        if let Some(limits) = swing {
            let ties = [axis(A, a.axis), axis(B, b.axis)];
            parts.extend(limits.part(joint, JointAxis::Swing, SwingLimitRow, ties)?);
        }
        if let Some(limits) = self.twist_limit {
            let ties = [axis(B, b.normal), axis(B, b.binormal()), axis(A, a.normal), axis(A, a.binormal())];
            parts.extend(limits.part(joint, JointAxis::Twist, TwistLimitRow, ties)?);
        }
        Ok(parts)
    }
}
