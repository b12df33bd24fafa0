//! The component that draws an object as a tube.

use bevy::prelude::*;

/// Draws an object whose particles are a line, in their order, as a tube with rounded shading. The entity gets a
/// mesh; it needs a material. Texture coordinates go once around and, lengthwise, one for each particle.
#[derive(Component, Debug, Clone, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform, Visibility)]
pub struct Tube {
    /// Radius \[m\].
    pub radius: f32,
    /// Sides around, at least 3.
    pub sides: u32,
}

impl Default for Tube {
    fn default() -> Self {
        Self { radius: 0.01, sides: 8 }
    }
}
