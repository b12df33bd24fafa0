//! Two points at a distance within bounds (\[PBD07\] §3.3, one-sided).
//!
//! ```text
//!   a ●┄┄┄┄┄● b    free: all but the distance, while it is at a bound
//!                  C = r − ||x₁ − x₀| − m| ≥ 0, one row [m] for the middle m and half the range r
//!                  λ/h²: the force on b, from the nearer bound [N]
//! ```
//!
//! Equal bounds make a rod, which is the [row of a spring](super::spring) without compliance.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::limit::JointLimits;
use super::limit::linear::DistanceLimitRow;
use super::part::{A, B, JointRole, point};
use super::settings::JointSettings;
use super::spring::SpringRow;
use super::{Joint, JointAxis, JointBasis, JointError, JointFrame, JointPart};

/// A rope without mass, a rod, a leash: a shortest and a longest distance.
///
/// ```
/// # use glam::Vec3;
/// # use parry3d::math::Pose;
/// # use xpbd_rigid::prelude::*;
/// # let mut world = World::new(Settings::default())?;
/// # let post = world.add_body(Body::dynamic(Pose::IDENTITY, Mass::ball(1.0, 0.1)))?;
/// # let dog = world.add_body(Body::dynamic(Pose::translation(1.0, 0.0, 0.0), Mass::ball(1.0, 0.1)))?;
/// let leash = Distance::new(Vec3::ZERO, Vec3::ZERO, 0.0, 3.0).add(&mut world, post, dog)?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DistanceJoint {
    /// What all joints have.
    pub settings: JointSettings,
    /// Shortest and longest distance \[m\].
    pub range: [f32; 2],
}

impl DistanceJoint {
    /// From a point \[m\] on the first body to one on the second, each in the frame of its body.
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
        let [low, high] = self.range;
        let ties = [point(A, a.anchor), point(B, b.anchor)];
        let limits = JointLimits::new(low, high).params(joint, JointAxis::Distance)?;
        if low < 0.0 {
            let (what, must) = ("shortest distance", "not negative");
            return Err(JointError::Number { joint, what, value: low, must });
        }
        let hold = JointRole::Lock;
        let rod = low == high;
        let part = if rod {
            JointPart::new(hold, SpringRow, ties, [low], 1)?
        } else {
            JointPart::new(hold, DistanceLimitRow, ties, limits, 1)?.limited([(JointAxis::Distance, 0)])
        };
        Ok(vec![part])
    }
}
