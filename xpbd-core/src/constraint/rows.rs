//! The small linear system of a block of rows, recorded.

use crate::program::Sym;
use crate::scalar::Real;

/// The smallest denominator ∇C W ∇Cᵀ + α̃ that is divided by: a constraint below it is degenerate
/// (no gradient, or nothing that can move) and is skipped.
const DEGENERATE: f32 = 1e-20;

/// The smallest pivot of a block of rows, as a part of its diagonal element: below it the row
/// says what the rows before it have said already, and is skipped.
const DEPENDENT: f32 = 1e-6;

/// Returns `b / a`, and 0 where `a` is not above the floor.
pub(super) fn divide_above<'g>(b: Sym<'g>, a: Sym<'g>, floor: Sym<'g>) -> Sym<'g> {
    floor.select_lt(a, b / a.max(floor), Sym::zero())
}

/// Returns `b / a`, and 0 where `a` is degenerate.
pub(super) fn divide<'g>(b: Sym<'g>, a: Sym<'g>) -> Sym<'g> {
    divide_above(b, a, Sym::literal(DEGENERATE))
}

/// Returns the smallest pivot that is divided by, given the diagonal element that it was reduced from.
pub(super) fn smallest_pivot<'g>(pivot: Sym<'g>, diagonal: Sym<'g>) -> Sym<'g> {
    let floor = Sym::literal(DEGENERATE);
    if pivot.same(diagonal) { floor } else { (diagonal * DEPENDENT).max(floor) }
}

/// Solves A x = b for a symmetric positive matrix; degenerate and dependent rows give 0.
pub(super) fn solve_symmetric<'g>(a: &[Vec<Sym<'g>>], b: &[Sym<'g>]) -> Vec<Sym<'g>> {
    if b.len() == 1 {
        return vec![divide(b[0], a[0][0])];
    }
    let factors = Elimination::of(a, b.len());
    let mut x = b.to_vec();
    factors.reduce(&mut x);
    factors.substitute(&mut x);
    x
}

/// The elimination of the first rows of a symmetric positive matrix by L D Lᵀ.
pub(super) struct Elimination<'g> {
    /// L, whose columns are those of the eliminated rows.
    lower: Vec<Vec<Sym<'g>>>,
    /// 1/D, and 0 for degenerate and dependent rows.
    inverse: Vec<Sym<'g>>,
    /// The matrix of the other rows that is left (the Schur complement), in their lower triangle.
    pub rest: Vec<Vec<Sym<'g>>>,
}

impl<'g> Elimination<'g> {
    /// Eliminates the first `count` rows.
    pub fn of(a: &[Vec<Sym<'g>>], count: usize) -> Self {
        let n = a.len();
        let mut lower = vec![vec![Sym::zero(); count]; n];
        let mut inverse: Vec<Sym> = Vec::with_capacity(count);
        let mut pivots: Vec<Sym> = Vec::with_capacity(count);
        for j in 0..count {
            let reduced = |i: usize| (0..j).fold(a[i][j], |sum, k| sum - lower[i][k] * lower[j][k] * pivots[k]);
            let pivot = reduced(j);
            let column: Vec<_> = (j + 1..n).map(reduced).collect();
            let reciprocal = divide_above(Sym::one(), pivot, smallest_pivot(pivot, a[j][j]));
            for (i, entry) in (j + 1..n).zip(column) {
                lower[i][j] = entry * reciprocal;
            }
            pivots.push(pivot);
            inverse.push(reciprocal);
        }
        let left = |i: usize, j: usize| (0..count).fold(a[i][j], |sum, k| sum - lower[i][k] * lower[j][k] * pivots[k]);
        let rest = (count..n).map(|i| (count..=i).map(|j| left(i, j)).collect()).collect();
        Self { lower, inverse, rest }
    }

    /// Subtracts from each entry of a right-hand side what the eliminated rows before it make of it.
    pub fn reduce(&self, b: &mut [Sym<'g>]) {
        for i in 0..b.len() {
            b[i] = (0..i.min(self.inverse.len())).fold(b[i], |sum, k| sum - self.lower[i][k] * b[k]);
        }
    }

    /// Solves for the eliminated rows, where the other entries are known already.
    pub fn substitute(&self, x: &mut [Sym<'g>]) {
        let count = self.inverse.len();
        for i in 0..count {
            x[i] = x[i] * self.inverse[i];
        }
        for i in (0..count).rev() {
            x[i] = (i + 1..x.len()).fold(x[i], |sum, k| sum - self.lower[k][i] * x[k]);
        }
    }
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
