//! The air around a cloth.

#[cfg(feature = "bevy_reflect")]
use bevy_reflect::std_traits::ReflectDefault;
use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::batch::Batch;
use xpbd_core::number::NumberError;

use super::ClothError;
use crate::constraint::{Aerodynamics, AerodynamicsParameters};
use crate::mesh::Mesh;

/// The sides of a triangle on which air pushes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum AirSides {
    /// Both sides: flags, sails, sheets.
    #[default]
    Both,
    /// The side along the normal: closed surfaces, whose other side no air reaches.
    Front,
}

/// The air around a cloth and the aerodynamic coefficients of its triangles; see
/// [`Aerodynamics`](crate::constraint::aerodynamics).
///
/// The wind may differ from triangle to triangle and change from frame to frame:
/// [`set_wind`](crate::set_wind), [`set_wind_field`](crate::set_wind_field).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, Default, PartialEq))]
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
    /// Sides of a triangle on which the air pushes.
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

impl Air {
    pub(super) fn check(self) -> Result<(), NumberError> {
        let [drag, edge_drag] = [self.drag_coefficient, self.edge_drag_coefficient];
        NumberError::check_positive("density of the air", self.density)?;
        NumberError::check_not_negative("edge drag coefficient", edge_drag)?;
        NumberError::check_not_negative("lift slope", self.lift_slope)?;
        NumberError::check_not_negative("drag coefficient", drag)?;
        NumberError::check("drag coefficient", drag, "at least that of the edge", drag >= edge_drag)?;
        self.wind.to_array().into_iter().try_for_each(|component| NumberError::check_finite("wind", component))
    }

    pub(super) fn batch(self, mesh: &Mesh) -> Result<Batch, ClothError> {
        let coefficients = [self.drag_coefficient, self.lift_slope, self.edge_drag_coefficient];
        let parameters = AerodynamicsParameters::new(self.wind, coefficients, self.sides == AirSides::Both);
        let compliances = mesh.triangle_areas().map(|area| Aerodynamics::compliance(area, self.density));
        let batch = Batch::new(Aerodynamics, mesh.triangles(), &vec![parameters; mesh.triangles().len()])?;
        Ok(batch.compliances(compliances.collect())?)
    }
}
