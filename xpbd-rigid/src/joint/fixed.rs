//! Two bodies as one (\[Deul14\] §4; the elastic weld of \[Frâncu17\] with its compliances).
//!
//! ```text
//!   ┌───┬───┐    free: nothing
//!   │ a ● b │    C = (x₁ − x₀, 2 tan(θ/2) n), three rows [m] and three [rad]
//!   └───┴───┘    λ/h²: the force on b [N] and the torque on b [N m], in the world
//! ```
//!
//! θ n is the rotation of b against a. With a rotational compliance the joint is a torsion spring whose
//! stiffness grows with the angle by tan(θ/2)/(θ/2): 2 % more at 30°, 27 % at 90°.

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::constraint::Point;
use xpbd_core::scalar::Real;

use super::geometry::{rotation_between, sample_frames};
use super::lock::{LockRows, lock};
use super::part::{A, B, axis, point};
use super::{Joint, JointBasis, JointError, JointFrame, JointPart, JointSettings};

/// The rows of a fixed joint: two frames coincide.
#[derive(Debug, Clone, Copy)]
pub struct FixedRows;

impl LockRows<6, 6> for FixedRows {
    const NAME: &'static str = "fixed-joint";
    const FORCE_ROWS: usize = 3;

    fn rows<S: Real>(x: &[Point<S>; 6]) -> [S; 6] {
        let d = x[1] - x[0];
        let [a0, b0, a1, b1] = [2, 3, 4, 5].map(|k| x[k].axis());
        let rotation = rotation_between([a0, b0], [a1, b1]);
        [d.x, d.y, d.z, rotation.x, rotation.y, rotation.z]
    }

    fn sample(number: u32) -> Option<[[f32; 3]; 6]> {
        Some(sample_frames(number))
    }
}

/// A weld, rigid or elastic.
///
/// ```
/// # use glam::Vec3;
/// # use parry3d::math::Pose;
/// # use xpbd_rigid::prelude::*;
/// # let mut world = World::new(Settings::default())?;
/// # let wall = world.add_body(Body::dynamic(Pose::IDENTITY, Mass::ball(1.0, 0.1)))?;
/// # let shelf = world.add_body(Body::dynamic(Pose::translation(1.0, 0.0, 0.0), Mass::ball(1.0, 0.1)))?;
/// let weld = FixedJoint::new(Vec3::new(0.5, 0.0, 0.0)).break_force(500.0).break_torque(40.0);
/// let weld = weld.add(&mut world, wall, shelf)?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct FixedJoint {
    /// The settings that all joints have.
    pub settings: JointSettings,
}

impl FixedJoint {
    /// Returns a weld at a point \[m\] of the world, for bodies that are in place.
    pub fn new(anchor: Vec3) -> Self {
        Self { settings: JointSettings::new(JointFrame::new(anchor, Vec3::X)) }
    }

    /// Returns a weld that brings a frame on each body together.
    pub fn between(a: JointFrame, b: JointFrame) -> Self {
        Self { settings: JointSettings::on_bodies(a, b) }
    }
}

impl Joint for FixedJoint {
    fn settings(&mut self) -> &mut JointSettings {
        &mut self.settings
    }

    fn parts(&self, [a, b]: [&JointBasis; 2], _: usize) -> Result<Vec<JointPart>, JointError> {
        let [a0, b0] = [a.axis, a.normal].map(|local| axis(A, local));
        let [a1, b1] = [b.axis, b.normal].map(|local| axis(B, local));
        let attachments = [point(A, a.anchor), point(B, b.anchor), a0, b0, a1, b1];
        Ok(vec![lock::<FixedRows, 6, 6>(&self.settings, attachments)?])
    }
}
