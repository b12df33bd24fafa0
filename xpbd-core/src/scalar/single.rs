//! Single precision: what a recorded program computes with, on plain numbers.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::dual::{literal_operators, number_operators};
use super::{Real, UseSelectLt, trig};

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
        trig::sine(self)
    }
    fn cos(self) -> Self {
        trig::cosine(self)
    }
    fn acos(self) -> Self {
        trig::arccosine(self)
    }
    fn atan2(self, x: Self) -> Self {
        trig::arctangent(self, x)
    }
    fn select_lt(self, bound: Self, then: Self, otherwise: Self) -> Self {
        if self.0 < bound.0 { then } else { otherwise }
    }
}
