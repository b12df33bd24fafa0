//! The elimination of the blocks of systems, L D Lᵀ. A number is one of each of several systems, or a symbol that
//! [records](super::recorded) what is done to it.
//!
//! Of a block on the diagonal the upper triangle is stored. Once it is eliminated, the reciprocals of its pivots are on its
//! diagonal, and above it the lower factor, transposed.

use std::ops::{Add, Div, Mul, Sub};

use super::lanes::Wide;
use crate::program::Sym;
use crate::scalar::Real;
use crate::schedule::direct::{Block, Neighbour, SMALLEST_PIVOT, Structure};

/// The least absolute value of a pivot.
const TINY: f32 = 1e-30;

/// A number of the systems.
pub trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    /// Zero.
    const ZERO: Self;
    /// True if a number belongs to one system alone: whole rows of numbers then fill a vector register.
    const IS_SINGLE: bool = false;

    /// Returns the absolute value below which a pivot that begins as this one is none.
    fn smallest_pivot(self) -> Self;

    /// Returns a pivot of this sign whose absolute value is not less than `least`.
    fn softened(self, sign: f32, least: Self) -> Self;

    /// Returns the reciprocal of a pivot of this sign, 0 if its absolute value is not above `smallest`.
    fn reciprocal_above(self, sign: f32, smallest: Self) -> Self;
}

impl<const L: usize> Number for Wide<L> {
    const ZERO: Self = Self([0.0; L]);
    const IS_SINGLE: bool = L == 1;

    #[inline(always)]
    fn smallest_pivot(self) -> Self {
        Self(std::array::from_fn(|lane| (self.0[lane].abs() * SMALLEST_PIVOT).max(TINY)))
    }

    #[inline(always)]
    fn softened(self, sign: f32, least: Self) -> Self {
        let softened = |lane: usize| {
            if self.0[lane] * sign < least.0[lane] { least.0[lane] * sign } else { self.0[lane] }
        };
        Self(std::array::from_fn(softened))
    }

    #[inline(always)]
    fn reciprocal_above(self, sign: f32, smallest: Self) -> Self {
        let reciprocal = Self::ONE / self;
        let is_pivot = |lane: usize| self.0[lane] * sign > smallest.0[lane];
        Self(std::array::from_fn(|lane| if is_pivot(lane) { reciprocal.0[lane] } else { 0.0 }))
    }
}

impl Number for Sym<'_> {
    const ZERO: Self = Self::Literal(0.0);

    fn smallest_pivot(self) -> Self {
        (self.abs() * SMALLEST_PIVOT).max(Self::Literal(TINY))
    }

    fn softened(self, sign: f32, least: Self) -> Self {
        // What is less than 0 is no pivot in any case.
        if least.same(Self::ZERO) {
            return self;
        }
        (self * sign).select_lt(least, least * sign, self)
    }

    fn reciprocal_above(self, sign: f32, smallest: Self) -> Self {
        smallest.select_lt(self * sign, Self::one() / self, Self::ZERO)
    }
}

/// Calls a function with the size of a block as a constant, so that its loops have no branches.
macro_rules! with_size {
    ($size:expr, $function:ident($($argument:expr),*)) => {
        match $size {
            1 => $function::<1, _>($($argument),*),
            2 => $function::<2, _>($($argument),*),
            3 => $function::<3, _>($($argument),*),
            4 => $function::<4, _>($($argument),*),
            5 => $function::<5, _>($($argument),*),
            _ => $function::<6, _>($($argument),*),
        }
    };
}

/// Solves systems: their right-hand sides become the solutions. No pivot is less than the `least` of its row.
#[inline(always)]
pub fn solve<N: Number>(structure: &Structure, numbers: &mut [N], right: &mut [N], least: &[N]) {
    for block in &structure.blocks {
        with_size!(block.size, eliminate(block, numbers, right, least));
    }
    for block in structure.blocks.iter().rev() {
        with_size!(block.size, substitute(block, numbers, right));
    }
}

