//! The small linear system of a block of rows, recorded.

use crate::program::Sym;
use crate::scalar::Real;

/// The smallest denominator ∇C W ∇Cᵀ + α̃ that is divided by: a constraint below it is degenerate
/// (no gradient, or nothing that can move) and is skipped.
const DEGENERATE: f32 = 1e-20;

/// The smallest pivot of a block of rows, as a part of its diagonal element: below it the row
/// says what the rows before it have said already, and is skipped.
const DEPENDENT: f32 = 1e-6;

/// Solves A x = b for a symmetric positive matrix by L D Lᵀ; degenerate and dependent rows give 0.
pub(super) fn solve_symmetric<'g>(a: &[Vec<Sym<'g>>], b: &[Sym<'g>]) -> Vec<Sym<'g>> {
    let n = b.len();
    let floor = Sym::literal(DEGENERATE);
    if n == 1 {
        let step = b[0] / a[0][0].max(floor);
        return vec![floor.select_lt(a[0][0], step, Sym::zero())];
    }
    let mut lower = vec![vec![Sym::zero(); n]; n];
    let mut inverse: Vec<Sym> = Vec::with_capacity(n);
    let mut pivots: Vec<Sym> = Vec::with_capacity(n);
    for j in 0..n {
        let reduced = |i: usize| (0..j).fold(a[i][j], |sum, k| sum - lower[i][k] * lower[j][k] * pivots[k]);
        let pivot = reduced(j);
        let column: Vec<_> = (j + 1..n).map(reduced).collect();
        let bound = if pivot.same(a[j][j]) { floor } else { (a[j][j] * DEPENDENT).max(floor) };
        let reciprocal = bound.select_lt(pivot, Sym::one() / pivot.max(floor), Sym::zero());
        for (i, entry) in (j + 1..n).zip(column) {
            lower[i][j] = entry * reciprocal;
        }
        pivots.push(pivot);
        inverse.push(reciprocal);
    }
    let mut x = b.to_vec();
    for i in 0..n {
        x[i] = (0..i).fold(x[i], |sum, k| sum - lower[i][k] * x[k]);
    }
    for i in 0..n {
        x[i] = x[i] * inverse[i];
    }
    for i in (0..n).rev() {
        x[i] = (i + 1..n).fold(x[i], |sum, k| sum - lower[k][i] * x[k]);
    }
    x
}
