//! Single precision: what a recorded program computes with, on plain numbers.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use glam::Vec4;

use super::dual::{literal_operators, number_operators};
use super::{Real, UseSelectLt, Vec3, elementary};

/// A single-precision value; every operation gives the bits that an instruction of a program gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Single(pub f32);

literal_operators!([] Single);

number_operators!(Single);

impl Real for Single {
    fn literal(value: f32) -> Self {
        Self(value)
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
        self.select_lt(other, self, other)
    }
    fn max(self, other: Self) -> Self {
        other.select_lt(self, self, other)
    }
    fn sin(self) -> Self {
        elementary::sine(self)
    }
    fn cos(self) -> Self {
        elementary::cosine(self)
    }
    fn acos(self) -> Self {
        elementary::arccosine(self)
    }
    fn atan2(self, x: Self) -> Self {
        elementary::arctangent(self, x)
    }
    fn select_lt(self, bound: Self, then: Self, otherwise: Self) -> Self {
        if self.0 < bound.0 { then } else { otherwise }
    }
}

impl From<glam::Vec3> for Vec3<Single> {
    #[inline]
    fn from(v: glam::Vec3) -> Self {
        Self { x: Single(v.x), y: Single(v.y), z: Single(v.z) }
    }
}

impl From<Vec3<Single>> for glam::Vec3 {
    #[inline]
    fn from(v: Vec3<Single>) -> Self {
        Self::new(v.x.0, v.y.0, v.z.0)
    }
}

/// Four single-precision values side by side; every operation gives each of them the bits of [`Single`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Single4(pub Vec4);

impl Single4 {
    #[inline(always)]
    fn map(self, of: impl Fn(Single) -> Single) -> Self {
        let [a, b, c, d] = self.0.to_array();
        Self(Vec4::new(of(Single(a)).0, of(Single(b)).0, of(Single(c)).0, of(Single(d)).0))
    }
}

literal_operators!([] Single4);

number_operators!(Single4);

impl Real for Single4 {
    #[inline]
    fn literal(value: f32) -> Self {
        Self(Vec4::splat(value))
    }
    #[inline]
    fn sqrt(self) -> Self {
        self.map(Single::sqrt)
    }
    #[inline]
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
    fn round(self) -> Self {
        self.map(Single::round)
    }
    #[inline]
    fn min(self, other: Self) -> Self {
        self.select_lt(other, self, other)
    }
    #[inline]
    fn max(self, other: Self) -> Self {
        other.select_lt(self, self, other)
    }
    fn sin(self) -> Self {
        elementary::sine(self)
    }
    fn cos(self) -> Self {
        elementary::cosine(self)
    }
    fn acos(self) -> Self {
        elementary::arccosine(self)
    }
    fn atan2(self, x: Self) -> Self {
        elementary::arctangent(self, x)
    }
    #[inline]
    fn select_lt(self, bound: Self, then: Self, otherwise: Self) -> Self {
        Self(Vec4::select(self.0.cmplt(bound.0), then.0, otherwise.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a function of every operation.
    fn all<S: Real>(x: S, y: S) -> S {
        let sum = (x + y) * x - y / (x.abs() + 0.5);
        let root = sum.abs().sqrt().min(x).max(y) + (sum * 3.0).round();
        x.select_lt(y, root, sum.clamp(-S::one(), S::one())) + x.sin() * y.cos() + x.acos() - y.atan2(x)
    }

    #[test]
    fn four_values_have_the_bits_of_single_ones() {
        let numbers = [0.0, -0.0, 0.5, -1.5, 2.5, 1e-30, -1e20, 0.3];
        for k in 0..64 {
            let of = |lane: usize| (numbers[(k + lane) % 8], numbers[(k / 8 + 3 * lane) % 8]);
            let [x, y] =
                [Vec4::from_array([0, 1, 2, 3].map(|k| of(k).0)), Vec4::from_array([0, 1, 2, 3].map(|k| of(k).1))];
            let found = all(Single4(x), Single4(y)).0;
            for lane in 0..4 {
                let expected = all(Single(of(lane).0), Single(of(lane).1)).0;
                assert_eq!(found[lane].to_bits(), expected.to_bits(), "{:?}", of(lane));
            }
        }
    }
}
