//! A cone that an axis stays in: the swing of a ball joint.
//!
//! C = r − σ ≥ 0 with σ = atan2(|a₀ × a₁|, a₀·a₁), λ ≥ 0; λ/h² is a torque \[N m\] about a₁ × a₀.

use xpbd_core::prelude::*;

use super::super::geometry::unsigned_angle;
use super::limit_row;

/// Keeps two axes within an angle of each other. Parameters: middle, which is 0, and the angle \[rad\].
/// Compliance \[rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct SwingLimitRow;

impl Constraint<2, 1> for SwingLimitRow {
    type Parameters<S: Copy> = [S; 2];

    const NAME: &'static str = "cone-limit";

    fn value<S: Real>(x: &Points<S, 2>, [middle, half]: [S; 2]) -> [S; 1] {
        let [a0, a1] = x.now.map(|point| point.axis());
        [limit_row(unsigned_angle(a0, a1), [middle, half])]
    }

    fn admissible<S: Real>([lambda]: [S; 1], _: [S; 2], _: S) -> [S; 1] {
        [lambda.max(S::zero())]
    }
}
