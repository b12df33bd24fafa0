//! What cloth is made of.

use serde::{Deserialize, Serialize};

use crate::parameter::{self, NumberError};

/// How cloth resists stretching and shearing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Stretch {
    /// A spring along every edge.
    Edges {
        /// Stiffness of each \[N/m\]; `f32::INFINITY` for edges that do not stretch. Usually 10² to
        /// 10⁵. The same number gives about the same sheet at any resolution.
        stiffness: f32,
    },
    /// A membrane of an isotropic material, of the cloth's thickness.
    Strain {
        /// Young's modulus \[Pa\]; `f32::INFINITY` for one that does not stretch. Usually 10⁵ to 10⁹.
        youngs_modulus: f32,
        /// Poisson ratio \[1\], above −1 and at most ½; usually 0.2 to 0.45.
        poisson_ratio: f32,
    },
    /// A membrane of woven cloth, of the cloth's thickness, whose warp runs as
    /// [`Cloth::warp_along`](super::Cloth::warp_along) or
    /// [`Cloth::warp_from_texture`](super::Cloth::warp_from_texture) say.
    Woven {
        /// Young's modulus along the warp \[Pa\], finite.
        warp_modulus: f32,
        /// Young's modulus along the weft \[Pa\], finite.
        weft_modulus: f32,
        /// Shear modulus \[Pa\], finite; usually a hundredth of the others.
        shear_modulus: f32,
        /// Contraction of the weft for a stretch of the warp ν \[1\], at least 0, with ν² below warp/weft.
        poisson_ratio: f32,
    },
}

/// Edges that do not stretch.
impl Default for Stretch {
    fn default() -> Self {
        Self::Edges { stiffness: f32::INFINITY }
    }
}

/// How cloth resists bending.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Bending {
    /// Not at all.
    None,
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

/// Bending stiffness B = E t³/(12 (1 − ν²)) \[N m\] of a plate from Young's modulus E \[Pa\], the
/// Poisson ratio ν \[1\] and the thickness t \[m\].
///
/// Woven cloth bends far more easily than a plate of its thickness: its threads slide.
pub fn bending_stiffness(youngs_modulus: f32, poisson_ratio: f32, thickness: f32) -> f32 {
    youngs_modulus * thickness * thickness * thickness / (12.0 * (1.0 - poisson_ratio * poisson_ratio))
}

impl Stretch {
    pub(super) fn check(self) -> Result<(), NumberError> {
        match self {
            Self::Edges { stiffness } => parameter::stiffness("stretch stiffness", stiffness),
            Self::Strain { youngs_modulus, poisson_ratio } => {
                parameter::stiffness("Young's modulus", youngs_modulus)?;
                parameter::poisson_ratio(poisson_ratio)
            }
            Self::Woven { warp_modulus: warp, weft_modulus: weft, shear_modulus: shear, poisson_ratio } => {
                parameter::positive("Young's modulus of the warp", warp)?;
                parameter::positive("Young's modulus of the weft", weft)?;
                parameter::positive("shear modulus", shear)?;
                parameter::not_negative("Poisson ratio", poisson_ratio)?;
                let bound = "with a square below the ratio of the moduli of warp and weft";
                parameter::below("Poisson ratio", poisson_ratio, (warp / weft).sqrt(), bound)
            }
        }
    }
}

impl Bending {
    pub(super) fn check(self) -> Result<(), NumberError> {
        match self {
            Self::None => Ok(()),
            Self::Distance { stiffness } | Self::Dihedral { stiffness } | Self::Isometric { stiffness } => {
                parameter::stiffness("bending stiffness", stiffness)
            }
        }
    }
}
