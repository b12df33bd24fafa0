//! The materials of cloth.

use serde::{Deserialize, Serialize};
use xpbd_core::number::NumberError;

use crate::stiffness;

/// The bending stiffness of cloth by default \[N m\].
const DEFAULT_BENDING: f32 = 1e-5;

/// The resistance of cloth to stretching and shearing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum Stretch {
    /// A spring along every edge.
    Edges {
        /// Stiffness of each spring \[N/m\]; `f32::INFINITY` for edges that do not stretch. Usually 10² to
        /// 10⁵. The same number gives about the same sheet at any resolution.
        stiffness: f32,
    },
    /// A membrane of an isotropic material, of the cloth's thickness.
    Strain {
        /// Young's modulus \[Pa\]; `f32::INFINITY` for a material that does not stretch. Usually 10⁵ to 10⁹.
        youngs_modulus: f32,
        /// Poisson ratio \[1\], above −1 and at most ½; usually 0.2 to 0.45.
        poisson_ratio: f32,
    },
    /// A membrane of woven cloth, of the cloth's thickness, whose warp has a
    /// [direction](super::WarpDirection).
    Woven {
        /// Young's modulus along the warp \[Pa\], finite.
        warp_modulus: f32,
        /// Young's modulus along the weft \[Pa\], finite.
        weft_modulus: f32,
        /// Shear modulus \[Pa\], finite; usually a hundredth of the others.
        shear_modulus: f32,
        /// Contraction of the weft for a stretch of the warp ν \[1\], at least 0, with ν² below the ratio of the
        /// moduli of warp and weft.
        poisson_ratio: f32,
    },
}

/// Edges that do not stretch.
impl Default for Stretch {
    fn default() -> Self {
        Self::Edges { stiffness: f32::INFINITY }
    }
}

/// The resistance of cloth to bending.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum Bending {
    /// The cloth bends freely.
    None,
    /// Isometric bending if the sheet is flat at rest, otherwise dihedral bending.
    Automatic {
        /// Bending stiffness B \[N m\]; see [`bending_stiffness`].
        stiffness: f32,
    },
    /// A spring between the two vertices opposite each edge: the cheapest, but its force vanishes
    /// near the rest shape, so it has no bending stiffness in N m.
    Distance {
        /// Stiffness of each spring \[N/m\].
        stiffness: f32,
    },
    /// The angle across every edge, for any rest shape.
    Dihedral {
        /// Bending stiffness B \[N m\], usually 10⁻⁶ (silk) to 10⁻³ (canvas); see
        /// [`bending_stiffness`].
        stiffness: f32,
    },
    /// Quadratic energy, for sheets that are flat at rest: converges faster than the angle and
    /// gives the same stiffness.
    Isometric {
        /// Bending stiffness B \[N m\]; see [`bending_stiffness`].
        stiffness: f32,
    },
}

/// A stiffness of 10⁻⁵ N m, isometric if the sheet is flat at rest.
impl Default for Bending {
    fn default() -> Self {
        Self::Automatic { stiffness: DEFAULT_BENDING }
    }
}

/// Returns the bending stiffness B = E t³/(12 (1 − ν²)) \[N m\] of a plate from Young's modulus E \[Pa\], the
/// Poisson ratio ν \[1\] and the thickness t \[m\].
///
/// Woven cloth bends far more easily than a plate of its thickness, because its threads slide.
pub fn bending_stiffness(youngs_modulus: f32, poisson_ratio: f32, thickness: f32) -> f32 {
    youngs_modulus * thickness * thickness * thickness / (12.0 * (1.0 - poisson_ratio * poisson_ratio))
}

impl Stretch {
    pub(super) fn check(self) -> Result<(), NumberError> {
        match self {
            Self::Edges { stiffness } => NumberError::check_positive_or_infinite("stretch stiffness", stiffness),
            Self::Strain { youngs_modulus, poisson_ratio } => {
                NumberError::check_positive_or_infinite("Young's modulus", youngs_modulus)?;
                stiffness::check_poisson_ratio(poisson_ratio)
            }
            Self::Woven { warp_modulus, weft_modulus, shear_modulus, poisson_ratio } => {
                NumberError::check_positive("Young's modulus of the warp", warp_modulus)?;
                NumberError::check_positive("Young's modulus of the weft", weft_modulus)?;
                NumberError::check_positive("shear modulus", shear_modulus)?;
                NumberError::check_not_negative("Poisson ratio", poisson_ratio)?;
                let must = "with a square below the ratio of the moduli of warp and weft";
                let is_definite = poisson_ratio < (warp_modulus / weft_modulus).sqrt();
                NumberError::check("Poisson ratio", poisson_ratio, must, is_definite)
            }
        }
    }
}

impl Bending {
    pub(super) fn check(self) -> Result<(), NumberError> {
        match self {
            Self::None => Ok(()),
            Self::Automatic { stiffness }
            | Self::Distance { stiffness }
            | Self::Dihedral { stiffness }
            | Self::Isometric { stiffness } => NumberError::check_positive_or_infinite("bending stiffness", stiffness),
        }
    }
}
