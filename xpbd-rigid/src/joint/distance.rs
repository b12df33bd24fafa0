//! Two points at a distance within limits (\[PBD07\] §3.3, one-sided).
//!
//! ```text
//!   a ●┄┄┄┄┄● b    free: all but the distance, while it is at a limit
//!                  C = r − ||x₁ − x₀| − m| ≥ 0, one row [m] for the middle m and half the range r
//!                  λ/h²: the force on b, from the nearer limit [N]
//! ```
//!
//! Equal limits make a rod, which is the row of a [spring](super::spring) without compliance.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::limit::JointLimits;
use super::limit::rows::DistanceLimitRow;
use super::part::{A, B, JointRole, ParameterLayout, point};
use super::spring::{SpringParameters, SpringRow};
use super::{Joint, JointAxis, JointBasis, JointError, JointFrame, JointPart, JointSettings};

/// A rope without mass, a rod, a leash: a shortest and a longest distance.
///
/// ```
/// # use glam::Vec3;
/// # use parry3d::math::Pose;
/// # use xpbd_rigid::prelude::*;
/// # let mut world = World::new(Settings::default())?;
/// # let post = world.add_body(Body::dynamic(Pose::IDENTITY, Mass::ball(1.0, 0.1)))?;
/// # let dog = world.add_body(Body::dynamic(Pose::translation(1.0, 0.0, 0.0), Mass::ball(1.0, 0.1)))?;
/// let leash = DistanceJoint::new(Vec3::ZERO, Vec3::ZERO, 0.0, 3.0).add(&mut world, post, dog)?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct DistanceJoint {
    /// The settings that all joints have.
    pub settings: JointSettings,
    /// Shortest and longest distance \[m\].
    pub range: [f32; 2],
}

impl DistanceJoint {
    /// Returns a joint from a point \[m\] on the first body to one on the second, each in the frame of its body, with a
    /// shortest and a longest distance \[m\].
    pub fn new(on_a: Vec3, on_b: Vec3, shortest: f32, longest: f32) -> Self {
        let [a, b] = [on_a, on_b].map(|point| JointFrame::new(point, Vec3::X));
        Self { settings: JointSettings::on_bodies(a, b), range: [shortest, longest] }
    }
}

impl Joint for DistanceJoint {
    fn settings(&mut self) -> &mut JointSettings {
        &mut self.settings
    }

    fn parts(&self, [a, b]: [&JointBasis; 2], joint: usize) -> Result<Vec<JointPart>, JointError> {
        let [min, max] = self.range;
        let attachments = [point(A, a.anchor), point(B, b.anchor)];
        let range = JointLimits::new(min, max).range(joint, JointAxis::Distance)?;
        if min < 0.0 {
            let (what, must) = ("shortest distance", "not negative");
            return Err(JointError::Number { joint, what, value: min, must });
        }
        let is_rod = min == max;
        let part = if is_rod {
            let rod = SpringParameters { rest_length: min };
            JointPart::new(JointRole::Lock, SpringRow, attachments, rod, 1)?.layout(ParameterLayout::Spring)
        } else {
            let part = JointPart::new(JointRole::Lock, DistanceLimitRow, attachments, range, 1)?;
            part.layout(ParameterLayout::Range(JointAxis::Distance))
        };
        Ok(vec![part.soft(self.settings.compliance, self.settings.damping_coefficient)])
    }
}
