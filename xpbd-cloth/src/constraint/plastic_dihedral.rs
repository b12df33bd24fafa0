//! The [angle between two triangles](super::dihedral) of a sheet that keeps folds: metal, paper, foil.
//!
//! C and its gradient are those of [`Dihedral`]. At the end of a frame of length dt the rest angle follows
//! the part of the angle that is not elastic (perfect plasticity that creeps, as \[Mueller04\] has it for solids:
//! Müller and Gross, Interactive Virtual Materials):
//!
//! ```text
//! p = C − clamp(C, −y, y)
//! θ₀ ← clamp(θ₀ + min(c dt, 1) p, θ₋, θ₊)
//! ```
//!
//! A fold that is held at θ for long has θ₀ = θ − y; released, it springs back by y.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | θ₀ | rest angle | rad |
//! | y | yield angle: the elastic range on either side of θ₀ | rad |
//! | c | creep: the part of p that becomes permanent in a second | 1/s |
//! | θ₋, θ₊ | smallest and largest rest angle | rad |
//! | α | compliance | rad²/J |

use xpbd_core::plasticity::Plasticity;
use xpbd_core::prelude::*;
use xpbd_core::scalar;

use super::{Dihedral, DihedralParameters};

xpbd_core::parameters! {
    /// Parameters of [`PlasticDihedral`].
    pub struct PlasticDihedralParameters<S> {
        /// Rest angle θ₀ \[rad\].
        pub rest_angle: S,
        /// Yield angle y \[rad\].
        pub yield_angle: S,
        /// Creep c \[1/s\].
        pub creep: S,
        /// Smallest rest angle θ₋ \[rad\].
        pub smallest: S,
        /// Largest rest angle θ₊ \[rad\].
        pub largest: S,
    }
}

/// A constraint that holds the angle between two triangles until it yields. Compliance \[rad²/J\].
#[derive(Debug, Clone, Copy)]
pub struct PlasticDihedral;

impl<S: Copy> PlasticDihedralParameters<S> {
    fn elastic(self) -> DihedralParameters<S> {
        DihedralParameters { rest_angle: self.rest_angle }
    }
}

impl Constraint<4, 1> for PlasticDihedral {
    type Parameters<S: Copy> = PlasticDihedralParameters<S>;

    const NAME: &'static str = "plastic-dihedral";

    fn value<S: Real>(x: &Points<S, 4>, fold: PlasticDihedralParameters<S>) -> [S; 1] {
        Dihedral::value(x, fold.elastic())
    }

    fn gradient<S: Real>(x: &Points<S, 4>, fold: PlasticDihedralParameters<S>) -> Option<[[scalar::Vec3<S>; 4]; 1]> {
        Dihedral::gradient(x, fold.elastic())
    }

    fn evolve_parameters<S: Real>(
        x: &Points<S, 4>,
        fold: PlasticDihedralParameters<S>,
        dt: S,
    ) -> Option<PlasticDihedralParameters<S>> {
        let PlasticDihedralParameters { rest_angle, yield_angle, creep, smallest, largest } = fold;
        let [angle] = Self::value(x, fold);
        let beyond = angle - angle.clamp(-yield_angle, yield_angle);
        let rest_angle = (rest_angle + beyond * (creep * dt).min(S::one())).clamp(smallest, largest);
        Some(PlasticDihedralParameters { rest_angle, ..fold })
    }
}

impl PlasticDihedralParameters {
    /// Creates the parameters of a fold of this rest angle \[rad\]. The strains of the law are angles \[rad\].
    pub fn new(rest_angle: f32, plasticity: Plasticity) -> Self {
        let Plasticity { yield_strain: yield_angle, creep, limit } = plasticity;
        Self { rest_angle, yield_angle, creep, smallest: rest_angle - limit, largest: rest_angle + limit }
    }
}
