//! Why a rope was refused.

use glam::Vec3;
use thiserror::Error;
use xpbd_core::batch::BatchError;
use xpbd_core::number::NumberError;

/// What is wrong with a rope.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RopeError {
    /// A number of its material, or its length.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// It has no link.
    #[error("a rope needs at least two points; this one has {0}")]
    TooFewPoints(usize),
    /// A point is nowhere.
    #[error("point {point} is at {position}; a position must be finite")]
    Position {
        /// Point.
        point: u32,
        /// Where it is said to be \[m\].
        position: Vec3,
    },
    /// Two points that must be apart are at one place.
    #[error("points {first} and {second} are at the same position")]
    Coincident {
        /// The point that comes first.
        first: u32,
        /// The other one.
        second: u32,
    },
    /// It is shorter than the distance that it spans.
    #[error("a rope of {length} m cannot span {distance} m")]
    TooShort {
        /// Its length \[m\].
        length: f32,
        /// The distance of its ends \[m\].
        distance: f32,
    },
    /// It is to sag, but has one link only.
    #[error("a rope of one link of {length} m cannot sag over {distance} m; give it more links")]
    OneLink {
        /// Its length \[m\].
        length: f32,
        /// The distance of its ends \[m\].
        distance: f32,
    },
    /// It pins a point that does not exist.
    #[error("pin {index} is not a point of the rope: there are {points}")]
    Pin {
        /// The index.
        index: u32,
        /// How many points there are.
        points: usize,
    },
    /// A constraint type or its data.
    #[error(transparent)]
    Batch(#[from] BatchError),
}
