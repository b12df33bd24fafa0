//! [Stable Neo-Hookean material](super::neo_hookean) that keeps what it is deformed beyond its yield strain: clay, dough,
//! metal.
//!
//! C and its gradient are those of [`NeoHookean`]; the inverse rest matrix [follows](super::tetra_yielding) at the end of
//! a frame, and the volume at rest stays.

use glam::Vec3;
use xpbd_core::prelude::*;
use xpbd_core::scalar;

use super::{NeoHookean, tetra, tetra_plasticity};
use crate::cloth::Yielding;

/// Neo-Hookean material that yields. Parameters: those of [`NeoHookean`], then six numbers of the first inverse rest
/// matrix \[1/m\], the yield strain \[1\], creep \[1/s\] and the bound of the plastic part \[1\]. Compliance \[1/J\].
#[derive(Debug, Clone, Copy)]
pub struct PlasticNeoHookean;

/// Returns the parameters of [`NeoHookean`], and the others.
fn parts<S: Real>([r11, r12, r22, r13, r23, r33, volume, ratio, yielding @ ..]: [S; 17]) -> ([S; 8], [S; 9]) {
    ([r11, r12, r22, r13, r23, r33, volume, ratio], yielding)
}

impl Constraint<4, 2> for PlasticNeoHookean {
    type Parameters<S: Copy> = [S; 17];

    const NAME: &'static str = "plastic-neo-hookean";
    const ROW_ORDER: RowOrder = NeoHookean::ROW_ORDER;

    fn value<S: Real>(x: &Points<S, 4>, params: [S; 17]) -> [S; 2] {
        NeoHookean::value(x, parts(params).0)
    }

    fn gradient<S: Real>(x: &Points<S, 4>, params: [S; 17]) -> Option<[[scalar::Vec3<S>; 4]; 2]> {
        NeoHookean::gradient(x, parts(params).0)
    }

    fn evolve_parameters<S: Real>(x: &Points<S, 4>, params: [S; 17], dt: S) -> Option<[S; 17]> {
        let ([rest @ .., _, _], yielding) = parts(params);
        let mut flowed = params;
        flowed[..6].copy_from_slice(&tetra_plasticity::flow(x, rest, yielding, dt));
        Some(flowed)
    }

    fn compliance<S: Real>(alpha: S, params: [S; 17]) -> [[S; 2]; 2] {
        <NeoHookean as Constraint<4, 2>>::compliance(alpha, parts(params).0)
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 4], [f32; 17])> {
        let (rest, points) = tetra::sample(number);
        let yielding = Yielding { threshold: 0.05, creep: 10.0, limit: 0.5 };
        Some((points, Self::params(rest, 0.4, yielding)))
    }
}

impl PlasticNeoHookean {
    /// Returns the parameters of a tetrahedron at rest \[m\] with a Poisson ratio ν in \[0, ½\].
    pub fn params(rest: [Vec3; 4], poisson_ratio: f32, yielding: Yielding) -> [f32; 17] {
        let mut params = [0.0; 17];
        params[..8].copy_from_slice(&NeoHookean::params(rest, poisson_ratio));
        params[8..].copy_from_slice(&tetra_plasticity::params(tetra::inverse_rest(rest), yielding));
        params
    }
}
