//! A ball behind the skin that a particle of skinned cloth may not enter.
//!
//! C = |x₀ − x₁| − R ≥ 0, so the admissible multipliers are λ ≥ 0: it pushes, never pulls. With x₁ well
//! below the skin and R almost as far, it is a one-sided plane along the skin that no cloth slips behind.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | x₀ | particle | m |
//! | x₁ | centre of the ball, moved with the skin | m |
//! | R | radius of the ball | m |
//! | α | compliance | m/N |

use xpbd_core::prelude::*;

/// Keeps a particle out of a ball. Parameter: its radius \[m\]. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct Backstop;

impl Constraint<2, 1> for Backstop {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = "backstop";

    fn value<S: Real>(x: &Points<S, 2>, [radius]: [S; 1]) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - radius]
    }

    fn admissible<S: Real>([lambda]: [S; 1], _: [S; 1], _: S) -> [S; 1] {
        [lambda.max(S::zero())]
    }
}
