//! The materials of soft bodies.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use xpbd_core::number::NumberError;

use crate::stiffness;

/// The resistance of a soft body to deformation.
///
/// Young's modulus is usually 10⁴ (jelly) to 10⁷ Pa (rubber). A stiff body of small tetrahedra needs many substeps:
/// a wave travels √(E/ρ) in a second, and its path in a substep should not be much longer than an edge.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum Elasticity {
    /// Stable Neo-Hookean material, the one for large deformations. It recovers from inversion by itself, and is the
    /// cheapest.
    NeoHookean {
        /// Young's modulus \[Pa\]; `f32::INFINITY` for a rigid one.
        youngs_modulus: f32,
        /// Poisson ratio \[1\], from 0 to ½, where it keeps its volume; usually 0.3 to 0.49.
        poisson_ratio: f32,
    },
    /// St. Venant–Kirchhoff material, linear in Green's strain. It gets weaker the more it is compressed, and recovers from
    /// inversion only with [`SoftBody::volume_bulk_modulus`](super::SoftBody::volume_bulk_modulus).
    StVenantKirchhoff {
        /// Young's modulus \[Pa\]; `f32::INFINITY` for a rigid one.
        youngs_modulus: f32,
        /// Poisson ratio \[1\], above −1 and at most ½; usually 0.2 to 0.45.
        poisson_ratio: f32,
    },
    /// Strain along and between the directions x, y and z of the rest shape, each with a modulus of its own. It recovers
    /// from inversion only with [`SoftBody::volume_bulk_modulus`](super::SoftBody::volume_bulk_modulus).
    Orthotropic {
        /// Young's moduli along x, y and z \[Pa\]; `f32::INFINITY` for what does not stretch.
        youngs_moduli: [f32; 3],
        /// Shear moduli between y and z, x and z, x and y \[Pa\]; `f32::INFINITY` for what does not shear.
        shear_moduli: [f32; 3],
    },
}

/// A jelly that stands: Neo-Hookean, 10⁵ Pa, Poisson ratio 0.4.
impl Default for Elasticity {
    fn default() -> Self {
        Self::NeoHookean { youngs_modulus: 1e5, poisson_ratio: 0.4 }
    }
}

impl Elasticity {
    /// Returns the second derivative of the energy density by the displacement of a vertex alone, whose barycentric
    /// coordinate has this gradient \[1/m\], at rest: the mean over all directions \[Pa/m²\].
    pub(super) fn vertex_stiffness(self, gradient: DVec3) -> f64 {
        let squares = gradient * gradient;
        match self {
            Self::NeoHookean { youngs_modulus, poisson_ratio }
            | Self::StVenantKirchhoff { youngs_modulus, poisson_ratio } => {
                let [e, nu] = [youngs_modulus, poisson_ratio].map(f64::from);
                let shear = e / (2.0 * (1.0 + nu));
                // μ + λ, which is infinite for what keeps its volume.
                let rest = shear / (1.0 - 2.0 * nu);
                squares.element_sum() * (shear + rest / 3.0)
            }
            Self::Orthotropic { youngs_moduli: [x, y, z], shear_moduli: [yz, xz, xy] } => {
                // What is infinite stays a number, and 0 in a direction without a part of the gradient.
                let [x, y, z, yz, xz, xy] = [x, y, z, yz, xz, xy].map(|modulus| f64::from(modulus.min(f32::MAX)));
                squares.dot(DVec3::new(x + xz + xy, y + yz + xy, z + yz + xz)) / 3.0
            }
        }
    }

    pub(super) fn check(self) -> Result<(), NumberError> {
        match self {
            Self::NeoHookean { youngs_modulus, poisson_ratio } => {
                NumberError::check_positive_or_infinite("Young's modulus", youngs_modulus)?;
                stiffness::check_stable_poisson_ratio(poisson_ratio)
            }
            Self::StVenantKirchhoff { youngs_modulus, poisson_ratio } => {
                NumberError::check_positive_or_infinite("Young's modulus", youngs_modulus)?;
                stiffness::check_poisson_ratio(poisson_ratio)
            }
            Self::Orthotropic { youngs_moduli: stretch, shear_moduli: shear } => {
                stretch
                    .into_iter()
                    .try_for_each(|modulus| NumberError::check_positive_or_infinite("stretch modulus", modulus))?;
                shear
                    .into_iter()
                    .try_for_each(|modulus| NumberError::check_positive_or_infinite("shear modulus", modulus))
            }
        }
    }
}
