//! Why a joint was refused.

use glam::Vec3;
use thiserror::Error;
use xpbd_core::batch::BatchError;
use xpbd_core::connector::ConnectorError;
use xpbd_core::constraint::ConstraintError;
use xpbd_core::world::WorldError;

use super::JointAxis;

/// What is wrong with a joint; `joint` is its number among those that are added together.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum JointError {
    /// A vector is not finite.
    #[error("the {what} of joint {joint} is {value}; it must be finite")]
    Vector {
        /// Joint.
        joint: usize,
        /// Which vector.
        what: &'static str,
        /// The vector.
        value: Vec3,
    },
    /// A direction is none.
    #[error("the {what} of joint {joint} is {value}, which is no direction")]
    Direction {
        /// Joint.
        joint: usize,
        /// Which direction.
        what: &'static str,
        /// The vector.
        value: Vec3,
    },
    /// A number is not one that it may be.
    #[error("the {what} of joint {joint} is {value}; it must be {must}")]
    Number {
        /// Joint.
        joint: usize,
        /// Which number.
        what: &'static str,
        /// The number.
        value: f32,
        /// What it must be.
        must: &'static str,
    },
    /// The bounds of a limit are the wrong way round, or not finite.
    #[error("the {what} limits of joint {joint} are {min} and {max}; they must be finite, the lower one first")]
    Limits {
        /// Joint.
        joint: usize,
        /// Which limits.
        what: JointAxis,
        /// Lower bound.
        min: f32,
        /// Upper bound.
        max: f32,
    },
    /// Both ends are on one body.
    #[error("joint {0} joins a body to itself")]
    SameBody(usize),
    /// A body has been removed.
    #[error("the {which} body of joint {joint} has been removed, or belongs to another world")]
    Body {
        /// Joint.
        joint: usize,
        /// `first` or `second`.
        which: &'static str,
    },
    /// The joint has no limit or motor there.
    #[error("the joint has no {part} for its {axis}; give it one when it is added")]
    Missing {
        /// `limit` or `motor`.
        part: &'static str,
        /// The free axis.
        axis: JointAxis,
    },
    /// The connectors of a part do not fit together.
    #[error(transparent)]
    Connectors(#[from] ConnectorError),
    /// A constraint type.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// The data of a batch.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// What the world refused.
    #[error(transparent)]
    World(#[from] WorldError),
}
