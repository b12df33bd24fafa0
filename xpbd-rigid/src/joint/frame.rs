//! Where a joint is on its two bodies.

use glam::{Quat, Vec3, Vec4Swizzles};
use serde::{Deserialize, Serialize};
use xpbd_core::world::{BodyHandle, World};

use super::JointError;

/// The anchor of a joint with its axis, in the world or on a body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct JointFrame {
    /// Anchor \[m\].
    pub anchor: Vec3,
    /// Axis of the joint; its length does not matter.
    pub axis: Vec3,
    /// A direction across the axis from which angles about it are measured; what it has along the axis
    /// is dropped. `None` for any.
    pub reference_axis: Option<Vec3>,
}

impl JointFrame {
    /// Creates an anchor \[m\] and an axis.
    pub fn new(point: Vec3, axis: Vec3) -> Self {
        Self { anchor: point, axis, reference_axis: None }
    }

    /// With the direction from which angles about the axis are measured.
    #[must_use]
    pub fn reference_axis(self, across: Vec3) -> Self {
        Self { reference_axis: Some(across), ..self }
    }

    /// Returns the frame with unit axes.
    pub(super) fn axes(&self, joint: usize) -> Result<JointBasis, JointError> {
        let finite = |what, value: Vec3| {
            if value.is_finite() { Ok(value) } else { Err(JointError::Vector { joint, what, value }) }
        };
        let unit = |what, value: Vec3| {
            let direction = finite(what, value)?.try_normalize();
            direction.ok_or(JointError::Direction { joint, what, value })
        };
        let point = finite("anchor", self.anchor)?;
        let axis = unit("axis", self.axis)?;
        let Some(across) = self.reference_axis else {
            return Ok(JointBasis { anchor: point, axis, normal: axis.any_orthonormal_vector() });
        };
        let across = finite("direction across the axis", across)?;
        let scale = across.length();
        let rest = across - axis * axis.dot(across);
        if rest.length() <= 1e-4 * scale {
            return Err(JointError::Direction { joint, what: "direction across the axis", value: across });
        }
        Ok(JointBasis { anchor: point, axis, normal: rest.normalize() })
    }
}

/// A frame with unit axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointBasis {
    /// Anchor \[m\].
    pub anchor: Vec3,
    /// Axis of the joint.
    pub axis: Vec3,
    /// Perpendicular to the axis.
    pub normal: Vec3,
}

impl JointBasis {
    /// Perpendicular to both, by the right hand.
    pub fn binormal(&self) -> Vec3 {
        self.axis.cross(self.normal)
    }

    /// The same axes at another place, turned.
    fn rotated(&self, turn: Quat, point: Vec3) -> Self {
        Self { anchor: point, axis: turn * self.axis, normal: turn * self.normal }
    }

    /// From the world to the frame of a body.
    fn onto(&self, world: &World, body: BodyHandle, k: usize) -> Result<Self, JointError> {
        let pose = world.body_pose(body)?;
        let (bodies, turn) = (&world.state().bodies, pose.rotation.inverse());
        // From the centre of mass, whose position is known better than its rounded sum.
        let arm = (self.anchor - bodies.anchor[k].xyz()) - bodies.offset[k].xyz();
        Ok(self.rotated(turn, bodies.records[k].body.mass.center_of_mass + turn * arm))
    }
}

/// How a joint is given.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum JointPlacement {
    /// By one frame in the world, for bodies that are where they belong.
    World(JointFrame),
    /// By a frame on each body.
    Bodies([JointFrame; 2]),
}

impl JointPlacement {
    /// Returns the axes on each of two bodies.
    pub(super) fn resolve(
        &self,
        world: &World,
        joint: usize,
        bodies: [BodyHandle; 2],
    ) -> Result<[JointBasis; 2], JointError> {
        let [a, b] = bodies;
        if a == b {
            return Err(JointError::SameBody(joint));
        }
        let place = |body, which| world.state().body_handles.index_of(body).ok_or(JointError::Body { joint, which });
        let places = [place(a, "first")?, place(b, "second")?];
        match self {
            Self::World(frame) => {
                let axes = frame.axes(joint)?;
                Ok([axes.onto(world, a, places[0])?, axes.onto(world, b, places[1])?])
            }
            Self::Bodies([on_a, on_b]) => Ok([on_a.axes(joint)?, on_b.axes(joint)?]),
        }
    }

    /// With another axis, of a frame in the world.
    pub(super) fn with_axis(self, axis: Vec3) -> Self {
        match self {
            Self::World(frame) => Self::World(JointFrame { axis, ..frame }),
            Self::Bodies(_) => self,
        }
    }

    /// Returns where the first body of a joint to the world is \[m\], and the placement with respect to it.
    pub(super) fn on_world(self) -> (Vec3, Self) {
        match self {
            Self::World(frame) => (frame.anchor, self),
            Self::Bodies([on_a, on_b]) => {
                (on_a.anchor, Self::Bodies([JointFrame { anchor: Vec3::ZERO, ..on_a }, on_b]))
            }
        }
    }
}
