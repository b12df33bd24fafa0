//! The constraints of soft limits.

use xpbd_core::prelude::*;

use super::super::JointAxis;
use super::super::geometry::{partial_swing, signed_angle, twist_angle, unsigned_angle, wrap_angle};
use super::LimitRange;

/// Returns the way \[rad or m\] of the coordinate of an axis from the middle of its range.
pub(in super::super) fn from_middle<S: Real>(axis: JointAxis, coordinate: S, middle: S) -> S {
    if axis.wraps() { wrap_angle(coordinate - middle) } else { coordinate - middle }
}

/// Declares the constraint of a soft limit.
macro_rules! limit_constraint {
    ($(#[$attribute:meta])* $name:ident, $label:literal, $axis:ident, $points:literal, |$x:ident| $coordinate:expr) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name;

        impl Constraint<$points, 1> for $name {
            type Parameters<S: Copy> = LimitRange<S>;

            const NAME: &'static str = $label;

            fn value<S: Real>($x: &Points<S, $points>, range: LimitRange<S>) -> [S; 1] {
                [range.half - from_middle(JointAxis::$axis, $coordinate, range.middle).abs()]
            }

            fn admissible<S: Real>([lambda]: [S; 1], _: LimitRange<S>, _: S) -> [S; 1] {
                [lambda.max(S::zero())]
            }
        }
    };
}

limit_constraint! {
    /// Limits the angle about one axis (\[Deul14\] §4, a hinge with limits).
    ///
    /// q = atan2(u·w, u·v) for u on one body and v, w across the axis of the other; near the axis itself
    /// u has no angle, and there is no force. λ/h² is a torque \[N m\]. Compliance \[rad/(N m)\].
    AngularLimitRow, "angle-limit", Angular, 3, |x| {
        let [u, v, w] = x.now.map(|point| point.axis());
        signed_angle(u, [v, w])
    }
}

limit_constraint! {
    /// Limits the swing of a ball joint: one axis stays in a cone about another.
    ///
    /// q = atan2(|a₀ × a₁|, a₀·a₁); λ/h² is a torque \[N m\] about a₁ × a₀. The middle of the range is 0. Compliance
    /// \[rad/(N m)\].
    SwingLimitRow, "cone-limit", Swing, 2, |x| {
        let [a0, a1] = x.now.map(|point| point.axis());
        unsigned_angle(a0, a1)
    }
}

limit_constraint! {
    /// Limits the part of a swing toward a direction u across the axis.
    ///
    /// q = 2 atan2(a₁·u, 1 + a₀·a₁); λ/h² is a torque \[N m\]. Compliance \[rad/(N m)\].
    PartialSwingLimitRow, "swing-limit", FirstSwing, 3, |x| {
        let [a1, a0, u] = x.now.map(|point| point.axis());
        partial_swing(a1, [a0, u])
    }
}

limit_constraint! {
    /// Limits the twist of a ball joint. λ/h² is a torque \[N m\]. Compliance \[rad/(N m)\].
    TwistLimitRow, "twist-limit", Twist, 4, |x| {
        let [b1, c1, b0, c0] = x.now.map(|point| point.axis());
        twist_angle([b0, c0], [b1, c1])
    }
}

limit_constraint! {
    /// Limits the translation along an axis: a point stays between two planes across it.
    ///
    /// q = (x₁ − x₀)·a₀ for the anchors x and the axis a of the first body; λ/h² is a force \[N\]. Compliance \[m/N\].
    LinearLimitRow, "slide-limit", Linear, 3, |x| (x.now[1] - x.now[0]).dot(x.now[2].axis())
}

limit_constraint! {
    /// Limits the distance of two points. q = |x₁ − x₀|; λ/h² is a force \[N\]. Compliance \[m/N\].
    DistanceLimitRow, "distance-limit", Distance, 2, |x| (x.now[1] - x.now[0]).length()
}
