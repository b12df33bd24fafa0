//! Why a tetrahedral mesh was refused.

use glam::Vec3;
use thiserror::Error;

/// What is wrong with a tetrahedral mesh, and where.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum TetraError {
    /// No vertex or no tetrahedron.
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
    /// The list of indices does not end with a whole tetrahedron.
    #[error("{0} indices are not a whole number of tetrahedra: the count must be a multiple of four")]
    IndexCount(usize),
    /// A tetrahedron names a vertex that does not exist.
    #[error("tetrahedron {tetrahedron} names vertex {index}, but there are {vertices}")]
    Index {
        /// Tetrahedron.
        tetrahedron: u32,
        /// The index.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A tetrahedron names a vertex twice.
    #[error("tetrahedron {tetrahedron} names vertex {vertex} twice")]
    Repeated {
        /// Tetrahedron.
        tetrahedron: u32,
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
    /// The corners of a tetrahedron are in a plane.
    #[error("tetrahedron {tetrahedron} with vertices {vertices:?} has no volume")]
    ZeroVolume {
        /// Tetrahedron.
        tetrahedron: u32,
        /// Its vertices.
        vertices: [u32; 4],
    },
    /// A tetrahedron's last vertex is on the wrong side of the other three.
    #[error("tetrahedron {tetrahedron} with vertices {vertices:?} is inverted; swap two of its vertices")]
    Inverted {
        /// Tetrahedron.
        tetrahedron: u32,
        /// Its vertices.
        vertices: [u32; 4],
    },
    /// More than one tetrahedron is on one side of a face.
    #[error("tetrahedra {tetrahedra:?} are on the same side of the face {face:?}")]
    SharedFace {
        /// The vertices of the face.
        face: [u32; 3],
        /// The first two tetrahedra.
        tetrahedra: [u32; 2],
    },
    /// A box of more cells than can be numbered.
    #[error("{0:?} cells are too many")]
    Cells([u32; 3]),
    /// A vertex that no tetrahedron names.
    #[error("vertex {vertex} belongs to no tetrahedron")]
    Isolated {
        /// Vertex.
        vertex: u32,
    },
}
