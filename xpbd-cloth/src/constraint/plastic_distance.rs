//! The [distance between two particles](super::distance) of a thread that stays longer or shorter.
//!
//! At the end of a frame of length dt the rest length follows the part of the stretch that is not elastic, as the rest
//! angle of a [plastic fold](super::plastic_dihedral) does:
//!
//! ```text
//! C = |x₀ − x₁| − l,   p = C − clamp(C, −y l, y l)
//! l ← clamp(l + min(c dt, 1) p, l₋, l₊)
//! ```
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | l | rest length | m |
//! | y | yield strain | 1 |
//! | c | creep: the part of p that becomes permanent in a second | 1/s |
//! | l₋, l₊ | shortest and longest rest length | m |
//! | α | compliance, 1/stiffness | m/N |

use xpbd_core::plasticity::Plasticity;
use xpbd_core::prelude::*;

use super::{Distance, DistanceParameters};

xpbd_core::parameters! {
    /// Parameters of [`PlasticDistance`].
    pub struct PlasticDistanceParameters<S> {
        /// Rest length l \[m\].
        pub rest_length: S,
        /// Yield strain y \[1\].
        pub yield_strain: S,
        /// Creep c \[1/s\].
        pub creep: S,
        /// Shortest rest length l₋ \[m\].
        pub shortest: S,
        /// Longest rest length l₊ \[m\].
        pub longest: S,
    }
}

/// A constraint that holds two particles at a distance until it yields. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct PlasticDistance;

impl Constraint<2, 1> for PlasticDistance {
    type Parameters<S: Copy> = PlasticDistanceParameters<S>;

    const NAME: &'static str = "plastic-distance";

    fn value<S: Real>(x: &Points<S, 2>, plastic: PlasticDistanceParameters<S>) -> [S; 1] {
        Distance::value(x, DistanceParameters { rest_length: plastic.rest_length })
    }

    fn evolve_parameters<S: Real>(
        x: &Points<S, 2>,
        plastic: PlasticDistanceParameters<S>,
        dt: S,
    ) -> Option<PlasticDistanceParameters<S>> {
        let PlasticDistanceParameters { rest_length, yield_strain, creep, shortest, longest } = plastic;
        let [stretch] = Self::value(x, plastic);
        let elastic = yield_strain * rest_length;
        let beyond = stretch - stretch.clamp(-elastic, elastic);
        let rest_length = (rest_length + beyond * (creep * dt).min(S::one())).clamp(shortest, longest);
        Some(PlasticDistanceParameters { rest_length, ..plastic })
    }
}

impl PlasticDistanceParameters {
    /// Creates the parameters of an edge of this rest length \[m\].
    pub fn new(rest_length: f32, plasticity: Plasticity) -> Self {
        let Plasticity { yield_strain, creep, limit } = plasticity;
        let [shortest, longest] = [rest_length * (1.0 - limit), rest_length * (1.0 + limit)];
        Self { rest_length, yield_strain, creep, shortest, longest }
    }
}
