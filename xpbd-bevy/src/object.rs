//! Objects of particles: cloth, ropes, rods, soft bodies, clusters and fluids.
//!
//! A component that implements [`ObjectSource`] describes an object; [`ObjectPlugin`] builds it once its mesh is loaded,
//! with the [materials](crate::material) beside the component, and keeps it up to date.

mod build;
#[cfg(feature = "cloth")]
pub mod cloth;
#[cfg(feature = "rigid")]
pub mod cluster;
mod cut_links;
#[cfg(feature = "fluid")]
pub mod fluid;
#[cfg(feature = "fluid")]
pub mod foam;
#[cfg(feature = "cloth")]
pub mod frame_damping;
mod material;
pub mod pin;
#[cfg(feature = "cloth")]
pub mod rod;
#[cfg(feature = "cloth")]
pub mod rope;
#[cfg(feature = "cloth")]
pub mod skin_attachment;
#[cfg(feature = "cloth")]
pub mod soft_body;
mod source;
mod transform;
pub(crate) mod transform_sync;

pub use crate::handle::ObjectId;
pub use crate::mesh::{RestMesh, RestSkin, TornMesh, VertexMap, WeldedMesh};
pub use build::ObjectPlugin;
pub use cut_links::CutLinks;
pub use source::{BuiltObject, ObjectSource, SpawnContext};
pub(crate) use transform::ObjectTransform;
