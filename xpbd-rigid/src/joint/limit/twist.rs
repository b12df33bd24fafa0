//! Bounds of the twist of a ball joint.
//!
//! A rotation that twists by τ about the axis and then swings the axis by σ has, with the axes b, c
//! across it on each body,
//!
//! ```text
//! b₁·c₀ − c₁·b₀ = sin τ (1 + cos σ),   b₁·b₀ + c₁·c₀ = cos τ (1 + cos σ)
//! ```
//!
//! so that q = τ = atan2 of the two for any swing but the half turn. λ/h² is a torque \[N m\].

use xpbd_core::prelude::*;
use xpbd_core::scalar::Vec3;

use super::angular_limit_row;

/// Returns the twist \[rad\] of one body against another, from the axes across the axis on each.
pub(in super::super) fn twist<S: Real>([b0, c0]: [Vec3<S>; 2], [b1, c1]: [Vec3<S>; 2]) -> S {
    (b1.dot(c0) - c1.dot(b0)).atan2(b1.dot(b0) + c1.dot(c0))
}

/// Keeps a twist between bounds. Parameters: middle and half of the range \[rad\]. Compliance
/// \[rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct TwistLimitRow;

impl Constraint<4, 1> for TwistLimitRow {
    type Parameters<S: Copy> = [S; 2];

    const NAME: &'static str = "twist-limit";

    fn value<S: Real>(x: &Points<S, 4>, [middle, half]: [S; 2]) -> [S; 1] {
        let [b1, c1, b0, c0] = x.now.map(|point| point.axis());
        [angular_limit_row(twist([b0, c0], [b1, c1]), [middle, half])]
    }

    fn admissible<S: Real>([lambda]: [S; 1], _: [S; 2], _: S) -> [S; 1] {
        [lambda.max(S::zero())]
    }
}
