//! Errors of triangle meshes.

use glam::Vec3;
use thiserror::Error;

/// An error of a triangle mesh, with the element at fault.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum MeshError {
    /// The mesh has no vertex or no triangle.
    #[error("the mesh has {vertices} vertices and {indices} indices; it needs some of both")]
    Empty {
        /// Number of vertices.
        vertices: usize,
        /// Number of indices.
        indices: usize,
    },
    /// A position is not finite.
    #[error("the position of vertex {vertex} is {position}; it must be finite")]
    Position {
        /// Index of the vertex.
        vertex: u32,
        /// Its position \[m\].
        position: Vec3,
    },
    /// The list of indices does not end with a whole triangle.
    #[error("there are {0} indices; their number must be a multiple of three")]
    IndexCount(usize),
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {index}, but there are only {vertices} vertices")]
    Index {
        /// Index of the triangle.
        triangle: u32,
        /// Index of the missing vertex.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A triangle names a vertex twice.
    #[error("triangle {triangle} names vertex {vertex} twice; its vertices must differ")]
    Repeated {
        /// Index of the triangle.
        triangle: u32,
        /// Index of the vertex.
        vertex: u32,
    },
    /// Two vertices are at one position.
    #[error("vertices {first} and {second} are at the same position; merge them")]
    Duplicate {
        /// Index of the vertex that comes first.
        first: u32,
        /// Index of the other vertex.
        second: u32,
    },
    /// The corners of a triangle are on one line.
    #[error("triangle {triangle} with vertices {vertices:?} has no area; remove it")]
    ZeroArea {
        /// Index of the triangle.
        triangle: u32,
        /// Vertices of the triangle.
        vertices: [u32; 3],
    },
    /// More than two triangles share an edge.
    #[error("the edge {edge:?} is shared by triangles {triangles:?}; at most two triangles may share an edge")]
    SharedEdge {
        /// Vertices of the edge.
        edge: [u32; 2],
        /// The first three triangles at the edge.
        triangles: [u32; 3],
    },
    /// Two triangles run through their common edge in the same direction.
    #[error(
        "triangles {triangles:?} face opposite sides: both run through the edge {edge:?} in the same direction; flip one"
    )]
    Winding {
        /// Vertices of the edge.
        edge: [u32; 2],
        /// The two triangles.
        triangles: [u32; 2],
    },
    /// No triangle names a vertex.
    #[error("vertex {vertex} belongs to no triangle; remove it")]
    Isolated {
        /// Index of the vertex.
        vertex: u32,
    },
}
