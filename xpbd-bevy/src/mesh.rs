//! Meshes and the particles that their vertices follow.

mod nearest;
mod vertex_map;
mod welded;

pub(crate) use nearest::nearest_points;
pub use vertex_map::{RestMesh, RestSkin, TornMesh, VertexMap};
pub use welded::WeldedMesh;