/// A diagonal block of S rows: reciprocals of pivots, and above them the lower factor, transposed.
type Factor<const S: usize, N> = [[N; S]; S];

/// Returns S numbers.
#[inline(always)]
fn load<const S: usize, N: Number>(numbers: &[N], first: u32) -> [N; S] {
    let mut row = [N::ZERO; S];
    row.copy_from_slice(&numbers[first as usize..][..S]);
    row
}

/// Returns a column of the numbers that a block of S rows shares with a neighbour.
#[inline(always)]
fn column<const S: usize, N: Number>(shared: &[N], width: usize, column: usize) -> [N; S] {
    let mut numbers = [N::ZERO; S];
    for k in 0..S {
        numbers[k] = shared[k * width + column];
    }
    numbers
}

/// Returns the numbers that a block of S rows shares with a neighbour.
#[inline(always)]
fn shared_range<const S: usize>(neighbour: &Neighbour) -> std::ops::Range<usize> {
    let first = neighbour.first as usize;
    first..first + S * neighbour.size as usize
}

/// Eliminates a block of S rows from those that follow it.
#[inline(always)]
fn eliminate<const S: usize, N: Number>(block: &Block, numbers: &mut [N], right: &mut [N], least: &[N]) {
    let factor = factor::<S, N>(block, numbers, load(least, block.row));
    for (k, row) in factor.iter().enumerate() {
        numbers[block.first as usize + k * S..][..S].copy_from_slice(row);
    }
    let own = forward(&factor, load::<S, N>(right, block.row));
    right[block.row as usize..][..S].copy_from_slice(&own);
    let mut weighted = own;
    for k in 0..S {
        weighted[k] = factor[k][k] * own[k];
    }
    for neighbour in &block.neighbours {
        let width = neighbour.size as usize;
        let shared = &mut numbers[shared_range::<S>(neighbour)];
        let right = &mut right[neighbour.row as usize..][..width];
        // Eight systems fill a register with a number of each, one with the numbers of a row.
        match (N::IS_SINGLE, width) {
            (true, 3) => forward_rows::<S, 3, N>(&factor, &weighted, shared, right),
            (true, 6) => forward_rows::<S, 6, N>(&factor, &weighted, shared, right),
            _ => forward_columns(&factor, &weighted, shared, right),
        }
    }
    for update in &block.updates {
        let [first, second] = [update.first, update.second].map(|k| block.neighbours[k as usize]);
        match second.size {
            3 => change::<S, 3, N>(&factor, first, second, update.target, numbers),
            6 => change::<S, 6, N>(&factor, first, second, update.target, numbers),
            _ => change::<S, 0, N>(&factor, first, second, update.target, numbers),
        }
    }
}

/// Eliminates a block of S rows from a neighbour, one of its columns after the other.
#[inline(always)]
fn forward_columns<const S: usize, N: Number>(
    factor: &Factor<S, N>,
    weighted: &[N; S],
    shared: &mut [N],
    right: &mut [N],
) {
    let width = right.len();
    for c in 0..width {
        let entries = forward(factor, column::<S, N>(shared, width, c));
        for k in 0..S {
            shared[k * width + c] = entries[k];
            right[c] = right[c] - weighted[k] * entries[k];
        }
    }
}

/// Eliminates a block of S rows from a neighbour of T rows, all of its columns at once.
#[inline(always)]
fn forward_rows<const S: usize, const T: usize, N: Number>(
    factor: &Factor<S, N>,
    weighted: &[N; S],
    shared: &mut [N],
    right: &mut [N],
) {
    let mut rows: [[N; T]; S] = [[N::ZERO; T]; S];
    for k in 0..S {
        rows[k] = load(shared, (k * T) as u32);
    }
    for j in 0..S {
        for i in j + 1..S {
            for c in 0..T {
                rows[i][c] = rows[i][c] - factor[j][i] * rows[j][c];
            }
        }
    }
    let mut sums = load::<T, N>(right, 0);
    for k in 0..S {
        for c in 0..T {
            sums[c] = sums[c] - weighted[k] * rows[k][c];
        }
        shared[k * T..][..T].copy_from_slice(&rows[k]);
    }
    right.copy_from_slice(&sums);
}

