//! The solution of a block of rows, recorded.
//!
//! ```text
//! A Δλ = b,   A = ∇C W ∇Cᵀ + α̃/(1 + γ),   b = (−C − α̃ λ − γ ∇C · (x − xⁿ))/(1 + γ)
//! ```
//!
//! Every row has its equation or is held: at the nearest multiplier that is admissible where the equation would take
//! another one, and at a [stop](crate::constraint::Constraint::stops) where C would pass it. The rows that cannot be
//! held are eliminated first. What is left is a system S y = c over the others, seldom more than two. One row is solved
//! in closed form: with w for S without compliance, e for c without the right-hand side of the row, and δ for the way
//! to a stop,
//!
//! ```text
//! y = admissible(λ + c/S) − λ,   (e + δ₀)/w ≤ y ≤ (e + δ₁)/w
//! ```
//!
//! Several rows take this in turn ([`SWEEPS`] times), which says which of them are held and where; then the others
//! are solved together around those (\[Silcowitz10\], a projected Gauss–Seidel method with subspace minimization), so
//! that a row that was held and need not be is released by the next sweep. This is done once for each of the rows, and
//! a last sweep keeps their bounds for any input. Two rows then have the exact solution for any matrix of the condition
//! 10⁴; of three and four, 3 and 10 in a hundred do not.
//!
//! After a direct solve, which has solved all rows of all constraints together, equations and the rows that push by then
//! ask for nothing more: what is corrected are the other rows with bounds, along which the equations keep holding.
//!
//! \[Silcowitz10\]: M. Silcowitz, S. Niebe, K. Erleben, Projected Gauss–Seidel subspace minimization method for
//! interactive rigid body dynamics, GRAPP 2010.

use super::Update;
use super::node::NodeGradient;
use crate::constraint::rows::{Elimination, HeldRow, divide_above, smallest_pivot, solve_around, solve_symmetric};
use crate::program::Sym;
use crate::scalar::{Real, Vec3};

/// Sweeps over the rows with bounds before the others are solved around them.
const SWEEPS: usize = 2;

/// A row that may be held, once the others are eliminated.
struct BoundedRow<'g> {
    /// Number in the constraint.
    row: usize,
    /// c: its right-hand side.
    right: Sym<'g>,
    /// w: its diagonal element without compliance.
    mass: Sym<'g>,
    /// The smallest diagonal element that is divided by.
    smallest: Sym<'g>,
    /// α̃/(1 + γ).
    compliance: Sym<'g>,
    /// e + δ: right-hand sides that bring it to its stops.
    stops: Option<[Sym<'g>; 2]>,
}

/// The step that a row takes by itself, next to the steps of the others.
struct RowStep<'g> {
    step: Sym<'g>,
    /// The step where the row is held at a multiplier.
    held: HeldRow<'g>,
    /// 1 where the row is at a stop, 0 where it is not, and the right-hand side of that stop.
    at_stop: Option<(Sym<'g>, Sym<'g>)>,
}

/// The damping of the rows of a block.
enum RowDamping<'g> {
    /// The same 1 + γ for all, by which the equations are multiplied.
    Equal(Sym<'g>),
    /// 1/(1 + γ) of each.
    Each(Vec<Sym<'g>>),
}

/// A block of rows to be solved.
struct Block<'g> {
    /// Numbers of the rows in the constraint.
    rows: Vec<usize>,
    /// ∇C W ∇Cᵀ.
    mass: Vec<Vec<Sym<'g>>>,
    /// α̃/(1 + γ).
    compliance: Vec<Vec<Sym<'g>>>,
    /// b.
    right: Vec<Sym<'g>>,
    /// Right-hand sides that bring each row to its stops.
    stops: Vec<Option<[Sym<'g>; 2]>>,
}

impl<'g> Block<'g> {
    /// A.
    fn matrix(&self, a: usize, b: usize) -> Sym<'g> {
        self.mass[a][b] + self.compliance[a][b]
    }
}

impl<'g> Update<'g> {
    /// Solves the rows with these numbers together and moves the nodes.
    pub(super) fn solve_rows(&mut self, rows: &[usize]) {
        let (values, slopes) = self.linearize();
        let pushes: Vec<Vec<NodeGradient>> = rows.iter().map(|&row| self.node_gradients(&slopes[row])).collect();
        let block = self.block(rows, &values, &slopes, &pushes);
        let step = self.solve_block(&block);
        let (wanted, allowed) = self.clamp_multipliers(rows, &step);
        for (k, &row) in rows.iter().enumerate() {
            let is_solved = allowed[row].same(wanted[row]) || block.stops[k].is_some();
            let change = if is_solved { step[k] } else { allowed[row] - self.lambda[row] };
            self.lambda[row] = if is_solved { wanted[row] } else { allowed[row] };
            self.residual[row] = change * block.matrix(k, k);
            self.apply(&pushes[k], change);
        }
    }

