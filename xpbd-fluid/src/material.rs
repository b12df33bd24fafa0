//! Materials of fluids.

use serde::{Deserialize, Serialize};

use crate::error::FluidError;
use crate::kernel::SECOND_MOMENT;

/// The material of a fluid, in physical units.
///
/// ```
/// use xpbd_fluid::FluidMaterial;
///
/// let syrup = FluidMaterial::new(1330.0).viscosity(5.0).surface_tension(0.08);
/// assert!(syrup.check().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct FluidMaterial {
    /// Rest density \[kg/m³\], positive. A liquid under one that is r times as heavy is compressed r times as much as under
    /// itself, so that it needs √r times the substeps: in a basin 18 particles deep 10 for r = 30, and 20 for r = 100.
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

    /// Returns a material of a density \[kg/m³\] without other effects.
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

    /// Sets the density \[kg/m³\].
    #[must_use]
    pub const fn density(self, density: f32) -> Self {
        Self { density, ..self }
    }

    /// Sets the dynamic viscosity \[Pa s\].
    #[must_use]
    pub const fn viscosity(self, viscosity: f32) -> Self {
        Self { viscosity, ..self }
    }

    /// Sets the surface tension \[N/m\].
    #[must_use]
    pub const fn surface_tension(self, surface_tension: f32) -> Self {
        Self { surface_tension, ..self }
    }

    /// Sets the work of adhesion \[N/m\].
    #[must_use]
    pub const fn adhesion(self, adhesion: f32) -> Self {
        Self { adhesion, ..self }
    }

    /// Sets the vorticity confinement \[1/s\].
    #[must_use]
    pub const fn vorticity(self, vorticity: f32) -> Self {
        Self { vorticity, ..self }
    }

    /// Sets the linear damping \[1/s\].
    #[must_use]
    pub const fn linear_damping(self, linear_damping: f32) -> Self {
        Self { linear_damping, ..self }
    }

    /// Sets the density of the surroundings \[kg/m³\].
    #[must_use]
    pub const fn ambient_density(self, ambient_density: f32) -> Self {
        Self { ambient_density, ..self }
    }

    /// Returns the factor of gravity \[1\] that buoyancy leaves, (ρ − ρₐ)/ρ; it is negative for a fluid that rises.
    pub fn gravity_scale(&self) -> f32 {
        (self.density - self.ambient_density) / self.density
    }

    /// Returns the largest viscosity \[Pa s\] of particles `spacing` \[m\] apart in substeps of `substep` \[s\]; a fluid
    /// with a larger one behaves as if it had that.
    pub fn max_viscosity(&self, spacing: f32, substep: f32) -> f32 {
        self.density * SECOND_MOMENT * spacing * spacing / (2.0 * substep)
    }

    /// Returns the largest surface tension \[N/m\] of particles `spacing` \[m\] apart in substeps of `substep` \[s\]; a
    /// fluid with a larger one behaves as if it had that.
    pub fn max_surface_tension(&self, spacing: f32, substep: f32) -> f32 {
        MAX_FORCE * self.density * spacing * spacing * spacing / (substep * substep)
    }

    /// Checks the numbers of the material.
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
            ("the linear damping", self.linear_damping),
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

    /// Returns the numbers that the solver reads, in the order of [`VISCOSITY`] and the others.
    pub(crate) fn numbers(&self) -> Vec<f32> {
        vec![self.density, self.viscosity, self.surface_tension, self.adhesion, self.vorticity]
    }
}

/// Water without viscosity, surface tension and adhesion, whose effect is small at sizes of a decimetre and above, and
/// which would double the time of a step.
impl Default for FluidMaterial {
    fn default() -> Self {
        Self::new(Self::WATER.density)
    }
}

/// The largest surface tension or work of adhesion that a step can follow, times h²/m \[1\].
pub(crate) const MAX_FORCE: f32 = 0.02;

/// Index of the viscosity among the numbers of a material.
pub(crate) const VISCOSITY: usize = 1;
/// Index of the surface tension.
pub(crate) const SURFACE_TENSION: usize = 2;
/// Index of the work of adhesion.
pub(crate) const ADHESION: usize = 3;
/// Index of the vorticity confinement.
pub(crate) const VORTICITY: usize = 4;
