//! Long-range attachment: a particle goes no farther from an anchor than the material between
//! them allows (\[Kim12\] Kim, Chentanez, Müller-Fischer, Long Range Attachments).
//!
//! C = |x₀ − x₁| − L ≤ 0, so the admissible multipliers are λ ≤ 0: a tether pulls and never pushes.
//! \[Kim12\] moves the particle straight onto the sphere of radius L; here that is a constraint like
//! any other, and gives the same position when the anchor does not move.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | x₀ | particle | m |
//! | x₁ | anchor, as a rule pinned | m |
//! | L | length of the shortest path through the material at rest | m |
//! | α | compliance | m/N |

use xpbd_core::prelude::*;

xpbd_core::parameters! {
    /// Parameters of [`Tether`].
    pub struct TetherParameters<S> {
        /// Largest distance L \[m\].
        pub max_distance: S,
    }
}

/// A constraint that keeps a particle within a distance of an anchor. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct Tether;

impl Constraint<2, 1> for Tether {
    type Parameters<S: Copy> = TetherParameters<S>;

    const NAME: &'static str = "tether";

    fn value<S: Real>(x: &Points<S, 2>, tether: TetherParameters<S>) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - tether.max_distance]
    }

    fn admissible<S: Real>([lambda]: [S; 1], _: TetherParameters<S>, _: S) -> [S; 1] {
        [lambda.min(S::zero())]
    }
}
