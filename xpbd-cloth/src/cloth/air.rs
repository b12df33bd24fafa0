//! The air around a cloth.

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::batch::Batch;

use super::{Cloth, ClothError};
use crate::constraint::Aerodynamics;
use crate::mesh::Mesh;
use crate::parameter::{self, NumberError};

/// On which sides of a triangle air pushes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum AirSides {
    /// On both: flags, sails, sheets.
    #[default]
    Both,
    /// On the side that faces along the normal: closed surfaces, whose other side no air reaches.
    Front,
}

/// The air around a cloth and how its triangles meet it, see [`Aerodynamics`](crate::constraint::air).
///
/// The wind may differ from triangle to triangle and change from frame to frame:
/// [`set_wind`](crate::set_wind), [`blow`](crate::blow).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Air {
    /// Density \[kg/m³\]: 1.2 of air, 1000 of water.
    pub density: f32,
    /// Drag coefficient face-on \[1\], 1.2 of a plate.
    pub drag_coefficient: f32,
    /// Slope of the lift coefficient at small angles of attack \[1/rad\]: 1.5 of a square plate, up to
    /// 2π of a long thin wing; 0 for a pressure that goes with the square of the sine.
    pub lift_slope: f32,
    /// Drag coefficient edge-on \[1\], at most that face-on: 0.01 to 0.05.
    pub edge_drag_coefficient: f32,
    /// On which sides it pushes.
    pub sides: AirSides,
    /// Wind \[m/s\].
    pub wind: Vec3,
}

/// Still air of 1.2 kg/m³ on both sides of a plate.
impl Default for Air {
    fn default() -> Self {
        Self {
            density: 1.2,
            drag_coefficient: 1.2,
            lift_slope: 1.5,
            edge_drag_coefficient: 0.02,
            sides: AirSides::Both,
            wind: Vec3::ZERO,
        }
    }
}

impl Cloth {
    /// Puts it into air, which pushes on every triangle. Its batch, `aerodynamics`, comes before all
    /// others.
    #[must_use]
    pub fn air(mut self, air: Air) -> Self {
        self.air = Some(air);
        self
    }
}

impl Air {
    pub(super) fn check(self) -> Result<(), NumberError> {
        parameter::positive("density of the air", self.density)?;
        parameter::not_negative("friction coefficient of the air", self.edge_drag_coefficient)?;
        parameter::not_negative("lift coefficient", self.lift_slope)?;
        parameter::not_negative("drag coefficient", self.drag_coefficient)?;
        parameter::at_least(
            "drag coefficient",
            self.drag_coefficient,
            self.edge_drag_coefficient,
            "at least that of friction",
        )?;
        self.wind.to_array().into_iter().try_for_each(|component| parameter::finite("wind", component))
    }

    pub(super) fn batch(self, mesh: &Mesh) -> Result<Batch, ClothError> {
        let [x, y, z] = self.wind.to_array();
        let [a, e, b] = Aerodynamics::coefficients(self.drag_coefficient, self.lift_slope, self.edge_drag_coefficient);
        let back = if self.sides == AirSides::Both { 1.0 } else { 0.0 };
        let params = vec![[x, y, z, a, e, b, back]; mesh.triangles().len()];
        let compliances = mesh.triangle_areas().map(|area| Aerodynamics::compliance(area, self.density));
        Ok(Batch::new(Aerodynamics, mesh.triangles(), &params)?.compliances(compliances.collect())?)
    }
}
