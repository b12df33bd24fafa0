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

/// Solves the system of a component: its right-hand sides become the solution.
#[multiversion(targets("x86_64+avx+avx2+avx512f+avx512vl+avx512dq", "x86_64+avx+avx2"))]
pub fn solve(component: &Component, workspace: &mut Workspace) {
    for number in 0..component.blocks.len() {
        eliminate(component, workspace, number);
    }
    for number in (0..component.blocks.len()).rev() {
        substitute(&component.blocks[number], workspace, number);
    }
}

/// Returns row − factor · other.
#[inline(always)]
fn reduced(row: Row, factor: f32, other: Row) -> Row {
    std::array::from_fn(|k| row[k] - factor * other[k])
}

/// Eliminates a block from those that follow it.
#[inline(always)]
fn eliminate(component: &Component, workspace: &mut Workspace, number: usize) {
    let block = &component.blocks[number];
    let Workspace { rows, right, inverse, .. } = workspace;
    let size = block.size as usize;
    let (lower, pivots) = factor(&mut rows[block.rows as usize..][..size], block.is_constraint);
    inverse[number] = pivots;
    for j in 0..size {
        for i in j + 1..size {
            right[number][i] -= lower[i][j] * right[number][j];
        }
    }
    let own = right[number];
    for neighbour in &block.neighbours {
        let shared = &mut rows[neighbour.rows as usize..][..size];
        for j in 0..size {
            let pivot = shared[j];
            for i in j + 1..size {
                shared[i] = reduced(shared[i], lower[i][j], pivot);
            }
        }
        let other = &mut right[neighbour.block as usize];
        for (k, row) in shared.iter().enumerate() {
            *other = reduced(*other, pivots[k] * own[k], *row);
        }
    }
    for update in &block.updates {
        let [first, second] = [update.first, update.second].map(|k| &block.neighbours[k as usize]);
        for r in 0..component.blocks[first.block as usize].size as usize {
            let mut target = rows[update.target as usize + r];
            for k in 0..size {
                let factor = rows[first.rows as usize + k][r] * pivots[k];
                target = reduced(target, factor, rows[second.rows as usize + k]);
            }
            rows[update.target as usize + r] = target;
        }
    }
}

/// Factors a diagonal block, whose rows become those of L; returns L and the reciprocals of the pivots.
#[inline(always)]
fn factor(rows: &mut [Row], is_negative: bool) -> ([Row; 6], Row) {
    let (mut lower, mut pivots) = ([Row::default(); 6], Row::default());
    let sign = if is_negative { -1.0 } else { 1.0 };
    let size = rows.len();
    let mut smallest = Row::default();
    for (j, row) in rows.iter().enumerate() {
        smallest[j] = (row[j].abs() * DEPENDENT).max(1e-30);
    }
    for j in 0..size {
        let row = rows[j];
        pivots[j] = if row[j] * sign > smallest[j] { 1.0 / row[j] } else { 0.0 };
        for i in j + 1..size {
            let factor = rows[i][j] * pivots[j];
            rows[i] = reduced(rows[i], factor, row);
            lower[i][j] = factor;
        }
    }
    rows.copy_from_slice(&lower[..size]);
    (lower, pivots)
}

/// Solves for a block where those that follow it are known.
#[inline(always)]
fn substitute(block: &Block, workspace: &mut Workspace, number: usize) {
    let Workspace { rows, right, inverse, .. } = workspace;
    let size = block.size as usize;
    let mut solution = right[number];
    for neighbour in &block.neighbours {
        let known = right[neighbour.block as usize];
        for (k, row) in rows[neighbour.rows as usize..][..size].iter().enumerate() {
            for c in 0..6 {
                solution[k] -= row[c] * known[c];
            }
        }
    }
    for k in 0..size {
        solution[k] *= inverse[number][k];
    }
    for j in (0..size).rev() {
        for i in j + 1..size {
            solution[j] -= rows[block.rows as usize + i][j] * solution[i];
        }
    }
    right[number] = solution;
}
