//! The elimination of the blocks of L systems, L D Lᵀ.
//!
//! Of a block on the diagonal the upper triangle is stored. Once it is eliminated, the reciprocals of its pivots are on its
//! diagonal, and above it the lower factor, transposed.

use super::lanes::Wide;
use crate::schedule::direct::{Block, Neighbour, SMALLEST_PIVOT, Structure};

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
pub fn solve<const L: usize>(structure: &Structure, numbers: &mut [Wide<L>], right: &mut [Wide<L>], least: &[Wide<L>]) {
    for block in &structure.blocks {
        with_size!(block.size, eliminate(block, numbers, right, least));
    }
    for block in structure.blocks.iter().rev() {
        with_size!(block.size, substitute(block, numbers, right));
    }
}

/// A diagonal block of S rows: reciprocals of pivots, and above them the lower factor, transposed.
type Factor<const S: usize, const L: usize> = [[Wide<L>; S]; S];

/// Returns S numbers.
#[inline(always)]
fn load<const S: usize, const L: usize>(numbers: &[Wide<L>], first: u32) -> [Wide<L>; S] {
    let mut row = [Wide::ZERO; S];
    row.copy_from_slice(&numbers[first as usize..][..S]);
    row
}

/// Returns a column of the numbers that a block of S rows shares with a neighbour.
#[inline(always)]
fn column<const S: usize, const L: usize>(shared: &[Wide<L>], width: usize, column: usize) -> [Wide<L>; S] {
    let mut numbers = [Wide::ZERO; S];
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
fn eliminate<const S: usize, const L: usize>(
    block: &Block,
    numbers: &mut [Wide<L>],
    right: &mut [Wide<L>],
    least: &[Wide<L>],
) {
    let factor = factor::<S, L>(block, numbers, load(least, block.row));
    for (k, row) in factor.iter().enumerate() {
        numbers[block.first as usize + k * S..][..S].copy_from_slice(row);
    }
    let own = forward(&factor, load::<S, L>(right, block.row));
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
        match (L, width) {
            (1, 3) => forward_rows::<S, 3, L>(&factor, &weighted, shared, right),
            (1, 6) => forward_rows::<S, 6, L>(&factor, &weighted, shared, right),
            _ => forward_columns(&factor, &weighted, shared, right),
        }
    }
    for update in &block.updates {
        let [first, second] = [update.first, update.second].map(|k| block.neighbours[k as usize]);
        match second.size {
            3 => change::<S, 3, L>(&factor, first, second, update.target, numbers),
            6 => change::<S, 6, L>(&factor, first, second, update.target, numbers),
            _ => change::<S, 0, L>(&factor, first, second, update.target, numbers),
        }
    }
}

/// Eliminates a block of S rows from a neighbour, one of its columns after the other.
#[inline(always)]
fn forward_columns<const S: usize, const L: usize>(
    factor: &Factor<S, L>,
    weighted: &[Wide<L>; S],
    shared: &mut [Wide<L>],
    right: &mut [Wide<L>],
) {
    let width = right.len();
    for c in 0..width {
        let entries = forward(factor, column::<S, L>(shared, width, c));
        for k in 0..S {
            shared[k * width + c] = entries[k];
            right[c] = right[c] - weighted[k] * entries[k];
        }
    }
}

/// Eliminates a block of S rows from a neighbour of T rows, all of its columns at once.
#[inline(always)]
fn forward_rows<const S: usize, const T: usize, const L: usize>(
    factor: &Factor<S, L>,
    weighted: &[Wide<L>; S],
    shared: &mut [Wide<L>],
    right: &mut [Wide<L>],
) {
    let mut rows: [[Wide<L>; T]; S] = [[Wide::ZERO; T]; S];
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
    let mut sums = load::<T, L>(right, 0);
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
fn change<const S: usize, const T: usize, const L: usize>(
    factor: &Factor<S, L>,
    first: Neighbour,
    second: Neighbour,
    target: u32,
    numbers: &mut [Wide<L>],
) {
    let (height, width) = (first.size as usize, if T == 0 { second.size as usize } else { T });
    let is_diagonal = first.block == second.block;
    for r in 0..height {
        let mut left = column::<S, L>(&numbers[shared_range::<S>(&first)], height, r);
        for k in 0..S {
            left[k] = left[k] * factor[k][k];
        }
        // Targets are stored behind the block.
        let (before, target) = numbers.split_at_mut(target as usize);
        let shared = &before[shared_range::<S>(&second)];
        let target = &mut target[r * width..][..width];
        // In one lane whole rows take less time than the parts that are read.
        if L == 1 && T > 0 {
            let mut sums = load::<T, L>(target, 0);
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
fn factor<const S: usize, const L: usize>(block: &Block, numbers: &[Wide<L>], least: [Wide<L>; S]) -> Factor<S, L> {
    let mut rows: Factor<S, L> = [[Wide::ZERO; S]; S];
    for (k, row) in rows.iter_mut().enumerate() {
        *row = load(numbers, block.first + (k * S) as u32);
    }
    let sign = if block.is_constraint { -1.0 } else { 1.0 };
    let mut smallest: [Wide<L>; S] = [Wide::ZERO; S];
    for j in 0..S {
        smallest[j] = Wide(std::array::from_fn(|lane| (rows[j][j].0[lane].abs() * SMALLEST_PIVOT).max(1e-30)));
    }
    for j in 0..S {
        let mut row = rows[j];
        let softened = |lane: usize| {
            if row[j].0[lane] * sign < least[j].0[lane] { least[j].0[lane] * sign } else { row[j].0[lane] }
        };
        row[j] = Wide(std::array::from_fn(softened));
        let reciprocal = Wide::ONE / row[j];
        let is_pivot = |lane: usize| row[j].0[lane] * sign > smallest[j].0[lane];
        let pivot = Wide(std::array::from_fn(|lane| if is_pivot(lane) { reciprocal.0[lane] } else { 0.0 }));
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
fn forward<const S: usize, const L: usize>(factor: &Factor<S, L>, mut right: [Wide<L>; S]) -> [Wide<L>; S] {
    for j in 0..S {
        for i in j + 1..S {
            right[i] = right[i] - factor[j][i] * right[j];
        }
    }
    right
}

/// Solves for a block of S rows where those that follow it are known.
#[inline(always)]
fn substitute<const S: usize, const L: usize>(block: &Block, numbers: &[Wide<L>], right: &mut [Wide<L>]) {
    let mut solution = load::<S, L>(right, block.row);
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
    let mut factor: Factor<S, L> = [[Wide::ZERO; S]; S];
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
