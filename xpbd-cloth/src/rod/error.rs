//! Why a rod was refused.

use glam::Vec3;
use thiserror::Error;
use xpbd_core::batch::BatchError;
use xpbd_core::connector::ConnectorError;
use xpbd_core::constraint::ConstraintError;
use xpbd_core::number::NumberError;
use xpbd_core::world::WorldError;

/// What is wrong with a rod.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RodError {
    /// A number of its material or shape.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// It has no segment.
    #[error("a rod needs at least two points; this one has {0}")]
    TooFewPoints(usize),
    /// A point is nowhere.
    #[error("point {point} is at {position}; a position must be finite")]
    Position {
        /// Point.
        point: u32,
        /// Where it is said to be \[m\].
        position: Vec3,
    },
    /// Two neighbours are at one place.
    #[error("points {first} and {second} are at the same position")]
    Coincident {
        /// The point that comes first.
        first: u32,
        /// The other one.
        second: u32,
    },
    /// A segment goes back along the one before it, so that no frame can follow.
    #[error("the rod turns back at point {point}; it cannot be folded at a point")]
    TurnsBack {
        /// Point.
        point: u32,
    },
    /// It pins a point that does not exist.
    #[error("pin {index} is not a point of the rod: there are {points}")]
    Pin {
        /// The index.
        index: u32,
        /// How many points there are.
        points: usize,
    },
    /// The direction of the first axis across the rod is none, or lies along it.
    #[error("{0} is no direction across the first segment")]
    Normal(Vec3),
    /// There is no such segment.
    #[error("segment {index} does not exist: there are {segments}")]
    Segment {
        /// The index.
        index: usize,
        /// How many segments there are.
        segments: usize,
    },
    /// A constraint type.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// The connectors of a constraint.
    #[error(transparent)]
    Connectors(#[from] ConnectorError),
    /// The data of a batch.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// What the world refused.
    #[error(transparent)]
    World(#[from] WorldError),
}
