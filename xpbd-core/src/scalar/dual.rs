//! Double precision and dual numbers: the references that recorded programs are checked against.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::real::{TINY, TINY_SINE};
use super::{Real, UseSelectLt};

/// A double-precision value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Double(pub f64);

/// A value with its derivative along one direction; `Dual<Dual<Double>>` gives second derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dual<T> {
    /// The value.
    pub value: T,
    /// The derivative.
    pub slope: T,
}

/// Arithmetic with `f32` literals, and the comparison that nothing can be compared with.
macro_rules! literal_operators {
    ([$($generics:tt)*] $type:ty) => {
        literal_operators!(@one [$($generics)*] $type, Add, add);
        literal_operators!(@one [$($generics)*] $type, Sub, sub);
        literal_operators!(@one [$($generics)*] $type, Mul, mul);
        literal_operators!(@one [$($generics)*] $type, Div, div);
        impl<$($generics)*> PartialEq<UseSelectLt> for $type {
            fn eq(&self, other: &UseSelectLt) -> bool {
                match *other {}
            }
        }
        impl<$($generics)*> PartialOrd<UseSelectLt> for $type {
            fn partial_cmp(&self, other: &UseSelectLt) -> Option<Ordering> {
                match *other {}
            }
        }
    };
    (@one [$($generics:tt)*] $type:ty, $trait:ident, $method:ident) => {
        impl<$($generics)*> $trait<f32> for $type {
            type Output = Self;
            #[inline]
            fn $method(self, other: f32) -> Self {
                $trait::$method(self, <Self as Real>::literal(other))
            }
        }
    };
}
pub(crate) use literal_operators;

/// The operators of a type that wraps a number.
macro_rules! number_operators {
    ($type:ident) => {
        number_operators!($type: Add add +, Sub sub -, Mul mul *, Div div /);

        impl Neg for $type {
            type Output = Self;
            fn neg(self) -> Self {
                Self(-self.0)
            }
        }
    };
    ($type:ident: $($trait:ident $method:ident $operator:tt),*) => {
        $(impl $trait for $type {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $operator other.0)
            }
        })*
    };
}
pub(super) use number_operators;

literal_operators!([] Double);
literal_operators!([T: Real] Dual<T>);

number_operators!(Double);

impl From<f64> for Double {
    fn from(value: f64) -> Self {
        Self(value)
    }
}

impl Real for Double {
    fn literal(value: f32) -> Self {
        Self(f64::from(value))
    }
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
    fn round(self) -> Self {
        Self(self.0.round_ties_even())
    }
    fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }
    fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }
    fn sin(self) -> Self {
        Self(libm::sin(self.0))
    }
    fn cos(self) -> Self {
        Self(libm::cos(self.0))
    }
    fn acos(self) -> Self {
        Self(libm::acos(self.0.clamp(-1.0, 1.0)))
    }
    fn atan2(self, x: Self) -> Self {
        Self(libm::atan2(self.0, x.0))
    }
    fn select_lt(self, bound: Self, then: Self, otherwise: Self) -> Self {
        if self.0 < bound.0 { then } else { otherwise }
    }
}

impl<T: Real> Dual<T> {
    /// Creates a value and its derivative.
    pub fn new(value: T, slope: T) -> Self {
        Self { value, slope }
    }

    /// Creates a value that does not change.
    pub fn constant(value: T) -> Self {
        Self::new(value, T::zero())
    }
}

impl<T: Real + From<f64>> From<f64> for Dual<T> {
    fn from(value: f64) -> Self {
        Self::constant(T::from(value))
    }
}

impl<T: Real> Add for Dual<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.value + other.value, self.slope + other.slope)
    }
}

impl<T: Real> Sub for Dual<T> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.value - other.value, self.slope - other.slope)
    }
}

impl<T: Real> Mul for Dual<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::new(self.value * other.value, self.slope * other.value + self.value * other.slope)
    }
}

impl<T: Real> Div for Dual<T> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let ratio = self.value / other.value;
        Self::new(ratio, (self.slope - ratio * other.slope) / other.value)
    }
}

impl<T: Real> Neg for Dual<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.value, -self.slope)
    }
}

impl<T: Real> Real for Dual<T> {
    fn literal(value: f32) -> Self {
        Self::constant(T::literal(value))
    }
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        Self::new(root, self.slope * T::literal(0.5) / root.max(T::literal(TINY)))
    }
    fn abs(self) -> Self {
        self.value_select(T::zero(), -self, self)
    }
    fn round(self) -> Self {
        Self::constant(self.value.round())
    }
    fn min(self, other: Self) -> Self {
        self.value_select(other.value, self, other)
    }
    fn max(self, other: Self) -> Self {
        self.value_select(other.value, other, self)
    }
    fn sin(self) -> Self {
        Self::new(self.value.sin(), self.slope * self.value.cos())
    }
    fn cos(self) -> Self {
        Self::new(self.value.cos(), -self.slope * self.value.sin())
    }
    fn acos(self) -> Self {
        let sine = (T::one() - self.value * self.value).max(T::literal(TINY_SINE)).sqrt();
        Self::new(self.value.acos(), -self.slope / sine)
    }
    fn atan2(self, x: Self) -> Self {
        let square = (self.value * self.value + x.value * x.value).max(T::literal(TINY * TINY));
        let slope = (self.slope * x.value - self.value * x.slope) / square;
        Self::new(self.value.atan2(x.value), slope)
    }
    fn select_lt(self, bound: Self, then: Self, otherwise: Self) -> Self {
        self.value_select(bound.value, then, otherwise)
    }
}

impl<T: Real> Dual<T> {
    fn value_select(self, bound: T, then: Self, otherwise: Self) -> Self {
        Self::new(
            self.value.select_lt(bound, then.value, otherwise.value),
            self.value.select_lt(bound, then.slope, otherwise.slope),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Second = Dual<Dual<Double>>;

    /// d²f/dx² at x.
    fn second(f: fn(Second) -> Second, x: f64) -> f64 {
        f(Dual::new(Dual::new(Double(x), Double(1.0)), Dual::constant(Double(1.0)))).slope.slope.0
    }

    #[test]
    fn second_derivatives_are_exact() {
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-13, "{found} {expected}");
        let (x, square) = (0.7_f64, 0.7 * 0.7);
        near(second(|x| x * x * x + x.sin(), x), 6.0 * x - libm::sin(x));
        near(second(|x| Second::one() / x, x), 2.0 / (x * square));
        near(second(Real::sqrt, x), -0.25 / (x * x.sqrt()));
        near(second(Real::cos, x), -libm::cos(x));
        near(second(Real::acos, x), -x / ((1.0 - square) * (1.0 - square).sqrt()));
        near(second(|x| x.atan2(Second::from(1.0)), x), -2.0 * x / ((1.0 + square) * (1.0 + square)));
        near(second(|x| (-(x * x)).abs().max(x), x), 0.0);
    }
}
