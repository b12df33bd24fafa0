//! Gas in a cloth that is closed.

use serde::{Deserialize, Serialize};
use xpbd_core::number::NumberError;

use super::{Cloth, ClothError};
use crate::inflation::{Inflation, SMALLEST_VOLUME};
use crate::mesh::Mesh;

/// The gas in a closed cloth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct Gas {
    /// Amount of gas.
    pub amount: GasAmount,
    /// Compliance \[m³/Pa\]: change of the volume with the pressure. 0 holds the volume at any pressure.
    pub compliance: f32,
}

/// The volume that the gas in a closed cloth wants.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum GasAmount {
    /// Multiple of the volume at rest \[1\].
    Ratio(f32),
    /// Volume \[m³\].
    Volume(f32),
}

impl Cloth {
    /// Inflates a closed mesh to `ratio` \[1\] of its volume at rest, with a compliance \[m³/Pa\]; 0 holds
    /// that volume at any pressure. See [`Inflation`].
    #[must_use]
    pub fn inflated(mut self, ratio: f32, compliance: f32) -> Self {
        self.settings.gas = Some(Gas { amount: GasAmount::Ratio(ratio), compliance });
        self
    }

    /// Fills a closed mesh, which may be flat at rest, with gas of this volume \[m³\] and compliance
    /// \[m³/Pa\].
    #[must_use]
    pub fn filled(mut self, volume: f32, compliance: f32) -> Self {
        self.settings.gas = Some(Gas { amount: GasAmount::Volume(volume), compliance });
        self
    }
}

impl Gas {
    pub(super) fn check(self) -> Result<(), NumberError> {
        NumberError::check_not_negative("compliance of the gas", self.compliance)?;
        match self.amount {
            GasAmount::Ratio(ratio) => NumberError::check_positive("ratio of volumes", ratio),
            GasAmount::Volume(volume) => NumberError::check_positive("volume of the gas", volume),
        }
    }

    pub(super) fn batch(self, mesh: &Mesh) -> Result<Inflation, ClothError> {
        if let Some(edge) = mesh.boundary().next() {
            return Err(ClothError::OpenMesh { edge: edge.vertices, triangle: edge.first.triangle });
        }
        let rest = mesh.volume();
        let volume = match self.amount {
            GasAmount::Ratio(ratio) => {
                let area = f64::from(mesh.area());
                if rest.abs() <= SMALLEST_VOLUME * area * area.sqrt() {
                    return Err(ClothError::NoVolume { volume: rest as f32 });
                }
                f64::from(ratio) * rest
            }
            GasAmount::Volume(volume) => f64::from(volume) * if rest < 0.0 { -1.0 } else { 1.0 },
        };
        Ok(Inflation::new(mesh.triangles(), volume as f32).compliance(self.compliance))
    }
}
