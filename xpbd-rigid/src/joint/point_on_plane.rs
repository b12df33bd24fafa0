//! A point of b on a plane of a (\[Deul14\] §4, target plane).
//!
//! ```text
//!        ↑ a₀
//!   ─────●─────    free: all but the height
//!         \ b      C = (x₁ − x₀)·a₀, one row [m]
//!                  λ/h²: the force on b along a₀ [N]
//! ```

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::prelude::*;

use super::part::{JointRole, linear_attachments};
use super::settings::JointSettings;
use super::{Joint, JointBasis, JointError, JointFrame, JointPart};

/// Holds a point on a plane. No parameters. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct PointOnPlaneRow;

impl Constraint<3, 1> for PointOnPlaneRow {
    type Parameters<S: Copy> = [S; 0];

    const NAME: &'static str = "plane-joint";

    fn value<S: Real>(x: &Points<S, 3>, _: [S; 0]) -> [S; 1] {
        [(x.now[1] - x.now[0]).dot(x.now[2].axis())]
    }
}

/// A foot on a table, to both sides.
///
/// ```
/// # use glam::Vec3;
/// # use parry3d::math::Pose;
/// # use xpbd_rigid::prelude::*;
/// # let mut world = World::new(Settings::default())?;
/// # let puck = world.add_body(Body::dynamic(Pose::IDENTITY, Mass::ball(1.0, 0.1)))?;
/// let table = PointOnPlaneJoint::new(Vec3::ZERO, Vec3::Y).add_to_world(&mut world, puck)?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PointOnPlaneJoint {
    /// What all joints have.
    pub settings: JointSettings,
}

impl PointOnPlaneJoint {
    /// The point of the second body that is here \[m\] in the world, on a plane of the first with this
    /// normal.
    pub fn new(anchor: Vec3, normal: Vec3) -> Self {
        Self { settings: JointSettings::new(JointFrame::new(anchor, normal)) }
    }

    /// The anchor of a frame on the second body, on the plane across the axis of one on the first.
    pub fn between(a: JointFrame, b: JointFrame) -> Self {
        Self { settings: JointSettings::on_bodies(a, b) }
    }
}

impl Joint for PointOnPlaneJoint {
    fn settings(&mut self) -> &mut JointSettings {
        &mut self.settings
    }

    fn parts(&self, [a, b]: [&JointBasis; 2], _: usize) -> Result<Vec<JointPart>, JointError> {
        Ok(vec![JointPart::new(JointRole::Lock, PointOnPlaneRow, linear_attachments(a, b), [], 1)?])
    }
}
