//! What a sheet that can tear bears.

use serde::{Deserialize, Serialize};
use xpbd_core::batch::{Batch, BatchError};

use super::Cloth;
use crate::constraint::ClothFace;
use crate::mesh::Mesh;
use crate::parameter::{self, NumberError};

/// What a sheet bears before it tears, and how often it can.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TearSettings {
    /// The largest strain of a triangle in any direction \[1\], against its rest shape, above 0; usually 0.1
    /// to 1. `f32::INFINITY` for no limit.
    pub max_strain: f32,
    /// The largest force of an edge \[N\], from its stretch and its compliance, above 0; edges that do not
    /// stretch have none. `f32::INFINITY` for no limit.
    pub max_force: f32,
    /// Particles that wait to become parts of torn vertices: each is used once.
    pub capacity: usize,
}

impl TearSettings {
    pub(super) fn check(self) -> Result<(), NumberError> {
        parameter::stiffness("tearing strain", self.max_strain)?;
        parameter::stiffness("tearing force", self.max_force)
    }

    /// Returns the faces of a mesh that bear this.
    pub(super) fn faces(self, mesh: &Mesh) -> Result<Batch, BatchError> {
        let finite = |limit: f32| limit.min(f32::MAX);
        let params = mesh.triangle_areas().map(|area| [area, finite(self.max_strain), finite(self.max_force)]);
        ClothFace::batch(mesh.triangles(), &params.collect::<Vec<_>>())
    }
}

impl Cloth {
    /// Lets the sheet [tear](crate::tear()) and be [cut](crate::cut). It then has no tethers, which would hold
    /// what is torn off. Its faces are the last of its batches.
    #[must_use]
    pub fn tearable(mut self, tearing: TearSettings) -> Self {
        self.tearing = Some(tearing);
        self
    }
}
