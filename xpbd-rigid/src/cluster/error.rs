//! The reasons why a cluster, or a query of clusters, is refused.

use glam::Vec3;
use thiserror::Error;
use xpbd_core::batch::BatchError;
use xpbd_core::collide::MeshError;
use xpbd_core::number::NumberError;
use xpbd_core::world::WorldError;

/// The reason why a cluster is refused.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ClusterError {
    /// A number is out of range.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// The indices of the mesh are not whole triangles.
    #[error("{0} indices are not a multiple of three")]
    IndexCount(usize),
    /// The surface mesh is not valid.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Its shape has no bounds, like a half-space.
    #[error("the shape has no bounds")]
    Unbounded,
    /// Its shape has no inside.
    #[error("the shape has a volume of {0} m³; it must be positive and finite")]
    Volume(f32),
    /// The lattice is too fine.
    #[error("the lattice has {points:.0} points; at most {most} can be handled")]
    TooMany {
        /// Number of points of the cluster.
        points: f64,
        /// The most there may be.
        most: u32,
    },
    /// No particle is inside.
    #[error("no particle fits into it with a spacing of {spacing} m")]
    Empty {
        /// Distance of particles \[m\].
        spacing: f32,
    },
    /// A point is not finite.
    #[error("point {point} is at {position}; a position must be finite")]
    Position {
        /// Index of the point.
        point: u32,
        /// Its position \[m\].
        position: Vec3,
    },
    /// A pinned particle does not exist.
    #[error("pin {index} is not a particle: there are {particles}")]
    Pin {
        /// The index that no particle has.
        index: u32,
        /// Number of particles.
        particles: usize,
    },
    /// The data of a batch are not valid.
    #[error(transparent)]
    Batch(#[from] BatchError),
}

/// The reason why a query of the poses of clusters fails.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ClusterQueryError {
    /// The world refuses the handle.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The object has no clusters.
    #[error("the object has no clusters")]
    NoClusters,
    /// A vertex of a skin is not finite.
    #[error("vertex {vertex} is at {position}; a position must be finite")]
    Position {
        /// Index of the vertex.
        vertex: u32,
        /// Its position \[m\].
        position: Vec3,
    },
    /// A list has the wrong length, or was bound to another object.
    #[error("{found} {what} where {expected} were bound")]
    Length {
        /// Contents of the list.
        what: &'static str,
        /// Length of the list.
        found: usize,
        /// The length that it should have.
        expected: usize,
    },
}