    /// Returns the equations of these rows.
    fn block(
        &self,
        rows: &[usize],
        values: &[Sym<'g>],
        slopes: &[Vec<Vec3<Sym<'g>>>],
        pushes: &[Vec<NodeGradient<'g>>],
    ) -> Block<'g> {
        let damping = RowDamping::of(rows, &self.gamma);
        let stops = self.kind.erased.stops(&self.points, &self.parameters);
        let mut mass = vec![vec![Sym::zero(); rows.len()]; rows.len()];
        for a in 0..rows.len() {
            for b in 0..=a {
                mass[a][b] = damping.mass(self.inverse_effective_mass(&pushes[a], &pushes[b]));
                mass[b][a] = mass[a][b];
            }
        }
        let right = |(k, &row): (usize, &usize)| {
            let creep =
                (0..self.kind.row_count()).fold(Sym::zero(), |sum, k| sum + self.alpha[row][k] * self.lambda[k]);
            damping.undamped(k, -values[row] - creep - self.gamma[row] * self.progress(&slopes[row]))
        };
        let compliance = |(k, &row): (usize, &usize)| {
            rows.iter().map(|&other| damping.undamped(k, self.alpha[row][other])).collect()
        };
        Block {
            mass,
            compliance: rows.iter().enumerate().map(compliance).collect(),
            right: rows.iter().enumerate().map(right).collect(),
            stops: rows.iter().map(|&row| stops[row].map(|stops| stops.map(|way| damping.mass(way)))).collect(),
            rows: rows.to_vec(),
        }
    }

    /// Returns the step of the multipliers of a block.
    fn solve_block(&self, block: &Block<'g>) -> Vec<Sym<'g>> {
        let (wanted, allowed) = self.clamp_multipliers(&block.rows, &block.right);
        let is_bounded = |k: usize| {
            let row = block.rows[k];
            block.stops[k].is_some() || !allowed[row].same(wanted[row])
        };
        let (bounded, free): (Vec<usize>, Vec<usize>) = (0..block.rows.len()).partition(|&k| is_bounded(k));
        let order = [free.as_slice(), &bounded].concat();
        // A stop has no compliance: bounded rows have theirs besides.
        let entry = |a: usize, b: usize| if a == b && is_bounded(a) { block.mass[a][a] } else { block.matrix(a, b) };
        let matrix: Vec<Vec<_>> = order.iter().map(|&a| order.iter().map(|&b| entry(a, b)).collect()).collect();
        let is_asked = |k: usize| !is_bounded(k) && !self.settled;
        let mut step: Vec<_> = order.iter().map(|&k| if is_asked(k) { block.right[k] } else { Sym::zero() }).collect();
        if bounded.is_empty() {
            return solve_symmetric(&matrix, &step);
        }
        let elimination = Elimination::of(&matrix, free.len());
        elimination.reduce(&mut step);
        let row = |(place, &k): (usize, &usize)| {
            let (reduced, mass) = (step[place], elimination.rest[place - free.len()][place - free.len()]);
            BoundedRow {
                row: block.rows[k],
                right: reduced + block.right[k],
                mass,
                smallest: smallest_pivot(mass, matrix[place][place]),
                compliance: block.compliance[k][k],
                stops: block.stops[k].map(|stops| stops.map(|way| reduced + way)),
            }
        };
        let rest: Vec<BoundedRow> = order.iter().enumerate().skip(free.len()).map(row).collect();
        step.truncate(free.len());
        let steps = self.solve_bounded(&rest, &elimination.rest);
        step.extend(rest.iter().zip(steps).map(|(row, step)| match self.settled {
            true => Sym::zero().select_lt(self.lambda[row.row].abs(), Sym::zero(), step),
            false => step,
        }));
        elimination.substitute(&mut step);
        let mut in_order = step.clone();
        order.iter().zip(step).for_each(|(&k, step)| in_order[k] = step);
        in_order
    }

    /// Returns the steps of the rows with bounds, of which the matrix (its lower triangle, without their compliance)
    /// is given.
    fn solve_bounded(&self, rows: &[BoundedRow<'g>], matrix: &[Vec<Sym<'g>>]) -> Vec<Sym<'g>> {
        let entry = |a: usize, b: usize| matrix[a.max(b)][a.min(b)];
        let mut steps = vec![Sym::zero(); rows.len()];
        let sweep = |steps: &mut Vec<Sym<'g>>| -> Vec<RowStep<'g>> {
            let solve = |k: usize| {
                let others = (0..rows.len()).filter(|&other| other != k);
                let pushed = others.fold(Sym::zero(), |sum, other| sum + entry(k, other) * steps[other]);
                let solved = self.solve_bounded_row(rows, steps, k, pushed);
                steps[k] = solved.step;
                solved
            };
            (0..rows.len()).map(solve).collect()
        };
        for _ in 0..if rows.len() > 1 { rows.len() } else { 0 } {
            let mut solved = Vec::new();
            (0..SWEEPS).for_each(|_| solved = sweep(&mut steps));
            let at_stop = |k: usize, stop: Sym<'g>, equation: Sym<'g>| match solved[k].at_stop {
                Some((is_at_stop, _)) => Sym::literal(0.5).select_lt(is_at_stop, stop, equation),
                None => equation,
            };
            let free = |k: usize| {
                let right = solved[k].at_stop.map_or(rows[k].right, |(_, right)| at_stop(k, right, rows[k].right));
                (at_stop(k, rows[k].mass, rows[k].mass + rows[k].compliance), right)
            };
            let diagonal = |a: usize, b: usize| if a == b { free(a).0 } else { entry(a, b) };
            let matrix: Vec<Vec<_>> =
                (0..rows.len()).map(|a| (0..rows.len()).map(|b| diagonal(a, b)).collect()).collect();
            let right: Vec<_> = (0..rows.len()).map(|k| free(k).1).collect();
            let held: Vec<_> = solved.iter().map(|row| row.held).collect();
            steps = solve_around(&matrix, &right, &held);
        }
        sweep(&mut steps);
        steps
    }

    /// Returns what a row with a bound takes, given the push of the others on it.
    fn solve_bounded_row(&self, rows: &[BoundedRow<'g>], steps: &[Sym<'g>], k: usize, pushed: Sym<'g>) -> RowStep<'g> {
        let BoundedRow { row, right, mass, smallest, compliance, stops } = rows[k];
        let wanted = divide_above(right - pushed, mass + compliance, smallest);
        let numbers: Vec<usize> = rows.iter().map(|row| row.row).collect();
        let mut tried = steps.to_vec();
        tried[k] = wanted;
        let (sum, allowed) = self.clamp_multipliers(&numbers, &tried);
        let (step, mut held) = if allowed[row].same(sum[row]) {
            (wanted, None)
        } else {
            let step = allowed[row] - self.lambda[row];
            let passes = Sym::zero().select_lt((sum[row] - allowed[row]).abs(), Sym::one(), Sym::zero());
            (step, Some((passes, step)))
        };
        let Some(ends) = stops else { return RowStep { step, held, at_stop: None } };
        let [low, high] = ends.map(|end| divide_above(end - pushed, mass, smallest));
        let above_low = low.select_lt(step, Sym::zero(), Sym::one());
        let is_at_stop = step.select_lt(high, above_low, Sym::one());
        let right = step.select_lt(high, ends[0], ends[1]);
        held = held.map(|(passes, step)| (Sym::literal(0.5).select_lt(is_at_stop, Sym::zero(), passes), step));
        RowStep { step: step.max(low).min(high), held, at_stop: Some((is_at_stop, right)) }
    }

    /// Returns the multipliers after this step of these rows, and the admissible ones nearest to them.
    fn clamp_multipliers(&self, rows: &[usize], step: &[Sym<'g>]) -> (Vec<Sym<'g>>, Vec<Sym<'g>>) {
        let mut wanted = self.lambda.clone();
        rows.iter().zip(step).for_each(|(&row, &step)| wanted[row] = wanted[row] + step);
        let allowed = self.kind.erased.admissible(&wanted, &self.parameters, self.per_force);
        (wanted, allowed)
    }
}

impl<'g> RowDamping<'g> {
    /// Returns the damping of these rows.
    fn of(rows: &[usize], gamma: &[Sym<'g>]) -> Self {
        let softened = |&row: &usize| Sym::one() + gamma[row];
        if rows.iter().all(|&row| gamma[row].same(gamma[rows[0]])) {
            return Self::Equal(softened(&rows[0]));
        }
        Self::Each(rows.iter().map(|row| Sym::one() / softened(row)).collect())
    }

    /// Returns an entry of the matrix without compliance, or a way of C.
    fn mass(&self, entry: Sym<'g>) -> Sym<'g> {
        match self {
            Self::Equal(softened) => entry * *softened,
            Self::Each(_) => entry,
        }
    }

    /// Returns a number of the equation of the k-th row that damping does not multiply.
    fn undamped(&self, k: usize, number: Sym<'g>) -> Sym<'g> {
        match self {
            Self::Equal(_) => number,
            Self::Each(inverse) => number * inverse[k],
        }
    }
}
