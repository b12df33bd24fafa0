//! Errors of descriptions of ropes.

use glam::Vec3;
use thiserror::Error;
use xpbd_core::batch::BatchError;
use xpbd_core::number::NumberError;

/// An error of a description of a rope.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RopeError {
    /// A number is out of range.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// The rope has no link.
    #[error("a rope needs at least two points; this one has {0}")]
    TooFewPoints(usize),
    /// A position is not finite.
    #[error("the position of point {point} is {position}; it must be finite")]
    Position {
        /// Index of the point.
        point: u32,
        /// Its position \[m\].
        position: Vec3,
    },
    /// Two points that must be apart are at one position.
    #[error("points {first} and {second} are at the same position; move or merge them")]
    Coincident {
        /// Index of the point that comes first.
        first: u32,
        /// Index of the other element.
        second: u32,
    },
    /// The rope is shorter than the distance of its ends.
    #[error("a rope of {length} m cannot span {distance} m; make it longer")]
    TooShort {
        /// Its length \[m\].
        length: f32,
        /// Distance of its ends \[m\].
        distance: f32,
    },
    /// A slack rope has one link only.
    #[error("a rope of one link of {length} m cannot sag over {distance} m; give it more links")]
    OneLink {
        /// Its length \[m\].
        length: f32,
        /// Distance of its ends \[m\].
        distance: f32,
    },
    /// A pin is not a point.
    #[error("pin {index} is not a point of the rope: there are only {points} points")]
    Pin {
        /// Index of the missing element.
        index: u32,
        /// Number of points.
        points: usize,
    },
    /// A constraint type or its data is invalid.
    #[error(transparent)]
    Batch(#[from] BatchError),
}
