//! All joints in one type.

use bevy::prelude::*;
use xpbd_core::world::{BodyHandle, UpdateOutcome, World as Core};
#[cfg(feature = "gltf")]
use xpbd_rigid::joint::JointSettings;
use xpbd_rigid::joint::{
    BallJoint, CylindricalJoint, DistanceJoint, FixedJoint, HingeJoint, Joint as _, JointError, JointHandle,
    JointLimits, JointMotor, JointPlacement, PointOnLineJoint, PointOnPlaneJoint, SixAxisJoint, SliderJoint,
    SpringJoint, UniversalJoint,
};

/// Limits that no joint reaches \[rad or m\].
const UNREACHED: f32 = 1e6;

const NO_FREE_AXIS: &str = "only a hinge, a slider and a point on a line take an `AxisMotor` or `AxisLimits`; set those of \
                            another joint in its kind";

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

            /// Returns where it is, to change it.
            pub(crate) fn placement(&mut self) -> &mut JointPlacement {
                match self {
                    $(Self::$kind(joint) => &mut joint.settings().placement,)*
                }
            }

            /// Returns the settings that all joints have.
            #[cfg(feature = "gltf")]
            pub(crate) fn settings(&mut self) -> &mut JointSettings {
                match self {
                    $(Self::$kind(joint) => joint.settings(),)*
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
    /// Returns the joint with the motor and the limits of components on its free axis. What the joint was built with before
    /// stays without effect where nothing describes it any more.
    pub(super) fn with(
        &self,
        motor: Option<JointMotor>,
        limits: Option<JointLimits>,
        before: Option<&Self>,
    ) -> Result<Self, &'static str> {
        let (mut kind, mut before) = (self.clone(), before.cloned());
        let Some((own_motor, own_limits)) = kind.free_axis() else {
            return if motor.is_none() && limits.is_none() { Ok(kind) } else { Err(NO_FREE_AXIS) };
        };
        let built =
            before.as_mut().and_then(Self::free_axis).map(|(motor, limits)| (motor.is_some(), limits.is_some()));
        let (has_motor, has_limits) = built.unwrap_or_default();
        *own_motor = motor.or(*own_motor).or(has_motor.then(JointMotor::off));
        *own_limits = limits.or(*own_limits).or(has_limits.then_some(JointLimits::new(-UNREACHED, UNREACHED)));
        Ok(kind)
    }

    /// Returns the motor and the limits of the free axis of a joint that has one.
    fn free_axis(&mut self) -> Option<(&mut Option<JointMotor>, &mut Option<JointLimits>)> {
        match self {
            Self::HingeJoint(hinge) => Some((&mut hinge.motor, &mut hinge.limits)),
            Self::SliderJoint(slider) => Some((&mut slider.motor, &mut slider.limits)),
            Self::PointOnLineJoint(line) => Some((&mut line.motor, &mut line.limits)),
            _ => None,
        }
    }

    /// Creates a joint that lets nothing move against this place \[m\] of the world.
    pub fn fixed(anchor: Vec3) -> Self {
        Self::FixedJoint(FixedJoint::new(anchor))
    }
}
