//! Where a joint is on its two bodies.

use glam::{Quat, Vec3, Vec4Swizzles};
use serde::{Deserialize, Serialize};
use xpbd_core::world::{BodyHandle, World};

use super::JointError;

/// The anchor of a joint with its axis, in the world or on a body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Anchor \[m\].
    pub point: Vec3,
    /// Axis of the joint; its length does not matter.
    pub axis: Vec3,
    /// A direction across the axis from which angles about it are measured; what it has along the axis
    /// is dropped. `None` for any.
    pub across: Option<Vec3>,
}

impl Frame {
    /// An anchor \[m\] and an axis.
    pub fn new(point: Vec3, axis: Vec3) -> Self {
        Self { point, axis, across: None }
    }

    /// With the direction from which angles about the axis are measured.
    #[must_use]
    pub fn across(self, across: Vec3) -> Self {
        Self { across: Some(across), ..self }
    }

    /// The frame with unit axes.
    pub(super) fn axes(&self, joint: usize) -> Result<Axes, JointError> {
        let finite = |what, value: Vec3| {
            if value.is_finite() { Ok(value) } else { Err(JointError::Vector { joint, what, value }) }
        };
        let unit = |what, value: Vec3| {
            let direction = finite(what, value)?.try_normalize();
            direction.ok_or(JointError::Direction { joint, what, value })
        };
        let point = finite("anchor", self.point)?;
        let axis = unit("axis", self.axis)?;
        let Some(across) = self.across else { return Ok(Axes { point, axis, across: axis.any_orthonormal_vector() }) };
        let across = finite("direction across the axis", across)?;
        let scale = across.length();
        let rest = across - axis * axis.dot(across);
        if rest.length() <= 1e-4 * scale {
            return Err(JointError::Direction { joint, what: "direction across the axis", value: across });
        }
        Ok(Axes { point, axis, across: rest.normalize() })
    }
}

/// A frame with unit axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axes {
    /// Anchor \[m\].
    pub point: Vec3,
    /// Axis of the joint.
    pub axis: Vec3,
    /// Perpendicular to the axis.
    pub across: Vec3,
}

impl Axes {
    /// Perpendicular to both, by the right hand.
    pub fn third(&self) -> Vec3 {
        self.axis.cross(self.across)
    }

    /// The same axes at another place, turned.
    fn turned(&self, turn: Quat, point: Vec3) -> Self {
        Self { point, axis: turn * self.axis, across: turn * self.across }
    }

    /// From the world to the frame of a body.
    fn onto(&self, world: &World, body: BodyHandle, k: usize) -> Result<Self, JointError> {
        let pose = world.pose(body)?;
        let (bodies, turn) = (&world.state().bodies, pose.rotation.inverse());
        // From the centre of mass, whose position is known better than its rounded sum.
        let arm = (self.point - bodies.anchor[k].xyz()) - bodies.offset[k].xyz();
        Ok(self.turned(turn, bodies.about[k].body.mass.center + turn * arm))
    }
}

/// How a joint is given.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Placement {
    /// By one frame in the world, for bodies that are where they belong.
    World(Frame),
    /// By a frame on each body.
    Bodies([Frame; 2]),
}

impl Placement {
    /// The axes on each of two bodies.
    pub(super) fn resolve(
        &self,
        world: &World,
        joint: usize,
        bodies: [BodyHandle; 2],
    ) -> Result<[Axes; 2], JointError> {
        let [a, b] = bodies;
        if a == b {
            return Err(JointError::SameBody(joint));
        }
        let place = |body, which| world.state().body_handles.position(body).ok_or(JointError::Body { joint, which });
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
    pub(super) fn about(self, axis: Vec3) -> Self {
        match self {
            Self::World(frame) => Self::World(Frame { axis, ..frame }),
            Self::Bodies(_) => self,
        }
    }

    /// Where the first body of a joint to the world is \[m\], and the placement with respect to it.
    pub(super) fn on_world(self) -> (Vec3, Self) {
        match self {
            Self::World(frame) => (frame.point, self),
            Self::Bodies([on_a, on_b]) => (on_a.point, Self::Bodies([Frame { point: Vec3::ZERO, ..on_a }, on_b])),
        }
    }
}
