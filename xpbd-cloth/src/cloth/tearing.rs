//! The limits beyond which a sheet tears.

use serde::{Deserialize, Serialize};
use xpbd_core::batch::{Batch, BatchError};
use xpbd_core::number::NumberError;

use crate::constraint::{ClothFace, ClothFaceParameters};
use crate::mesh::Mesh;

/// The limits beyond which a sheet tears, and how often it can.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct TearSettings {
    /// Largest strain of a triangle in any direction \[1\], against its rest shape, above 0; usually 0.1
    /// to 1. `f32::INFINITY` for no limit.
    pub max_strain: f32,
    /// Largest force of an edge \[N\], from its stretch and its compliance, above 0; edges that do not
    /// stretch have none. `f32::INFINITY` for no limit.
    pub max_force: f32,
    /// Number of inactive particles that wait to become parts of torn vertices. Each is used once.
    pub capacity: usize,
}

impl TearSettings {
    pub(super) fn check(self) -> Result<(), NumberError> {
        NumberError::check_positive_or_infinite("tearing strain", self.max_strain)?;
        NumberError::check_positive_or_infinite("tearing force", self.max_force)
    }

    /// Creates the faces of a mesh with these limits.
    pub(super) fn faces(self, mesh: &Mesh) -> Result<Batch, BatchError> {
        let finite = |limit: f32| limit.min(f32::MAX);
        let (max_strain, max_force) = (finite(self.max_strain), finite(self.max_force));
        let face = |rest_area| ClothFaceParameters { rest_area, max_strain, max_force };
        ClothFace::batch(mesh.triangles(), &mesh.triangle_areas().map(face).collect::<Vec<_>>())
    }
}
