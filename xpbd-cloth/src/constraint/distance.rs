//! Distance between two particles.
//!
//! C = |x₀ − x₁| − l (\[PBD07\] §3.3). Every multiplier is admissible: a spring that pulls and
//! pushes; λ/h² is its force, positive where it pushes.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | l | rest length | m |
//! | α | compliance, 1/stiffness | m/N |

use xpbd_core::prelude::*;

/// Holds two particles at a distance. Parameter: rest length \[m\]. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct Distance;

impl Constraint<2, 1> for Distance {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = "distance";

    fn value<S: Real>(x: &Points<S, 2>, [rest]: [S; 1]) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - rest]
    }
}
