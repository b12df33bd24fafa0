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
use xpbd_core::prelude::*;

use super::geometry::{rotation_between, sample_frame};
use super::part::{A, B, JointRole, axis, point};
use super::settings::JointSettings;
use super::{Joint, JointBasis, JointError, JointFrame, JointPart, diagonal};

/// Holds two frames together. Parameters: the compliances of the forces and of the torques as parts of
/// the batch's. Compliance \[m/N and rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct FixedRows;

impl Constraint<6, 6> for FixedRows {
    type Parameters<S: Copy> = [S; 2];

    const NAME: &'static str = "fixed-joint";

    fn value<S: Real>(x: &Points<S, 6>, _: [S; 2]) -> [S; 6] {
        let d = x.now[1] - x.now[0];
        let [a0, b0, a1, b1] = [2, 3, 4, 5].map(|k| x.now[k].axis());
        let turn = rotation_between([a0, b0], [a1, b1]);
        [d.x, d.y, d.z, turn.x, turn.y, turn.z]
    }

    fn compliance<S: Real>(alpha: S, [force, torque]: [S; 2]) -> [[S; 6]; 6] {
        let (force, torque) = (alpha * force, alpha * torque);
        diagonal([force, force, force, torque, torque, torque])
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 6], [f32; 2])> {
        let ([x0, a0, b0], [x1, a1, b1]) = (sample_frame(number), sample_frame(number + 1));
        Some(([x0, x1, a0, b0, a1, b1], [1.0, 0.5]))
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
/// let weld = Fixed::new(Vec3::new(0.5, 0.0, 0.0)).break_force(500.0).break_torque(40.0);
/// let weld = weld.add(&mut world, wall, shelf)?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FixedJoint {
    /// What all joints have.
    pub settings: JointSettings,
}

impl FixedJoint {
    /// Creates a weld at this point \[m\] of the world, for bodies that are where they belong.
    pub fn new(anchor: Vec3) -> Self {
        Self { settings: JointSettings::new(JointFrame::new(anchor, Vec3::X)) }
    }

    /// Creates a weld that brings a frame on each body together.
    pub fn between(a: JointFrame, b: JointFrame) -> Self {
        Self { settings: JointSettings::on_bodies(a, b) }
    }
}

impl Joint for FixedJoint {
    fn settings(&mut self) -> &mut JointSettings {
        &mut self.settings
    }

    fn parts(&self, [a, b]: [&JointBasis; 2], _: usize) -> Result<Vec<JointPart>, JointError> {
        let points = [point(A, a.anchor), point(B, b.anchor)];
        let [a0, b0] = [a.axis, a.normal].map(|local| axis(A, local));
        let [a1, b1] = [b.axis, b.normal].map(|local| axis(B, local));
        let ties = [points[0], points[1], a0, b0, a1, b1];
        Ok(vec![JointPart::new(JointRole::Lock, FixedRows, ties, self.settings.compliance_ratios(), 3)?])
    }
}
