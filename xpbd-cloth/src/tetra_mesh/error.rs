//! Errors of tetrahedral meshes.

use glam::Vec3;
use thiserror::Error;

/// An error of a tetrahedral mesh, with the element at fault.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum TetraError {
    /// The mesh has no vertex or no tetrahedron.
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
    /// The list of indices does not end with a whole tetrahedron.
    #[error("there are {0} indices; their number must be a multiple of four")]
    IndexCount(usize),
    /// A tetrahedron names a vertex that does not exist.
    #[error("tetrahedron {tetrahedron} names vertex {index}, but there are only {vertices} vertices")]
    Index {
        /// Index of the tetrahedron.
        tetrahedron: u32,
        /// Index of the missing element.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A tetrahedron names a vertex twice.
    #[error("tetrahedron {tetrahedron} names vertex {vertex} twice; its vertices must differ")]
    Repeated {
        /// Index of the tetrahedron.
        tetrahedron: u32,
        /// Index of the vertex.
        vertex: u32,
    },
    /// Two vertices are at one position.
    #[error("vertices {first} and {second} are at the same position; merge them")]
    Duplicate {
        /// The vertex that comes first.
        first: u32,
        /// Index of the other element.
        second: u32,
    },
    /// The corners of a tetrahedron are in a plane.
    #[error("tetrahedron {tetrahedron} with vertices {vertices:?} has no volume; remove it")]
    ZeroVolume {
        /// Index of the tetrahedron.
        tetrahedron: u32,
        /// Vertices of the tetrahedron.
        vertices: [u32; 4],
    },
    /// A tetrahedron's last vertex is on the wrong side of the other three.
    #[error("tetrahedron {tetrahedron} with vertices {vertices:?} is inverted; swap two of its vertices")]
    Inverted {
        /// Index of the tetrahedron.
        tetrahedron: u32,
        /// Vertices of the tetrahedron.
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
    #[error("{0:?} cells are too many; use larger ones")]
    Cells([u32; 3]),
    /// No tetrahedron names a vertex.
    #[error("vertex {vertex} belongs to no tetrahedron; remove it")]
    Isolated {
        /// Index of the vertex.
        vertex: u32,
    },
}
