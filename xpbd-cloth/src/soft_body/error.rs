//! Errors of descriptions of soft bodies.

use thiserror::Error;
use xpbd_core::batch::BatchError;
use xpbd_core::number::NumberError;

use crate::tetra_mesh::TetraError;

/// An error of a description of a soft body.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SoftBodyError {
    /// A number is out of range.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// The mesh is invalid.
    #[error(transparent)]
    Mesh(#[from] TetraError),
    /// A pin is not a vertex.
    #[error("pin {index} is not a vertex: there are only {vertices} vertices")]
    Pin {
        /// Index of the missing element.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// The mesh is so large or so small that a mass is not a positive number.
    #[error("the mass of vertex {vertex} is {mass} kg; it must be positive and finite")]
    Mass {
        /// Index of the vertex.
        vertex: u32,
        /// Its mass \[kg\].
        mass: f32,
    },
    /// Two settings cannot be combined.
    #[error("{0}")]
    Incompatible(&'static str),
    /// A constraint type or its data is invalid.
    #[error(transparent)]
    Batch(#[from] BatchError),
}
