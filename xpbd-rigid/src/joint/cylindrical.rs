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

use super::geometry::angle_between;
use super::limit::angle::AngleLimit;
use super::limit::slide::SlideLimit;
use super::limit::{Limits, angle_bound, bound};
use super::motor::Motor;
use super::motor::angle::AngleMotor;
use super::motor::slide::SlideMotor;
use super::part::{A, B, Role, axis, point, sliding, turning};
use super::setup::Setup;
use super::{Axes, Frame, Freedom, Joint, JointError, Part, diagonal};

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
pub struct BoundedCylindricalRows;

impl Constraint<6, 6> for BoundedCylindricalRows {
    type Parameters<S: Copy> = [S; 6];

    const NAME: &'static str = "bounded-cylindrical-joint";

    fn value<S: Real>(x: &Points<S, 6>, [_, _, slide, along, turn, about]: [S; 6]) -> [S; 6] {
        let d = x.now[1] - x.now[0];
        let [a1, b0, c0, b1] = [2, 3, 4, 5].map(|k| x.now[k].axis());
        let ends = bound(d.dot(b0.cross(c0)), [slide, along]);
        let stops = angle_bound(angle_between(b1, [b0, c0]), [turn, about]);
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
pub struct Cylindrical {
    /// What all joints have.
    pub setup: Setup,
    /// Bounds of the turn \[rad\].
    pub turn_limits: Option<Limits>,
    /// Bounds of the slide \[m\].
    pub slide_limits: Option<Limits>,
    /// What turns it.
    pub turn_motor: Option<Motor>,
    /// What moves it along.
    pub slide_motor: Option<Motor>,
}

impl Cylindrical {
    /// A joint whose anchor \[m\] is at this point of the world, along this axis.
    pub fn new(anchor: Vec3, axis: Vec3) -> Self {
        Self::with(Setup::new(Frame::new(anchor, axis)))
    }

    /// A joint at a frame on each body.
    pub fn between(a: Frame, b: Frame) -> Self {
        Self::with(Setup::on_bodies(a, b))
    }

    fn with(setup: Setup) -> Self {
        Self { setup, turn_limits: None, slide_limits: None, turn_motor: None, slide_motor: None }
    }

    /// With a turn within these bounds \[rad\].
    #[must_use]
    pub fn turn_limits(self, low: f32, high: f32) -> Self {
        Self { turn_limits: Some(Limits::new(low, high)), ..self }
    }

    /// With a slide within these bounds \[m\].
    #[must_use]
    pub fn slide_limits(self, low: f32, high: f32) -> Self {
        Self { slide_limits: Some(Limits::new(low, high)), ..self }
    }

    /// With a motor that turns.
    #[must_use]
    pub fn turn_motor(self, motor: Motor) -> Self {
        Self { turn_motor: Some(motor), ..self }
    }

    /// With a motor that slides.
    #[must_use]
    pub fn slide_motor(self, motor: Motor) -> Self {
        Self { slide_motor: Some(motor), ..self }
    }
}

impl Joint for Cylindrical {
    fn setup(&mut self) -> &mut Setup {
        &mut self.setup
    }

    fn parts(&self, [a, b]: [&Axes; 2], joint: usize) -> Result<Vec<Part>, JointError> {
        let ties = [point(A, a.point), point(B, b.point), axis(B, b.axis), axis(A, a.across), axis(A, a.third())];
        let [force, torque] = self.setup.shares();
        let mut parts = if Limits::any_hard([self.turn_limits, self.slide_limits]) {
            let [slide, along] = Limits::of_hold(self.slide_limits, joint, Freedom::Slide)?;
            let [turn, about] = Limits::of_hold(self.turn_limits, joint, Freedom::Turn)?;
            let [x0, x1, a1, b0, c0] = ties;
            let ties = [x0, x1, a1, b0, c0, axis(B, b.across)];
            let params = [force, torque, slide, along, turn, about];
            let hold = Part::new(Role::Hold, BoundedCylindricalRows, ties, params, 3)?;
            vec![hold.bounded([(Freedom::Slide, 2), (Freedom::Turn, 4)])]
        } else {
            vec![Part::new(Role::Hold, CylindricalRows, ties, [force, torque], 2)?]
        };
        if let Some(motor) = self.turn_motor {
            parts.push(motor.part(joint, Freedom::Turn, AngleMotor, turning(a, b))?);
        }
        if let Some(motor) = self.slide_motor {
            parts.push(motor.part(joint, Freedom::Slide, SlideMotor, sliding(a, b))?);
        }
        if let Some(limits) = self.turn_limits {
            parts.extend(limits.part(joint, Freedom::Turn, AngleLimit, turning(a, b))?);
        }
        if let Some(limits) = self.slide_limits {
            parts.extend(limits.part(joint, Freedom::Slide, SlideLimit, sliding(a, b))?);
        }
        Ok(parts)
    }
}
