//! Bounds of what slides along an axis, and of a distance.
//!
//! q = (x₁ − x₀)·a₀ for the anchors x and the axis a of the first body, or q = |x₁ − x₀|; λ/h² is a
//! force \[N\].

use xpbd_core::prelude::*;

use super::limit_row;

/// Keeps a point between two planes across an axis. Parameters: middle and half of the range \[m\].
/// Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct LinearLimitRow;

impl Constraint<3, 1> for LinearLimitRow {
    type Parameters<S: Copy> = [S; 2];

    const NAME: &'static str = "slide-limit";

    fn value<S: Real>(x: &Points<S, 3>, [middle, half]: [S; 2]) -> [S; 1] {
        let slide = (x.now[1] - x.now[0]).dot(x.now[2].axis());
        [limit_row(slide, [middle, half])]
    }

    fn admissible<S: Real>([lambda]: [S; 1], _: [S; 2], _: S) -> [S; 1] {
        [lambda.max(S::zero())]
    }
}

/// Keeps two points at a distance within bounds. Parameters: middle and half of the range \[m\].
/// Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct DistanceLimitRow;

impl Constraint<2, 1> for DistanceLimitRow {
    type Parameters<S: Copy> = [S; 2];

    const NAME: &'static str = "distance-limit";

    fn value<S: Real>(x: &Points<S, 2>, [middle, half]: [S; 2]) -> [S; 1] {
        [limit_row((x.now[1] - x.now[0]).length(), [middle, half])]
    }

    fn admissible<S: Real>([lambda]: [S; 1], _: [S; 2], _: S) -> [S; 1] {
        [lambda.max(S::zero())]
    }
}
