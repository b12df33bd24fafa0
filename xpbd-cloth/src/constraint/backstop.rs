//! A ball behind the skin that a particle of skinned cloth may not enter.
//!
//! C = |x₀ − x₁| − R ≥ 0, so the admissible multipliers are λ ≥ 0: the ball pushes and never pulls. With x₁ well
//! below the skin and R almost as far, it is a one-sided plane along the skin that no cloth slips behind.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | x₀ | particle | m |
//! | x₁ | centre of the ball, moved with the skin | m |
//! | R | radius of the ball | m |
//! | α | compliance | m/N |

use xpbd_core::prelude::*;

xpbd_core::parameters! {
    /// Parameters of [`Backstop`].
    pub struct BackstopParameters<S> {
        /// Radius R of the ball \[m\].
        pub radius: S,
    }
}

/// A constraint that keeps a particle out of a ball. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct Backstop;

impl Constraint<2, 1> for Backstop {
    type Parameters<S: Copy> = BackstopParameters<S>;

    const NAME: &'static str = "backstop";

    fn value<S: Real>(x: &Points<S, 2>, ball: BackstopParameters<S>) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - ball.radius]
    }

    fn admissible<S: Real>([lambda]: [S; 1], _: BackstopParameters<S>, _: S) -> [S; 1] {
        [lambda.max(S::zero())]
    }
}
