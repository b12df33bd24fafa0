//! All joints in one type.

use bevy::prelude::*;
use xpbd_core::world::{BodyHandle, UpdateOutcome, World as Core};
use xpbd_rigid::joint::{
    BallJoint, CylindricalJoint, DistanceJoint, FixedJoint, HingeJoint, Joint as _, JointError, JointHandle,
    PointOnLineJoint, PointOnPlaneJoint, SixAxisJoint, SliderJoint, SpringJoint, UniversalJoint,
};

macro_rules! kinds {
    ($($(#[$about:meta])* $kind:ident,)*) => {
        /// A joint of any kind of [`xpbd_rigid::joint`].
        #[derive(Debug, Clone, PartialEq, Reflect)]
        #[reflect(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
        #[non_exhaustive]
        pub enum JointKind {
            $($(#[$about])* $kind($kind),)*
        }

        impl JointKind {
            /// Adds it between two bodies, or between the world and the second.
            pub(super) fn add(
                &self,
                world: &mut Core,
                a: Option<BodyHandle>,
                b: BodyHandle,
            ) -> Result<JointHandle, JointError> {
                match (self, a) {
                    $(
                        (Self::$kind(joint), Some(a)) => (*joint).add(world, a, b),
                        (Self::$kind(joint), None) => (*joint).add_to_world(world, b),
                    )*
                }
            }

            /// Writes the numbers that differ from the description before to a joint that is there.
            pub(super) fn update(
                &self,
                world: &mut Core,
                joint: &JointHandle,
                before: &Self,
            ) -> Result<UpdateOutcome, JointError> {
                match (before, self) {
                    $((Self::$kind(before), Self::$kind(after)) => joint.update(world, *before, *after),)*
                    _ => Ok(UpdateOutcome::TopologyDiffers),
                }
            }
        }

        $(
            impl From<$kind> for JointKind {
                fn from(joint: $kind) -> Self {
                    Self::$kind(joint)
                }
            }
        )*
    };
}

kinds! {
    /// A joint that keeps one point in place.
    BallJoint,
    /// A joint that turns about an axis and slides along it.
    CylindricalJoint,
    /// A joint that keeps two points within a range of distances.
    DistanceJoint,
    /// A joint that lets nothing move.
    FixedJoint,
    /// A joint that turns about an axis.
    HingeJoint,
    /// A joint that keeps a point on a line.
    PointOnLineJoint,
    /// A joint that keeps a point in a plane.
    PointOnPlaneJoint,
    /// A joint of which each axis is locked, limited, driven or free.
    SixAxisJoint,
    /// A joint that slides along an axis.
    SliderJoint,
    /// A spring between two points.
    SpringJoint,
    /// A joint that turns about two axes, as a cardan joint does.
    UniversalJoint,
}

impl JointKind {
    /// Creates a joint that lets nothing move against this place \[m\] of the world.
    pub fn fixed(anchor: Vec3) -> Self {
        Self::FixedJoint(FixedJoint::new(anchor))
    }
}
