//! Why a cloth was refused.

use thiserror::Error;
use xpbd_core::batch::BatchError;
use xpbd_core::number::NumberError;

use crate::mesh::MeshError;

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
    Incompatible(&'static str),
    /// The stiffness of a place cannot be multiplied by this.
    #[error("the stiffness factor of vertex {vertex} is {factor}; it must be positive and finite")]
    StiffnessFactor {
        /// Vertex.
        vertex: u32,
        /// Its factor \[1\].
        factor: f32,
    },
    /// There are not as many stiffness factors as vertices.
    #[error("there are {found} stiffness factors for {vertices} vertices; give one per vertex, or none")]
    StiffnessFactors {
        /// Number of factors.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// There are not as many texture coordinates as vertices.
    #[error("there are {coordinates} texture coordinates for {vertices} vertices")]
    TextureCoordinates {
        /// How many there are.
        coordinates: usize,
        /// How many there should be.
        vertices: usize,
    },
    /// The warp has no direction in a triangle.
    #[error("the warp of triangle {triangle} has no direction: {warp} is across it or zero")]
    WarpDirection {
        /// Triangle.
        triangle: u32,
        /// The direction asked for.
        warp: glam::Vec3,
    },
    /// What is to be inflated has a hole.
    #[error("the mesh is open: the edge {edge:?} of triangle {triangle} is a boundary; only a closed one holds gas")]
    OpenMesh {
        /// The vertices of the edge.
        edge: [u32; 2],
        /// The triangle beside it.
        triangle: u32,
    },
    /// What is to be inflated encloses nothing.
    #[error("the mesh encloses {volume} m³ at rest; to be inflated by a ratio it must be more than rounding")]
    NoVolume {
        /// Volume \[m³\].
        volume: f32,
    },
    /// A constraint type or its data.
    #[error(transparent)]
    Batch(#[from] BatchError),
}
