//! Errors of skinning.

use glam::Vec3;
use thiserror::Error;
use xpbd_core::batch::BatchError;
use xpbd_core::world::WorldError;

/// An error of a skin.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SkinningError {
    /// A number of a skinned vertex is out of range.
    #[error("the {what} of vertex {vertex} is {value}; it must be {must}")]
    Number {
        /// Index of the vertex.
        vertex: u32,
        /// Name of the number.
        what: &'static str,
        /// The value that was refused.
        value: f32,
        /// Requirement on the number.
        must: &'static str,
    },
    /// A list has another length than that of the skinned vertices.
    #[error("there are {found} {what} for {count} vertices; give one per vertex")]
    Length {
        /// Elements of the list.
        what: &'static str,
        /// Length of the list.
        found: usize,
        /// Number of skinned vertices.
        count: usize,
    },
    /// A target or its normal is not valid.
    #[error(
        "target {number} has the position {position} and the normal {normal}; both must be finite and the normal of length 1"
    )]
    Target {
        /// Index among the skinned vertices.
        number: usize,
        /// Its position \[m\].
        position: Vec3,
        /// Normal of the target.
        normal: Vec3,
    },
    /// A batch of constraints is invalid.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The world refuses the edit.
    #[error(transparent)]
    World(#[from] WorldError),
}
