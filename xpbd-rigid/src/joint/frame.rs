//! The frames of a joint on its two bodies.

use glam::{Mat3, Quat, Vec3, Vec4Swizzles};
use serde::{Deserialize, Serialize};
use xpbd_core::world::{BodyHandle, World};

use super::JointError;

/// The anchor of a joint with its axis, in the world or on a body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct JointFrame {
    /// Anchor \[m\].
    pub anchor: Vec3,
    /// Axis of the joint; its length does not matter.
    pub axis: Vec3,
    /// A direction from which angles about the axis are measured; only its part across the axis counts. `None` for any.
    pub reference_axis: Option<Vec3>,
}

impl JointFrame {
    /// Returns a frame with an anchor \[m\] and an axis.
    pub fn new(anchor: Vec3, axis: Vec3) -> Self {
        Self { anchor, axis, reference_axis: None }
    }

    /// Sets the direction from which angles about the axis are measured.
    #[must_use]
    pub fn reference_axis(self, reference_axis: Vec3) -> Self {
        Self { reference_axis: Some(reference_axis), ..self }
    }

    /// Returns the frame with unit axes.
    pub(super) fn basis(&self, joint: usize) -> Result<JointBasis, JointError> {
        let finite = |what, value: Vec3| {
            if value.is_finite() { Ok(value) } else { Err(JointError::Vector { joint, what, value }) }
        };
        let unit = |what, value: Vec3| {
            let direction = finite(what, value)?.try_normalize();
            direction.ok_or(JointError::Direction { joint, what, value })
        };
        let anchor = finite("anchor", self.anchor)?;
        let axis = unit("axis", self.axis)?;
        let Some(reference) = self.reference_axis else {
            return Ok(JointBasis { anchor, axis, normal: axis.any_orthonormal_vector() });
        };
        let reference = finite("reference axis", reference)?;
        let scale = reference.length();
        let across = reference - axis * axis.dot(reference);
        if across.length() <= 1e-4 * scale {
            return Err(JointError::Direction { joint, what: "reference axis", value: reference });
        }
        Ok(JointBasis { anchor, axis, normal: across.normalize() })
    }
}

/// The anchor and the unit axes of a joint on a body.
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
    /// Returns the axis that is perpendicular to both, by the right hand.
    pub fn binormal(&self) -> Vec3 {
        self.axis.cross(self.normal)
    }

    /// Returns the frame with these axes.
    fn frame(&self) -> JointFrame {
        JointFrame::new(self.anchor, self.axis).reference_axis(self.normal)
    }

    /// Returns the rotation from the frame of the joint to that of the body.
    pub(super) fn to_body(self) -> Quat {
        Quat::from_mat3(&Mat3::from_cols(self.axis, self.normal, self.binormal()))
    }

    /// Returns rotated axes at another anchor \[m\].
    fn rotated(&self, rotation: Quat, anchor: Vec3) -> Self {
        Self { anchor, axis: rotation * self.axis, normal: rotation * self.normal }
    }

    /// Returns these axes of the world in the frame of a body, the k-th of the world.
    fn on_body(&self, world: &World, body: BodyHandle, k: usize) -> Result<Self, JointError> {
        let pose = world.body_pose(body)?;
        let (bodies, rotation) = (&world.state().bodies, pose.rotation.inverse());
        // From the centre of mass, whose position is known better than its rounded sum.
        let arm = (self.anchor - bodies.anchor[k].xyz()) - bodies.offset[k].xyz();
        Ok(self.rotated(rotation, bodies.records[k].body.mass.center_of_mass + rotation * arm))
    }
}

/// The frame of a joint in the world, or its frames on both bodies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum JointPlacement {
    /// One frame in the world, for bodies that are in place.
    World(JointFrame),
    /// A frame on each body.
    Bodies([JointFrame; 2]),
}

impl JointPlacement {
    /// Returns the axes on each of two bodies.
    pub(super) fn resolve(
        &self,
        world: &World,
        joint: usize,
        [a, b]: [BodyHandle; 2],
    ) -> Result<[JointBasis; 2], JointError> {
        if a == b {
            return Err(JointError::SameBody(joint));
        }
        let index = |body, which| world.state().body_handles.index_of(body).ok_or(JointError::Body { joint, which });
        let indices = [index(a, "first")?, index(b, "second")?];
        match self {
            Self::World(frame) => {
                let basis = frame.basis(joint)?;
                Ok([basis.on_body(world, a, indices[0])?, basis.on_body(world, b, indices[1])?])
            }
            Self::Bodies([on_a, on_b]) => Ok([on_a.basis(joint)?, on_b.basis(joint)?]),
        }
    }

    /// Returns the same placement by a frame on each of two bodies as they are now. Without a first body its frame is in the
    /// world. A joint with this placement has the angles of one that was added with the first, wherever its bodies go.
    ///
    /// # Errors
    /// An axis that is none, or a body that does not exist.
    pub fn on_bodies(&self, world: &World, a: Option<BodyHandle>, b: BodyHandle) -> Result<Self, JointError> {
        let Self::World(frame) = self else { return Ok(*self) };
        let basis = frame.basis(0)?;
        let on = |body, which| {
            let k = world.state().body_handles.index_of(body).ok_or(JointError::Body { joint: 0, which })?;
            basis.on_body(world, body, k)
        };
        let first = a.map_or(Ok(basis), |a| on(a, "first"))?;
        Ok(Self::Bodies([first.frame(), on(b, "second")?.frame()]))
    }

    /// Returns a placement with another axis, if it is in the world.
    pub(super) fn with_axis(self, axis: Vec3) -> Self {
        match self {
            Self::World(frame) => Self::World(JointFrame { axis, ..frame }),
            Self::Bodies(_) => self,
        }
    }

    /// Returns the position of the first body \[m\] of a joint to the world, and the placement with respect to it.
    pub(super) fn on_world(self) -> (Vec3, Self) {
        match self {
            Self::World(frame) => (frame.anchor, self),
            Self::Bodies([on_a, on_b]) => {
                (on_a.anchor, Self::Bodies([JointFrame { anchor: Vec3::ZERO, ..on_a }, on_b]))
            }
        }
    }
}
