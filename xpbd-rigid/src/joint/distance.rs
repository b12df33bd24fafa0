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

use super::limit::Limits;
use super::limit::slide::DistanceLimit;
use super::part::{A, B, Role, point};
use super::setup::Setup;
use super::spring::SpringRow;
use super::{Axes, Frame, Freedom, Joint, JointError, Part};

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
pub struct Distance {
    /// What all joints have.
    pub setup: Setup,
    /// Shortest and longest distance \[m\].
    pub range: [f32; 2],
}

impl Distance {
    /// From a point \[m\] on the first body to one on the second, each in the frame of its body.
    pub fn new(on_a: Vec3, on_b: Vec3, shortest: f32, longest: f32) -> Self {
        let [a, b] = [on_a, on_b].map(|point| Frame::new(point, Vec3::X));
        Self { setup: Setup::on_bodies(a, b), range: [shortest, longest] }
    }
}

impl Joint for Distance {
    fn setup(&mut self) -> &mut Setup {
        &mut self.setup
    }

    fn parts(&self, [a, b]: [&Axes; 2], joint: usize) -> Result<Vec<Part>, JointError> {
        let [low, high] = self.range;
        let ties = [point(A, a.point), point(B, b.point)];
        let limits = Limits::new(low, high).params(joint, Freedom::Distance)?;
        if low < 0.0 {
            let (what, must) = ("shortest distance", "not negative");
            return Err(JointError::Number { joint, what, value: low, must });
        }
        let hold = Role::Hold;
        let rod = low == high;
        let part = if rod {
            Part::new(hold, SpringRow, ties, [low], 1)?
        } else {
            Part::new(hold, DistanceLimit, ties, limits, 1)?.bounded([(Freedom::Distance, 0)])
        };
        Ok(vec![part])
    }
}
