//! The elimination of the blocks of a component, L D Lᵀ.

use multiversion::multiversion;

use crate::schedule::direct::{Block, Component};

/// A row of a block; entries beyond its columns are 0.
pub type Row = [f32; 8];

/// The smallest pivot, as a part of the diagonal element that it was reduced from: below it a row says what rows before
/// it have said already, and is skipped.
const DEPENDENT: f32 = 1e-7;

/// The numbers of a system.
#[derive(Default)]
pub struct Workspace {
    /// Rows of all blocks.
    pub rows: Vec<Row>,
    /// Right-hand side of each block, and at the end its solution.
    pub right: Vec<Row>,
    /// Reciprocals of the pivots of each block.
    inverse: Vec<Row>,
    /// Free axes of each node.
    pub masks: Vec<u8>,
}

impl Workspace {
    /// Sets all numbers of a component to 0.
    pub fn clear(&mut self, component: &Component) {
        let zero = |rows: &mut Vec<Row>, count: usize| {
            rows.clear();
            rows.resize(count, Row::default());
        };
        zero(&mut self.rows, component.rows as usize);
        zero(&mut self.right, component.blocks.len());
        zero(&mut self.inverse, component.blocks.len());
        self.masks.clear();
    }
}

/// Calls a function with the size of a block as a constant, so that its loops have no branches.
macro_rules! with_size {
    ($size:expr, $function:ident($($argument:expr),*)) => {
        match $size {
            1 => $function::<1>($($argument),*),
            2 => $function::<2>($($argument),*),
            3 => $function::<3>($($argument),*),
            4 => $function::<4>($($argument),*),
            5 => $function::<5>($($argument),*),
            _ => $function::<6>($($argument),*),
        }
    };
}
/// Solves the system of a component: its right-hand sides become the solution.
#[multiversion(targets("x86_64+avx+avx2+avx512f+avx512vl+avx512dq", "x86_64+avx+avx2"))]
pub fn solve(component: &Component, workspace: &mut Workspace) {
    for number in 0..component.blocks.len() {
        with_size!(component.blocks[number].size, eliminate(component, workspace, number));
    }
    for number in (0..component.blocks.len()).rev() {
        let block = &component.blocks[number];
        with_size!(block.size, substitute(block, workspace, number));
    }
}

/// Returns row − factor · other.
#[inline(always)]
fn reduced(row: Row, factor: f32, other: Row) -> Row {
    std::array::from_fn(|k| row[k] - factor * other[k])
}

/// Returns the rows of a block of S rows.
#[inline(always)]
fn load<const S: usize>(rows: &[Row], first: u32) -> [Row; S] {
    let mut block = [Row::default(); S];
    block.copy_from_slice(&rows[first as usize..][..S]);
    block
}

/// Eliminates a block of S rows from those that follow it.
#[inline(always)]
fn eliminate<const S: usize>(component: &Component, workspace: &mut Workspace, number: usize) {
    let block = &component.blocks[number];
    let Workspace { rows, right, inverse, .. } = workspace;
    let (lower, pivots) = factor::<S>(load(rows, block.rows), block.is_constraint);
    rows[block.rows as usize..][..S].copy_from_slice(&lower);
    inverse[number] = pivots;
    let mut own = right[number];
    for j in 0..S {
        for i in j + 1..S {
            own[i] -= lower[i][j] * own[j];
        }
    }
    right[number] = own;
    for neighbour in &block.neighbours {
        let mut shared: [Row; S] = load(rows, neighbour.rows);
        for j in 0..S {
            for i in j + 1..S {
                shared[i] = reduced(shared[i], lower[i][j], shared[j]);
            }
        }
        rows[neighbour.rows as usize..][..S].copy_from_slice(&shared);
        let mut other = right[neighbour.block as usize];
        for k in 0..S {
            other = reduced(other, pivots[k] * own[k], shared[k]);
        }
        right[neighbour.block as usize] = other;
    }
    for update in &block.updates {
        let [first, second] = [update.first, update.second].map(|k| &block.neighbours[k as usize]);
        let count = component.blocks[first.block as usize].size as usize;
        let (left, columns): ([Row; S], [Row; S]) = (load(rows, first.rows), load(rows, second.rows));
        for (r, target) in rows[update.target as usize..][..count].iter_mut().enumerate() {
            for k in 0..S {
                *target = reduced(*target, left[k][r] * pivots[k], columns[k]);
            }
        }
    }
}

/// Factors a diagonal block; returns L below its diagonal, and the reciprocals of the pivots.
#[inline(always)]
fn factor<const S: usize>(mut rows: [Row; S], is_negative: bool) -> ([Row; S], Row) {
    let (mut lower, mut pivots) = ([Row::default(); S], Row::default());
    let sign = if is_negative { -1.0 } else { 1.0 };
    let smallest: [f32; S] = std::array::from_fn(|j| (rows[j][j].abs() * DEPENDENT).max(1e-30));
    for j in 0..S {
        let row = rows[j];
        pivots[j] = if row[j] * sign > smallest[j] { 1.0 / row[j] } else { 0.0 };
        for i in j + 1..S {
            lower[i][j] = rows[i][j] * pivots[j];
            rows[i] = reduced(rows[i], lower[i][j], row);
        }
    }
    (lower, pivots)
}

/// Solves for a block of S rows where those that follow it are known.
#[inline(always)]
fn substitute<const S: usize>(block: &Block, workspace: &mut Workspace, number: usize) {
    let Workspace { rows, right, inverse, .. } = workspace;
    let mut solution = right[number];
    for neighbour in &block.neighbours {
        let known = right[neighbour.block as usize];
        let shared: [Row; S] = load(rows, neighbour.rows);
        for c in 0..6 {
            for k in 0..S {
                solution[k] -= shared[k][c] * known[c];
            }
        }
    }
    let lower: [Row; S] = load(rows, block.rows);
    for k in 0..S {
        solution[k] *= inverse[number][k];
    }
    for j in (0..S).rev() {
        for i in j + 1..S {
            solution[j] -= lower[i][j] * solution[i];
        }
    }
    right[number] = solution;
}
