//! A group of rows that limit each other, recorded: moved along their errors, then brought to the nearest admissible
//! multipliers together.

use super::Update;
use super::node::NodeGradient;
use crate::constraint::rows::divide;
use crate::program::Sym;
use crate::scalar::Real;

impl<'g> Update<'g> {
    /// Solves the rows of a group for positions and moves the nodes.
    pub(super) fn solve_group(&mut self, rows: &[usize]) {
        let (values, slopes) = self.linearize();
        let pushes: Vec<Vec<NodeGradient>> =
            slopes.iter().map(|slopes| self.balanced(self.node_gradients(slopes), |node| node.start)).collect();
        let mass = self.group_mass(rows, &pushes);
        let yielding = |row: usize| self.softness(row, mass);
        let denominator = |row: usize| mass * (Sym::one() + self.gamma[row]) + yielding(row) + self.alpha[row][row];
        let missing = |row: usize| {
            let creep = (0..self.lambda.len())
                .fold(yielding(row) * self.lambda[row], |sum, k| sum + self.alpha[row][k] * self.lambda[k]);
            -values[row] - creep - self.gamma[row] * self.progress(&slopes[row])
        };
        let step: Vec<_> = rows.iter().map(|&row| divide(missing(row), denominator(row))).collect();
        let denominators: Vec<_> = rows.iter().map(|&row| denominator(row)).collect();
        let changes = self.take_multipliers(rows, &step);
        for ((&row, change), denominator) in rows.iter().zip(changes).zip(denominators) {
            self.residual[row] = change * denominator;
            self.apply(&pushes[row], change);
        }
    }

    /// Returns the number that the errors of these rows are divided by: of one row ∇C W ∇Cᵀ, of several the largest sum
    /// of a row of that matrix, which no step overshoots. All are divided by the same, so that the step keeps the
    /// direction of the errors, as friction must. `pushes` are those of all rows.
    pub(super) fn group_mass(&self, rows: &[usize], pushes: &[Vec<NodeGradient<'g>>]) -> Sym<'g> {
        let entry = |a: usize, b: usize| self.inverse_effective_mass(&pushes[a.max(b)], &pushes[a.min(b)]);
        let sum = |&a: &usize| {
            let others = rows.iter().filter(|&&b| b != a);
            others.fold(entry(a, a), |sum, &b| sum + entry(a, b).abs())
        };
        rows.iter().map(sum).reduce(Sym::max).unwrap_or(Sym::zero())
    }

    /// Adds steps to the multipliers of rows, as far as they are admissible together; returns what is added.
    pub(super) fn take_multipliers(&mut self, rows: &[usize], step: &[Sym<'g>]) -> Vec<Sym<'g>> {
        let mut wanted = self.lambda.clone();
        rows.iter().zip(step).for_each(|(&row, &step)| wanted[row] = wanted[row] + step);
        let allowed = self.kind.erased.admissible(&wanted, &self.parameters, self.per_force);
        let take = |(&row, &step): (&usize, &Sym<'g>)| {
            let was = std::mem::replace(&mut self.lambda[row], allowed[row]);
            if allowed[row].same(wanted[row]) { step } else { allowed[row] - was }
        };
        rows.iter().zip(step).map(take).collect()
    }

    /// Returns the compliance of a row of this inverse effective mass by its relative
    /// [softness](crate::constraint::Constraint::SOFTNESS).
    fn softness(&self, row: usize, inverse_mass: Sym<'g>) -> Sym<'g> {
        let softness = self.kind.softness()[row];
        if softness > 0.0 { inverse_mass * softness } else { Sym::zero() }
    }
}
