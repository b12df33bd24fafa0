//! What fluids are like.

use serde::{Deserialize, Serialize};

use crate::FluidError;
use crate::kernel::SECOND_MOMENT;
use crate::surface_tension::MAX_FORCE;

/// What a fluid is like, in physical units.
///
/// ```
/// use xpbd_fluid::Liquid;
///
/// let syrup = Liquid::new(1330.0).viscosity(5.0).surface_tension(0.08);
/// assert!(syrup.check().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FluidMaterial {
    /// Rest density \[kg/m³\], positive.
    pub density: f32,
    /// Dynamic viscosity \[Pa s\]. What a step can do is bounded: [`FluidMaterial::max_viscosity`].
    pub viscosity: f32,
    /// Surface tension \[N/m\]. What a step can do is bounded: [`FluidMaterial::max_surface_tension`].
    pub surface_tension: f32,
    /// Work of adhesion to solids and walls \[N/m\]: γ (1 + cos θ) for a contact angle θ.
    pub adhesion: f32,
    /// Vorticity confinement \[1/s\]: eddies as small as particles gain about this part of their speed a second.
    /// Usually below 5; it adds energy.
    pub vorticity: f32,
    /// Drag by still air \[1/s\]: velocity decays by about this part of itself a second.
    pub linear_damping: f32,
    /// Density of what it is surrounded by \[kg/m³\], whose buoyancy it feels.
    pub ambient_density: f32,
}

impl FluidMaterial {
    /// Water at 20 °C, on plastic.
    pub const WATER: Self = Self::new(998.0).viscosity(1.0e-3).surface_tension(0.0728).adhesion(0.1);
    /// Olive oil at 20 °C, which wets most solids.
    pub const OIL: Self = Self::new(911.0).viscosity(0.084).surface_tension(0.032).adhesion(0.06);
    /// Honey at 20 °C.
    pub const HONEY: Self = Self::new(1420.0).viscosity(10.0).surface_tension(0.055).adhesion(0.1);
    /// Mercury at 20 °C, which wets little but metals.
    pub const MERCURY: Self = Self::new(13_546.0).viscosity(1.53e-3).surface_tension(0.485).adhesion(0.11);
    /// Smoke of 320 °C, light as hot air and swirling, in air.
    pub const SMOKE: Self = Self::new(0.6).viscosity(3.0e-5).vorticity(2.0).linear_damping(5.0).ambient_density(1.2);

    /// Creates a fluid of this density \[kg/m³\] that does nothing but keep it.
    pub const fn new(density: f32) -> Self {
        let (viscosity, surface_tension, adhesion, vorticity, drag, ambient) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        Self {
            density,
            viscosity,
            surface_tension,
            adhesion,
            vorticity,
            linear_damping: drag,
            ambient_density: ambient,
        }
    }

    /// With this density \[kg/m³\].
    #[must_use]
    pub const fn density(self, density: f32) -> Self {
        Self { density, ..self }
    }

    /// With this dynamic viscosity \[Pa s\].
    #[must_use]
    pub const fn viscosity(self, viscosity: f32) -> Self {
        Self { viscosity, ..self }
    }

    /// With this surface tension \[N/m\].
    #[must_use]
    pub const fn surface_tension(self, surface_tension: f32) -> Self {
        Self { surface_tension, ..self }
    }

    /// With this work of adhesion \[N/m\].
    #[must_use]
    pub const fn adhesion(self, adhesion: f32) -> Self {
        Self { adhesion, ..self }
    }

    /// With this vorticity confinement \[1/s\].
    #[must_use]
    pub const fn vorticity(self, vorticity: f32) -> Self {
        Self { vorticity, ..self }
    }

    /// With this drag \[1/s\].
    #[must_use]
    pub const fn linear_damping(self, drag: f32) -> Self {
        Self { linear_damping: drag, ..self }
    }

    /// In surroundings of this density \[kg/m³\].
    #[must_use]
    pub const fn ambient_density(self, ambient: f32) -> Self {
        Self { ambient_density: ambient, ..self }
    }

    /// Factor of gravity \[1\] that is left of buoyancy, (ρ − ρₐ)/ρ: negative for what rises.
    pub fn gravity_scale(&self) -> f32 {
        (self.density - self.ambient_density) / self.density
    }

    /// Returns the largest viscosity \[Pa s\] that particles this far apart \[m\] can have in substeps of this length
    /// \[s\]; a fluid that should be more viscous is as viscous as that.
    pub fn max_viscosity(&self, spacing: f32, substep: f32) -> f32 {
        self.density * SECOND_MOMENT * spacing * spacing / (2.0 * substep)
    }

    /// Returns the largest surface tension \[N/m\] that particles this far apart \[m\] can have in substeps of this
    /// length \[s\]; a fluid that should have more has that.
    pub fn max_surface_tension(&self, spacing: f32, substep: f32) -> f32 {
        MAX_FORCE * self.density * spacing * spacing * spacing / (substep * substep)
    }

    /// Refuses what no step could honour.
    ///
    /// # Errors
    /// The first number that is not valid.
    pub fn check(&self) -> Result<(), FluidError> {
        let refuse = |what, value, must| Err(FluidError::Number { what, value, must });
        if !(self.density.is_normal() && self.density > 0.0) {
            return refuse("the density", self.density, "finite and positive");
        }
        for (what, value) in [
            ("the viscosity", self.viscosity),
            ("the surface tension", self.surface_tension),
            ("the adhesion", self.adhesion),
            ("the vorticity confinement", self.vorticity),
            ("the drag", self.linear_damping),
            ("the density of the surroundings", self.ambient_density),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return refuse(what, value, "finite and not negative");
            }
        }
        if !self.gravity_scale().is_finite() {
            return refuse("the density", self.density, "not so small beside that of the surroundings");
        }
        Ok(())
    }

    /// Returns what the solver reads, in the order of [`VISCOSITY`] and the others.
    pub(crate) fn numbers(&self) -> Vec<f32> {
        vec![self.density, self.viscosity, self.surface_tension, self.adhesion, self.vorticity]
    }
}

/// Water that does nothing but keep its density: what else it does hardly shows at a decimetre and above, and
/// takes as long again.
impl Default for FluidMaterial {
    fn default() -> Self {
        Self::new(Self::WATER.density)
    }
}

/// Place of the viscosity among the numbers of a material.
pub(crate) const VISCOSITY: usize = 1;
/// Place of the surface tension.
pub(crate) const SURFACE_TENSION: usize = 2;
/// Place of the adhesion.
pub(crate) const ADHESION: usize = 3;
/// Place of the vorticity confinement.
pub(crate) const VORTICITY: usize = 4;
