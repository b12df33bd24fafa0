//! The operations that every consumer of a constraint can execute.

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The type that a comparison with `<` on a [`Real`] would need. It has no values.
///
/// A recorded program has no branches, so `a < b` has no value while it is recorded. Write
/// [`a.select_lt(b, then, otherwise)`](Real::select_lt), which evaluates both sides and keeps one.
///
/// ```compile_fail
/// # use xpbd_core::scalar::Real;
/// fn larger<S: Real>(a: S, b: S) -> S {
///     if a < b { b } else { a } // expected `UseSelectLt`, found type parameter `S`
/// }
/// ```
/// ```
/// # use xpbd_core::scalar::Real;
/// fn larger<S: Real>(a: S, b: S) -> S {
///     a.select_lt(b, b, a)
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub enum UseSelectLt {}

/// A number that may be a value, a value with its derivative, or a symbol being recorded.
///
/// Every operation is total: no argument panics. `sqrt` of a negative number is NaN in a value and
/// is reported when the constraint is registered.
pub trait Real:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f32, Output = Self>
    + Sub<f32, Output = Self>
    + Mul<f32, Output = Self>
    + Div<f32, Output = Self>
    + PartialOrd<UseSelectLt>
{
    /// Creates a constant.
    fn literal(value: f32) -> Self;
    /// √self; the derivative at 0 is taken at a tiny positive number, so that it stays finite.
    fn sqrt(self) -> Self;
    /// |self|; the derivative at 0 is 1.
    fn abs(self) -> Self;
    /// The nearest integer, of two equally near the even one; the derivative is 0.
    fn round(self) -> Self;
    /// The smaller of the two.
    fn min(self, other: Self) -> Self;
    /// The larger of the two.
    fn max(self, other: Self) -> Self;
    /// Sine of an angle \[rad\].
    fn sin(self) -> Self;
    /// Cosine of an angle \[rad\].
    fn cos(self) -> Self;
    /// Angle \[rad\] whose cosine is self clamped to \[−1, 1\].
    fn acos(self) -> Self;
    /// Angle \[rad\] of the point (x, self) from the x axis, in (−π, π].
    fn atan2(self, x: Self) -> Self;
    /// `then` where self < bound, otherwise `otherwise`. Both are evaluated.
    fn select_lt(self, bound: Self, then: Self, otherwise: Self) -> Self;

    /// 0.
    fn zero() -> Self {
        Self::literal(0.0)
    }

    /// 1.
    fn one() -> Self {
        Self::literal(1.0)
    }

    /// self limited to \[low, high\].
    fn clamp(self, low: Self, high: Self) -> Self {
        self.max(low).min(high)
    }
}

/// The smallest length that a derivative divides by, in place of 0; its square is still normal.
pub const TINY: f32 = 1e-18;
/// The smallest squared sine that the derivative of `acos` divides by.
pub const TINY_SINE: f32 = 1e-12;
