//! Why a mesh was refused.

use glam::Vec3;
use thiserror::Error;

/// What is wrong with a mesh, and where.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum MeshError {
    /// No vertex or no triangle.
    #[error("the mesh is empty: {vertices} vertices and {indices} indices")]
    Empty {
        /// How many vertices there are.
        vertices: usize,
        /// How many indices there are.
        indices: usize,
    },
    /// A vertex is nowhere.
    #[error("vertex {vertex} is at {position}; a position must be finite")]
    Position {
        /// Vertex.
        vertex: u32,
        /// Where it is said to be \[m\].
        position: Vec3,
    },
    /// The list of indices does not end with a whole triangle.
    #[error("{0} indices are not a whole number of triangles: the count must be a multiple of three")]
    IndexCount(usize),
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {index}, but there are {vertices}")]
    Index {
        /// Triangle.
        triangle: u32,
        /// The index.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A triangle names a vertex twice.
    #[error("triangle {triangle} names vertex {vertex} twice")]
    Repeated {
        /// Triangle.
        triangle: u32,
        /// Vertex.
        vertex: u32,
    },
    /// Two vertices are at one position.
    #[error("vertices {first} and {second} are at the same position; merge them")]
    Duplicate {
        /// The vertex that comes first.
        first: u32,
        /// The other one.
        second: u32,
    },
    /// The corners of a triangle are on a line.
    #[error("triangle {triangle} with vertices {vertices:?} has no area")]
    ZeroArea {
        /// Triangle.
        triangle: u32,
        /// Its vertices.
        vertices: [u32; 3],
    },
    /// More than two triangles share an edge.
    #[error("the edge {edge:?} is shared by triangles {triangles:?}; at most two may share one")]
    SharedEdge {
        /// The vertices of the edge.
        edge: [u32; 2],
        /// The first three triangles.
        triangles: [u32; 3],
    },
    /// Two triangles run through their common edge in the same direction.
    #[error("triangles {triangles:?} face opposite ways: both run through the edge {edge:?} in this direction")]
    Winding {
        /// The vertices of the edge.
        edge: [u32; 2],
        /// The two triangles.
        triangles: [u32; 2],
    },
    /// A vertex that no triangle names.
    #[error("vertex {vertex} belongs to no triangle")]
    Isolated {
        /// Vertex.
        vertex: u32,
    },
}