/// Changes a target by the elimination of a block of S rows. The second neighbour has T rows, or any number if T is 0.
#[inline(always)]
fn change<const S: usize, const T: usize, N: Number>(
    factor: &Factor<S, N>,
    first: Neighbour,
    second: Neighbour,
    target: u32,
    numbers: &mut [N],
) {
    let (height, width) = (first.size as usize, if T == 0 { second.size as usize } else { T });
    let is_diagonal = first.block == second.block;
    for r in 0..height {
        let mut left = column::<S, N>(&numbers[shared_range::<S>(&first)], height, r);
        for k in 0..S {
            left[k] = left[k] * factor[k][k];
        }
        // Targets are stored behind the block.
        let (before, target) = numbers.split_at_mut(target as usize);
        let shared = &before[shared_range::<S>(&second)];
        let target = &mut target[r * width..][..width];
        // In one lane whole rows take less time than the parts that are read.
        if N::IS_SINGLE && T > 0 {
            let mut sums = load::<T, N>(target, 0);
            for k in 0..S {
                for c in 0..T {
                    sums[c] = sums[c] - left[k] * shared[k * T + c];
                }
            }
            target.copy_from_slice(&sums);
            continue;
        }
        for c in if is_diagonal { r } else { 0 }..width {
            let mut sum = target[c];
            for k in 0..S {
                sum = sum - left[k] * shared[k * width + c];
            }
            target[c] = sum;
        }
    }
}

/// Factors a diagonal block.
#[inline(always)]
fn factor<const S: usize, N: Number>(block: &Block, numbers: &[N], least: [N; S]) -> Factor<S, N> {
    let mut rows: Factor<S, N> = [[N::ZERO; S]; S];
    for (k, row) in rows.iter_mut().enumerate() {
        *row = load(numbers, block.first + (k * S) as u32);
    }
    let sign = if block.is_constraint { -1.0 } else { 1.0 };
    let mut smallest: [N; S] = [N::ZERO; S];
    for j in 0..S {
        smallest[j] = rows[j][j].smallest_pivot();
    }
    for j in 0..S {
        let mut row = rows[j];
        row[j] = row[j].softened(sign, least[j]);
        let pivot = row[j].reciprocal_above(sign, smallest[j]);
        rows[j][j] = pivot;
        for i in j + 1..S {
            let lower = row[i] * pivot;
            rows[j][i] = lower;
            for c in i..S {
                rows[i][c] = rows[i][c] - lower * row[c];
            }
        }
    }
    rows
}

/// Solves for L y = b.
#[inline(always)]
fn forward<const S: usize, N: Number>(factor: &Factor<S, N>, mut right: [N; S]) -> [N; S] {
    for j in 0..S {
        for i in j + 1..S {
            right[i] = right[i] - factor[j][i] * right[j];
        }
    }
    right
}

/// Solves for a block of S rows where those that follow it are known.
#[inline(always)]
fn substitute<const S: usize, N: Number>(block: &Block, numbers: &[N], right: &mut [N]) {
    let mut solution = load::<S, N>(right, block.row);
    for neighbour in &block.neighbours {
        let width = neighbour.size as usize;
        let shared = &numbers[shared_range::<S>(neighbour)];
        let known = &right[neighbour.row as usize..][..width];
        for c in 0..width {
            for k in 0..S {
                solution[k] = solution[k] - shared[k * width + c] * known[c];
            }
        }
    }
    let mut factor: Factor<S, N> = [[N::ZERO; S]; S];
    for (k, row) in factor.iter_mut().enumerate() {
        *row = load(numbers, block.first + (k * S) as u32);
        solution[k] = solution[k] * row[k];
    }
    for j in (0..S).rev() {
        for i in j + 1..S {
            solution[j] = solution[j] - factor[j][i] * solution[i];
        }
    }
    right[block.row as usize..][..S].copy_from_slice(&solution);
}
