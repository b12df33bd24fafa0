//! Distance between two particles.
//!
//! C = |x₀ − x₁| − l (\[PBD07\] §3.3). Every multiplier is admissible, as that of a spring that pulls and
//! pushes; λ/h² is its force, positive where it pushes.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | l | rest length | m |
//! | α | compliance, 1/stiffness | m/N |

use xpbd_core::prelude::*;

xpbd_core::parameters! {
    /// Parameters of [`Distance`].
    pub struct DistanceParameters<S> {
        /// Rest length l \[m\].
        pub rest_length: S,
    }
}

/// A constraint that holds two particles at a distance. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct Distance;

impl Constraint<2, 1> for Distance {
    type Parameters<S: Copy> = DistanceParameters<S>;

    const NAME: &'static str = "distance";

    fn value<S: Real>(x: &Points<S, 2>, distance: DistanceParameters<S>) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - distance.rest_length]
    }
}
