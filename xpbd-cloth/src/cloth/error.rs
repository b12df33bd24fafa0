//! Errors of descriptions of cloth.

use thiserror::Error;
use xpbd_core::batch::BatchError;
use xpbd_core::number::NumberError;

use crate::mesh::MeshError;

/// An error of a description of cloth.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ClothError {
    /// A number is out of range.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// The mesh is invalid.
    #[error(transparent)]
    Mesh(#[from] MeshError),
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
    /// Isometric bending needs a flat rest shape.
    #[error(
        "the rest shape is bent by {angle} rad at the edge {edge:?}; isometric bending needs a flat one, use dihedral"
    )]
    NotFlat {
        /// Vertices of the edge.
        edge: [u32; 2],
        /// Angle between its triangles \[rad\].
        angle: f32,
    },
    /// Two settings cannot be combined.
    #[error("{0}")]
    Incompatible(&'static str),
    /// A stiffness factor is out of range.
    #[error("the stiffness factor of vertex {vertex} is {factor}; it must be positive and finite")]
    StiffnessFactor {
        /// Index of the vertex.
        vertex: u32,
        /// Its factor \[1\].
        factor: f32,
    },
    /// There are not as many stiffness factors as vertices.
    #[error("there are {found} stiffness factors for {vertices} vertices; give one per vertex, or none")]
    StiffnessFactors {
        /// Number of factors given.
        found: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// There are not as many texture coordinates as vertices.
    #[error("there are {coordinates} texture coordinates for {vertices} vertices; give one pair per vertex")]
    TextureCoordinates {
        /// Number of texture coordinates.
        coordinates: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// The warp has no direction in a triangle.
    #[error("the warp of triangle {triangle} has no direction: {warp} is perpendicular to the triangle or zero")]
    WarpDirection {
        /// Index of the triangle.
        triangle: u32,
        /// Direction of the warp.
        warp: glam::Vec3,
    },
    /// A mesh that holds gas has a hole.
    #[error(
        "the mesh is open: the edge {edge:?} of triangle {triangle} is a boundary; only a closed mesh can hold gas"
    )]
    OpenMesh {
        /// Vertices of the edge.
        edge: [u32; 2],
        /// Triangle beside the edge.
        triangle: u32,
    },
    /// A mesh that is inflated by a ratio encloses nothing.
    #[error("the mesh encloses {volume} m³ at rest; use `filled` with a volume instead of `inflated`")]
    NoVolume {
        /// Volume \[m³\].
        volume: f32,
    },
    /// A constraint type or its data is invalid.
    #[error(transparent)]
    Batch(#[from] BatchError),
}
