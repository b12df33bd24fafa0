//! The densities of the fluids of a world.

use xpbd_core::constraint::ConstraintError;
use xpbd_core::world::World;

use crate::density;
use crate::solver::FLUID_MEDIUM;

/// Densities of the particles of all fluids, over their rest densities, from where they are now.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FluidDensities {
    /// World index and density \[1\] of each particle, by index.
    pub values: Vec<(u32, f32)>,
}

impl FluidDensities {
    /// Measures the densities of the fluids of a world. It runs on the CPU with either back end.
    ///
    /// # Errors
    /// A contact constraint that fails its self-check.
    pub fn measure(world: &World) -> Result<Self, ConstraintError> {
        let Some(survey) = world.medium_statistics(FLUID_MEDIUM)? else { return Ok(Self::default()) };
        let all = density::measure(&survey.context());
        let mut of: Vec<_> = survey.members.particles.iter().copied().zip(all).collect();
        of.retain(|&(_, density)| density > 0.0);
        of.sort_unstable_by_key(|&(particle, _)| particle);
        Ok(Self { values: of })
    }

    /// Returns the mean excess of the densities over the rest density \[1\]; particles that are less dense count as 0.
    pub fn mean_error(&self) -> f32 {
        let sum: f64 = self.errors().map(f64::from).sum();
        (sum / self.values.len().max(1) as f64) as f32
    }

    /// Returns the largest excess of a density over the rest density \[1\].
    pub fn max_error(&self) -> f32 {
        self.errors().fold(0.0, f32::max)
    }

    fn errors(&self) -> impl Iterator<Item = f32> {
        self.values.iter().map(|&(_, density)| (density - 1.0).max(0.0))
    }
}
