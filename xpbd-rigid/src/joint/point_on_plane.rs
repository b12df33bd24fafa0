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
use xpbd_core::constraint::Point;
use xpbd_core::scalar::Real;

use super::lock::{LockRows, lock};
use super::part::linear_attachments;
use super::{Joint, JointBasis, JointError, JointFrame, JointPart, JointSettings};

/// The row of a point on a plane.
#[derive(Debug, Clone, Copy)]
pub struct PointOnPlaneRow;

impl LockRows<3, 1> for PointOnPlaneRow {
    const NAME: &'static str = "plane-joint";
    const FORCE_ROWS: usize = 1;

    fn rows<S: Real>(x: &[Point<S>; 3]) -> [S; 1] {
        [(x[1] - x[0]).dot(x[2].axis())]
    }
}

/// A foot on a table, held to both sides.
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
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct PointOnPlaneJoint {
    /// The settings that all joints have.
    pub settings: JointSettings,
}

impl PointOnPlaneJoint {
    /// Returns a joint that holds the point of the second body at `anchor` \[m\] in the world on a plane of the first
    /// with this normal.
    pub fn new(anchor: Vec3, normal: Vec3) -> Self {
        Self { settings: JointSettings::new(JointFrame::new(anchor, normal)) }
    }

    /// Returns a joint that holds the anchor of a frame on the second body on the plane across the axis of one on the
    /// first.
    pub fn between(a: JointFrame, b: JointFrame) -> Self {
        Self { settings: JointSettings::on_bodies(a, b) }
    }
}

impl Joint for PointOnPlaneJoint {
    fn settings(&mut self) -> &mut JointSettings {
        &mut self.settings
    }

    fn parts(&self, [a, b]: [&JointBasis; 2], _: usize) -> Result<Vec<JointPart>, JointError> {
        Ok(vec![lock::<PointOnPlaneRow, 3, 1>(&self.settings, linear_attachments(a, b))?])
    }
}
