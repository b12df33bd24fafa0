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

use super::geometry::angle_of;
use super::limit::cone::ConeLimit;
use super::limit::twist::{TwistLimit, twist};
use super::limit::{Limits, angle_bound, bound};
use super::part::{A, B, Role, axis, point};
use super::setup::Setup;
use super::{Axes, Frame, Freedom, Joint, JointError, Part, diagonal};

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
pub struct BoundedBallRows;

impl Constraint<6, 5> for BoundedBallRows {
    type Parameters<S: Copy> = [S; 4];

    const NAME: &'static str = "bounded-ball-joint";

    fn value<S: Real>(x: &Points<S, 6>, [low, swing, middle, half]: [S; 4]) -> [S; 5] {
        let d = x.now[1] - x.now[0];
        let [a0, b0, a1, b1] = [2, 3, 4, 5].map(|k| x.now[k].axis());
        let twist = twist([b0, a0.cross(b0)], [b1, a1.cross(b1)]);
        let (cone, range) = (bound(angle_of(a0, a1), [low, swing]), angle_bound(twist, [middle, half]));
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
pub struct Ball {
    /// What all joints have.
    pub setup: Setup,
    /// Bounds of the swing \[rad\]; the lower one is 0.
    pub swing: Option<Limits>,
    /// Bounds of the twist \[rad\].
    pub twist: Option<Limits>,
}

impl Ball {
    /// A joint at this point \[m\] of the world, whose axis is y.
    pub fn new(anchor: Vec3) -> Self {
        Self { setup: Setup::new(Frame::new(anchor, Vec3::Y)), swing: None, twist: None }
    }

    /// A joint at a frame on each body.
    pub fn between(a: Frame, b: Frame) -> Self {
        Self { setup: Setup::on_bodies(a, b), swing: None, twist: None }
    }

    /// With this axis in the world, from which the swing is measured and about which the twist.
    #[must_use]
    pub fn axis(mut self, axis: Vec3) -> Self {
        self.setup.placement = self.setup.placement.about(axis);
        self
    }

    /// With an axis that stays within this angle \[rad\], at most π, of where it began.
    #[must_use]
    pub fn swing(self, angle: f32) -> Self {
        Self { swing: Some(Limits::new(0.0, angle)), ..self }
    }

    /// With a twist within these bounds \[rad\].
    #[must_use]
    pub fn twist(self, low: f32, high: f32) -> Self {
        Self { twist: Some(Limits::new(low, high)), ..self }
    }
}

impl Joint for Ball {
    fn setup(&mut self) -> &mut Setup {
        &mut self.setup
    }

    fn parts(&self, [a, b]: [&Axes; 2], joint: usize) -> Result<Vec<Part>, JointError> {
        let (swing, points) = (Limits::cone(self.swing, joint)?, [point(A, a.point), point(B, b.point)]);
        let mut parts = if Limits::any_hard([swing, self.twist]) {
            let [low, cone] = Limits::of_hold(swing, joint, Freedom::Swing)?;
            let [middle, half] = Limits::of_hold(self.twist, joint, Freedom::Twist)?;
            let [a0, b0] = [a.axis, a.across].map(|local| axis(A, local));
            let [a1, b1] = [b.axis, b.across].map(|local| axis(B, local));
            let ties = [points[0], points[1], a0, b0, a1, b1];
            let hold = Part::new(Role::Hold, BoundedBallRows, ties, [low, cone, middle, half], 3)?;
            vec![hold.bounded([(Freedom::Swing, 0), (Freedom::Twist, 2)])]
        } else {
            vec![Part::new(Role::Hold, BallRows, points, [], 3)?]
        };
        if let Some(limits) = swing {
            let ties = [axis(A, a.axis), axis(B, b.axis)];
            parts.extend(limits.part(joint, Freedom::Swing, ConeLimit, ties)?);
        }
        if let Some(limits) = self.twist {
            let ties = [axis(B, b.across), axis(B, b.third()), axis(A, a.across), axis(A, a.third())];
            parts.extend(limits.part(joint, Freedom::Twist, TwistLimit, ties)?);
        }
        Ok(parts)
    }
}
