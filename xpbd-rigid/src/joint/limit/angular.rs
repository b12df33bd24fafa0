//! Bounds of the angle about one axis (\[Deul14\] §4, a hinge with limits).
//!
//! q = atan2(u·w, u·v) for u on one body and v, w across the axis of the other; near the axis itself
//! u has no angle, and there is no force. λ/h² is a torque \[N m\].

use xpbd_core::prelude::*;

use super::super::geometry::signed_angle;
use super::angular_limit_row;

/// Keeps the angle of an axis between bounds. Parameters: middle and half of the range \[rad\].
/// Compliance \[rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct AngularLimitRow;

impl Constraint<3, 1> for AngularLimitRow {
    type Parameters<S: Copy> = [S; 2];

    const NAME: &'static str = "angle-limit";

    fn value<S: Real>(x: &Points<S, 3>, [middle, half]: [S; 2]) -> [S; 1] {
        let [u, v, w] = x.now.map(|point| point.axis());
        [angular_limit_row(signed_angle(u, [v, w]), [middle, half])]
    }

    fn admissible<S: Real>([lambda]: [S; 1], _: [S; 2], _: S) -> [S; 1] {
        [lambda.max(S::zero())]
    }
}
