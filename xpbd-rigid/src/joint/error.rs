//! The reasons why a joint is refused.

use glam::Vec3;
use thiserror::Error;
use xpbd_core::batch::BatchError;
use xpbd_core::connector::ConnectorError;
use xpbd_core::constraint::ConstraintError;
use xpbd_core::world::WorldError;

use super::JointAxis;

/// The reason why a joint or a change of one is refused; `joint` is its number among those that are added together.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum JointError {
    /// A vector is not finite.
    #[error("the {what} of joint {joint} is {value}; it must be finite")]
    Vector {
        /// Number of the joint.
        joint: usize,
        /// Name of the vector.
        what: &'static str,
        /// The value that was refused.
        value: Vec3,
    },
    /// A direction has no length, or not one across the axis.
    #[error(
        "the {what} of joint {joint} is {value}; it must have a length, and a reference axis a part across the axis"
    )]
    Direction {
        /// Number of the joint.
        joint: usize,
        /// Name of the direction.
        what: &'static str,
        /// The value that was refused.
        value: Vec3,
    },
    /// A number is out of its range.
    #[error("the {what} of joint {joint} is {value}; it must be {must}")]
    Number {
        /// Number of the joint.
        joint: usize,
        /// Name of the number.
        what: &'static str,
        /// The value that was refused.
        value: f32,
        /// The range that is allowed.
        must: &'static str,
    },
    /// Limits are the wrong way round, or not finite.
    #[error("the {axis} limits of joint {joint} are {min} and {max}; they must be finite, the lower one first")]
    Limits {
        /// Number of the joint.
        joint: usize,
        /// The axis that is limited.
        axis: JointAxis,
        /// Lower limit.
        min: f32,
        /// Upper limit.
        max: f32,
    },
    /// Both ends are on one body.
    #[error("both ends of joint {0} are on one body; it must join two")]
    SameBody(usize),
    /// A body does not exist.
    #[error("the {which} body of joint {joint} has been removed or belongs to another world; name one of this world")]
    Body {
        /// Number of the joint.
        joint: usize,
        /// Which body it is: `first` or `second`.
        which: &'static str,
    },
    /// The joint has no such limit or motor.
    #[error("the joint has no {part} for its {axis} axis; give it one when it is added")]
    Missing {
        /// Which part of the axis it is: `limit` or `motor`.
        part: &'static str,
        /// The axis that is free.
        axis: JointAxis,
    },
    /// The joint has no motor of its rotation.
    #[error("the joint has no motor of its rotation; give it one when it is added")]
    MissingRotationMotor,
    /// A gear cannot become a rack, nor a rack a gear.
    #[error("a gear cannot become a rack, nor a rack a gear; remove the coupling and add another one")]
    CouplingKind,
    /// The points of a part do not fit together.
    #[error(transparent)]
    Connectors(#[from] ConnectorError),
    /// A constraint type is refused.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// The data of a batch are not valid.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The world refuses the joint.
    #[error(transparent)]
    World(#[from] WorldError),
}
