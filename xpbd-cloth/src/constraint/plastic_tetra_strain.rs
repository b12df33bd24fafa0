//! [Strain of a tetrahedron](super::tetra_strain) of a material that keeps what it is deformed beyond its yield strain.
//!
//! C is that of [`TetraStrain`]; the inverse rest matrix [follows](super::tetra_yielding) at the end of a frame, and the
//! volume at rest stays.

use glam::Vec3;
use xpbd_core::prelude::*;

use super::{TetraStrain, tetra, tetra_plasticity};
use crate::cloth::Yielding;

/// Green strain of a tetrahedron that yields. Parameters: those of [`TetraStrain`], then six numbers of the first
/// inverse rest matrix \[1/m\], the yield strain \[1\], creep \[1/s\] and the bound of the plastic part \[1\].
/// Compliance \[1/J\].
#[derive(Debug, Clone, Copy)]
pub struct PlasticTetraStrain;

/// Returns the parameters of [`TetraStrain`], and the others.
fn parts<S: Real>([r11, r12, r22, r13, r23, r33, poisson, yielding @ ..]: [S; 16]) -> ([S; 7], [S; 9]) {
    ([r11, r12, r22, r13, r23, r33, poisson], yielding)
}

impl Constraint<4, 6> for PlasticTetraStrain {
    type Parameters<S: Copy> = [S; 16];

    const NAME: &'static str = "plastic-tetra-strain";

    fn value<S: Real>(x: &Points<S, 4>, params: [S; 16]) -> [S; 6] {
        TetraStrain::value(x, parts(params).0)
    }

    fn evolve_parameters<S: Real>(x: &Points<S, 4>, params: [S; 16], dt: S) -> Option<[S; 16]> {
        let ([rest @ .., _], yielding) = parts(params);
        let mut flowed = params;
        flowed[..6].copy_from_slice(&tetra_plasticity::flow(x, rest, yielding, dt));
        Some(flowed)
    }

    fn compliance<S: Real>(alpha: S, params: [S; 16]) -> [[S; 6]; 6] {
        <TetraStrain as Constraint<4, 6>>::compliance(alpha, parts(params).0)
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 4], [f32; 16])> {
        let (rest, points) = tetra::sample(number);
        let yielding = Yielding { threshold: 0.05, creep: 10.0, limit: 0.5 };
        Some((points, Self::params(rest, 0.3, yielding)))
    }
}

impl PlasticTetraStrain {
    /// Returns the parameters of a tetrahedron at rest \[m\] with a Poisson ratio ν in (−1, ½].
    pub fn params(rest: [Vec3; 4], poisson_ratio: f32, yielding: Yielding) -> [f32; 16] {
        let mut params = [0.0; 16];
        params[..7].copy_from_slice(&TetraStrain::params(rest, poisson_ratio));
        params[7..].copy_from_slice(&tetra_plasticity::params(tetra::inverse_rest(rest), yielding));
        params
    }
}
