//! A spring with a damper between two points (\[XPBD16\] eq. 1, \[Rigid20\] §3.3.1).
//!
//! ```text
//!   a ●/\/\/\● b    free: everything, elastically
//!                   C = |x₁ − x₀| − l, one row [m];  α = 1/k
//!                   λ/h²: the force on b, −k C − c Ċ [N], positive where it pushes the two apart
//! ```

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::parameters;
use xpbd_core::prelude::*;

use super::part::{A, B, JointRole, ParameterLayout, point};
use super::settings::check_soft;
use super::{Joint, JointBasis, JointError, JointFrame, JointPart, JointSettings};

parameters! {
    /// Parameters of a [`SpringRow`].
    pub struct SpringParameters<S> {
        /// Rest length \[m\].
        pub rest_length: S,
    }
}

/// The row of a spring: two points have a distance. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct SpringRow;

impl Constraint<2, 1> for SpringRow {
    type Parameters<S: Copy> = SpringParameters<S>;

    const NAME: &'static str = "spring-joint";

    fn value<S: Real>(x: &Points<S, 2>, spring: SpringParameters<S>) -> [S; 1] {
        [(x.now[1] - x.now[0]).length() - spring.rest_length]
    }
}

/// A spring and damper: a suspension, a bungee.
///
/// ```
/// # use glam::Vec3;
/// # use parry3d::math::Pose;
/// # use xpbd_rigid::prelude::*;
/// # let mut world = World::new(Settings::default())?;
/// # let car = world.add_body(Body::dynamic(Pose::IDENTITY, Mass::ball(1.0, 0.1)))?;
/// # let wheel = world.add_body(Body::dynamic(Pose::translation(0.0, -0.5, 0.0), Mass::ball(1.0, 0.1)))?;
/// let strut = SpringJoint::new(Vec3::ZERO, Vec3::ZERO, 0.5).stiffness(2e4).damping_coefficient(1.5e3);
/// let strut = strut.add(&mut world, car, wheel)?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct SpringJoint {
    /// The settings that all joints have; the compliance is that of the spring.
    pub settings: JointSettings,
    /// Rest length \[m\].
    pub rest_length: f32,
}

impl SpringJoint {
    /// Returns a spring from a point \[m\] on the first body to one on the second, each in the frame of its body, with a
    /// rest length \[m\].
    pub fn new(on_a: Vec3, on_b: Vec3, rest_length: f32) -> Self {
        let [a, b] = [on_a, on_b].map(|point| JointFrame::new(point, Vec3::X));
        Self { settings: JointSettings::on_bodies(a, b), rest_length }
    }

    /// Sets the stiffness \[N/m\]; a spring is rigid by default.
    #[must_use]
    pub fn stiffness(self, stiffness: f32) -> Self {
        self.compliance(1.0 / stiffness)
    }
}

impl Joint for SpringJoint {
    fn settings(&mut self) -> &mut JointSettings {
        &mut self.settings
    }

    fn parts(&self, [a, b]: [&JointBasis; 2], joint: usize) -> Result<Vec<JointPart>, JointError> {
        check_soft(joint, "rest length", self.rest_length)?;
        let attachments = [point(A, a.anchor), point(B, b.anchor)];
        let spring = SpringParameters { rest_length: self.rest_length };
        let part = JointPart::new(JointRole::Lock, SpringRow, attachments, spring, 1)?;
        Ok(vec![part.soft(self.settings.compliance, self.settings.damping_coefficient).layout(ParameterLayout::Spring)])
    }
}
