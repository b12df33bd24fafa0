//! What fluids are like.

use serde::{Deserialize, Serialize};

use crate::FluidError;

/// What a fluid is like, in physical units.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Liquid {
    /// Rest density \[kg/m³\].
    pub density: f32,
}

impl Liquid {
    /// Water at 20 °C.
    pub const WATER: Self = Self { density: 998.0 };

    /// Refuses what no step could honour.
    ///
    /// # Errors
    /// The first number that is not valid.
    pub fn check(&self) -> Result<(), FluidError> {
        let refuse = |what, value, must| Err(FluidError::Number { what, value, must });
        if !(self.density.is_normal() && self.density > 0.0) {
            return refuse("the density", self.density, "finite and positive");
        }
        Ok(())
    }
}

impl Default for Liquid {
    fn default() -> Self {
        Self::WATER
    }
}

impl Liquid {
    /// What the solver reads, in this order.
    pub(crate) fn numbers(&self) -> Vec<f32> {
        vec![self.density]
    }
}
