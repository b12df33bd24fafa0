//! Why a cloth was refused.

use thiserror::Error;
use xpbd_core::batch::BatchError;

use crate::mesh::MeshError;
use crate::parameter::NumberError;

/// What is wrong with a cloth.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ClothError {
    /// A number of its material.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// Its mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
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
    /// Isometric bending was asked for where the rest shape is not flat.
    #[error(
        "the rest shape is bent by {angle} rad at the edge {edge:?}; isometric bending needs a flat one, use dihedral"
    )]
    NotFlat {
        /// The vertices of the edge.
        edge: [u32; 2],
        /// Angle between its triangles \[rad\].
        angle: f32,
    },
    /// Two things were asked for that do not go together.
    #[error("{0}")]
    Mismatch(&'static str),
    /// A constraint type or its data.
    #[error(transparent)]
    Batch(#[from] BatchError),
}
