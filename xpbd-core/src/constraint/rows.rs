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

/// Of a row that may be held at a bound: 1 where it is, 0 where it is not, and the step that it then
/// takes.
pub(super) type HeldRow<'g> = Option<(Sym<'g>, Sym<'g>)>;

/// Solves A x = b where rows that are held have a known x and leave the system.
pub(super) fn solve_around<'g>(a: &[Vec<Sym<'g>>], b: &[Sym<'g>], held: &[HeldRow<'g>]) -> Vec<Sym<'g>> {
    let n = b.len();
    // The value where a row is held, and where it is not.
    let choose = |row: usize, at_bound: Sym<'g>, free: Sym<'g>| match held[row] {
        Some((is_held, _)) => Sym::literal(0.5).select_lt(is_held, at_bound, free),
        None => free,
    };
    let known = |row: usize| held[row].map_or(Sym::zero(), |(_, step)| step);
    let (mut matrix, mut right) = (a.to_vec(), b.to_vec());
    for i in 0..n {
        for j in 0..n {
            let identity = if i == j { Sym::one() } else { Sym::zero() };
            matrix[i][j] = choose(i, identity, choose(j, identity, a[i][j]));
        }
        let rest = (0..n).fold(b[i], |rest, j| rest - choose(j, a[i][j] * known(j), Sym::zero()));
        right[i] = choose(i, known(i), rest);
    }
    solve_symmetric(&matrix, &right)
}
