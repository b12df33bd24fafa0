//! A number of each of several systems that are solved at once.

use std::array::from_fn;
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::cpu::block::linearize::Outputs;

/// A number of each of L systems.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wide<const L: usize>(pub [f32; L]);

impl<const L: usize> Wide<L> {
    /// Zeros.
    pub const ZERO: Self = Self([0.0; L]);
    /// Ones.
    pub const ONE: Self = Self([1.0; L]);

    /// Returns an output of a linearization for the constraints in the lanes from `first` on.
    #[inline(always)]
    pub fn of_output(outputs: Outputs<'_>, first: usize, output: usize) -> Self {
        let lanes = &outputs.get(output)[first..][..L];
        Self(from_fn(|lane| lanes[lane]))
    }
}

/// Returns what a function makes of 0, 1 and 2. Unlike [`array::map`], it is always inlined.
#[inline(always)]
pub fn three<T>(f: impl Fn(usize) -> T) -> [T; 3] {
    [f(0), f(1), f(2)]
}

/// Implements an operator lane by lane.
macro_rules! lane_by_lane {
    ($($operator:ident $function:ident $symbol:tt)*) => {$(
        impl<const L: usize> $operator for Wide<L> {
            type Output = Self;

            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                Self(from_fn(|lane| self.0[lane] $symbol other.0[lane]))
            }
        }
    )*};
}
lane_by_lane!(Add add + Sub sub - Mul mul * Div div /);

impl<const L: usize> Neg for Wide<L> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(from_fn(|lane| -self.0[lane]))
    }
}
