//! Friction of surfaces.

use serde::{Deserialize, Serialize};

use crate::number::NumberError;

/// Coulomb friction coefficients \[1\]. Two surfaces in contact combine to the geometric mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Friction {
    /// Tangential over normal force up to which a contact sticks, at least `dynamic`.
    pub static_coefficient: f32,
    /// The same ratio while it slides, at least 0.
    pub dynamic_coefficient: f32,
}

impl Friction {
    /// Takes the same coefficient for sticking and sliding.
    pub fn new(coefficient: f32) -> Self {
        Self { static_coefficient: coefficient, dynamic_coefficient: coefficient }
    }

    /// Returns the friction between two surfaces.
    pub fn combine(self, other: Self) -> Self {
        Self {
            static_coefficient: (self.static_coefficient * other.static_coefficient).sqrt(),
            dynamic_coefficient: (self.dynamic_coefficient * other.dynamic_coefficient).sqrt(),
        }
    }

    /// Returns whether both coefficients are finite and not negative, and the static one is not the smaller one.
    pub fn is_valid(self) -> bool {
        self.static_coefficient.is_finite()
            && self.dynamic_coefficient >= 0.0
            && self.static_coefficient >= self.dynamic_coefficient
    }

    /// Refuses coefficients that are not [valid](Friction::is_valid).
    ///
    /// # Errors
    /// The coefficient at fault.
    pub fn check(self) -> Result<(), NumberError> {
        let Self { static_coefficient, dynamic_coefficient } = self;
        NumberError::check_not_negative("dynamic coefficient of friction", dynamic_coefficient)?;
        let must = "finite, and no less than the dynamic coefficient";
        let holds = static_coefficient.is_finite() && static_coefficient >= dynamic_coefficient;
        NumberError::check("static coefficient of friction", static_coefficient, must, holds)
    }
}

impl Default for Friction {
    fn default() -> Self {
        Self::new(0.4)
    }
}
