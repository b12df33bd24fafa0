//! Why a skin was refused.

use glam::Vec3;
use thiserror::Error;
use xpbd_core::batch::BatchError;
use xpbd_core::world::WorldError;

/// What is wrong with a skin.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SkinningError {
    /// A number of a vertex that follows it.
    #[error("the {what} of vertex {vertex} is {value}; it must be {must}")]
    Number {
        /// Vertex.
        vertex: u32,
        /// Which number.
        what: &'static str,
        /// The number.
        value: f32,
        /// What it must be.
        must: &'static str,
    },
    /// A list has another length than that of the vertices that follow.
    #[error("there are {found} {what} for {count} vertices")]
    Length {
        /// What the list holds.
        what: &'static str,
        /// Its length.
        found: usize,
        /// What it should be.
        count: usize,
    },
    /// A place or its normal.
    #[error("place {number} is at {position} with the normal {normal}; both must be finite and the normal of length 1")]
    Target {
        /// Number among the vertices that follow.
        number: usize,
        /// Where it is said to be \[m\].
        position: Vec3,
        /// Its normal.
        normal: Vec3,
    },
    /// The constraints.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The world refuses something.
    #[error(transparent)]
    World(#[from] WorldError),
}
