//! The axes that joints leave free.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An axis along or about which a joint leaves its bodies free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum JointAxis {
    /// Translation along the axis \[m\].
    Linear,
    /// Rotation about the axis \[rad\].
    Angular,
    /// Rotation of a universal joint about the axis of its second body \[rad\].
    SecondAngular,
    /// The angle between the axes of a ball joint \[rad\], not negative.
    Swing,
    /// Rotation of a ball joint about its axis \[rad\], without the swing.
    Twist,
    /// The distance of the anchors \[m\].
    Distance,
}

impl JointAxis {
    /// Returns whether a limit or a motor of it applies a force; otherwise it applies a torque.
    pub(super) fn is_linear(self) -> bool {
        matches!(self, Self::Linear | Self::Distance)
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
            Self::Angular => "angular",
            Self::SecondAngular => "second angular",
            Self::Swing => "swing",
            Self::Twist => "twist",
            Self::Distance => "distance",
        })
    }
}
