//! The axes that joints leave free.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An axis along or about which a joint leaves its bodies free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum JointAxis {
    /// Translation along the axis \[m\].
    Linear,
    /// Translation along the reference axis of the first body \[m\].
    SecondLinear,
    /// Translation across the axis and the reference axis of the first body \[m\].
    ThirdLinear,
    /// Rotation about the axis \[rad\].
    Angular,
    /// Rotation of a universal joint about the axis of its second body \[rad\].
    SecondAngular,
    /// The angle between the axes of a ball joint \[rad\], not negative.
    Swing,
    /// Rotation of a ball joint or one of six axes about its axis \[rad\], without the swing.
    Twist,
    /// The part of the swing of a joint of six axes about the reference axis of the first body \[rad\].
    FirstSwing,
    /// The part of the swing of a joint of six axes about the axis that is across the other two \[rad\].
    SecondSwing,
    /// The distance of the anchors \[m\].
    Distance,
}

impl JointAxis {
    /// Returns whether a limit or a motor of it applies a force; otherwise it applies a torque.
    pub(super) fn is_linear(self) -> bool {
        matches!(self, Self::Linear | Self::SecondLinear | Self::ThirdLinear | Self::Distance)
    }

    /// Returns whether its coordinate is an angle within ±π, which is equal to itself plus whole turns.
    pub(super) fn wraps(self) -> bool {
        matches!(self, Self::Angular | Self::SecondAngular | Self::Twist)
    }
}

impl fmt::Display for JointAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Linear => "linear",
            Self::SecondLinear => "second linear",
            Self::ThirdLinear => "third linear",
            Self::Angular => "angular",
            Self::SecondAngular => "second angular",
            Self::Swing => "swing",
            Self::Twist => "twist",
            Self::FirstSwing => "first swing",
            Self::SecondSwing => "second swing",
            Self::Distance => "distance",
        })
    }
}

/// The most free axes that a joint can drive or limit.
pub(super) const MOST_AXES: usize = 6;

/// The free axes that a lock drives and limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AxisRows {
    /// The axes of the group.
    pub axes: &'static [JointAxis],
    /// True for each axis with hard limits.
    pub limited: [bool; MOST_AXES],
    /// True for each axis with a motor.
    pub driven: [bool; MOST_AXES],
    /// True for each axis that has a row although it is locked.
    pub locked: [bool; MOST_AXES],
    /// True if a motor drives the rotation as a whole.
    pub has_rotation_motor: bool,
}

impl AxisRows {
    /// Returns the number of an axis if it has hard limits.
    pub(super) fn limited(&self, axis: JointAxis) -> Option<usize> {
        self.find(axis).filter(|&k| self.limited[k])
    }

    /// Returns the number of an axis if it has a motor.
    pub(super) fn driven(&self, axis: JointAxis) -> Option<usize> {
        self.find(axis).filter(|&k| self.driven[k])
    }

    fn find(&self, axis: JointAxis) -> Option<usize> {
        self.axes.iter().position(|&found| found == axis)
    }
}
