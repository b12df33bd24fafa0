//! Why a soft body was refused.

use thiserror::Error;
use xpbd_core::batch::BatchError;
use xpbd_core::number::NumberError;

use crate::tetra_mesh::TetraError;

/// What is wrong with a soft body.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SoftBodyError {
    /// A number of its material.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// Its mesh.
    #[error(transparent)]
    Mesh(#[from] TetraError),
    /// It pins a vertex that does not exist.
    #[error("pin {index} is not a vertex: there are {vertices}")]
    Pin {
        /// The index.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// The mesh is so large or so small that a mass is not a positive number.
    #[error("the mass of vertex {vertex} is {mass} kg; it must be positive and finite")]
    Mass {
        /// Vertex.
        vertex: u32,
        /// Its mass \[kg\].
        mass: f32,
    },
    /// Two things were asked for that do not go together.
    #[error("{0}")]
    Incompatible(&'static str),
    /// A constraint type or its data.
    #[error(transparent)]
    Batch(#[from] BatchError),
}
