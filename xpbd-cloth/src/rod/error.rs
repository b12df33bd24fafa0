//! Errors of rods.

use glam::Vec3;
use thiserror::Error;
use xpbd_core::batch::BatchError;
use xpbd_core::connector::ConnectorError;
use xpbd_core::constraint::ConstraintError;
use xpbd_core::number::NumberError;
use xpbd_core::world::WorldError;

/// An error of a description or of an edit of a rod.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RodError {
    /// A number is out of range.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// The rod has no segment.
    #[error("a rod needs at least two points; this one has {0}")]
    TooFewPoints(usize),
    /// A position is not finite.
    #[error("the position of point {point} is {position}; it must be finite")]
    Position {
        /// Index of the point.
        point: u32,
        /// Its position \[m\].
        position: Vec3,
    },
    /// Two neighbours are at one position.
    #[error("points {first} and {second} are at the same position; move or merge them")]
    Coincident {
        /// Index of the point that comes first.
        first: u32,
        /// Index of the other element.
        second: u32,
    },
    /// A segment turns back along the one before it, so that no frame can follow.
    #[error("the rod turns back at point {point}; insert points to make the bend wider")]
    TurnsBack {
        /// Index of the point.
        point: u32,
    },
    /// A pin is not a point.
    #[error("pin {index} is not a point of the rod: there are only {points} points")]
    Pin {
        /// Index of the missing element.
        index: u32,
        /// Number of points.
        points: usize,
    },
    /// The normal is zero, or lies along the first segment.
    #[error("the normal {0} must not be zero or lie along the first segment")]
    Normal(Vec3),
    /// A segment does not exist.
    #[error("segment {index} does not exist: there are only {segments} segments")]
    Segment {
        /// Index of the missing element.
        index: usize,
        /// Number of segments.
        segments: usize,
    },
    /// A constraint type is invalid.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// The connectors of a constraint are invalid.
    #[error(transparent)]
    Connectors(#[from] ConnectorError),
    /// The data of a batch are invalid.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The world refuses the rod.
    #[error(transparent)]
    World(#[from] WorldError),
}
