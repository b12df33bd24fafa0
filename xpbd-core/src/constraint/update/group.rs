//! A group of rows that limit each other, recorded: moved along their errors, then brought to the nearest admissible
//! multipliers together.

use super::Update;
use super::node::NodeGradient;
use crate::constraint::rows::divide;
use crate::program::Sym;
use crate::scalar::Real;

impl<'g> Update<'g> {
    /// Solves the rows of one group after the other for positions, each with what those before it have changed to first
    /// order, and moves the nodes.
    pub(super) fn solve_groups(&mut self, groups: &[&[usize]]) {
        let (values, slopes) = self.linearize();
        let pushes: Vec<Vec<NodeGradient>> =
            slopes.iter().map(|slopes| self.balanced(self.node_gradients(slopes), |node| node.start)).collect();
        let progress: Vec<_> = slopes.iter().map(|slopes| self.progress(slopes)).collect();
        for run in runs(groups) {
            let mut ways: Vec<_> = pushes.iter().map(|pushes| self.way(pushes)).collect();
            let mut changes = vec![Sym::zero(); pushes.len()];
            for &rows in run {
                let mass = self.group_mass(rows, &pushes);
                let inverse = |row: usize| {
                    let yielding = self.softness(row, mass) + self.alpha[row][row];
                    divide(Sym::one(), mass * (Sym::one() + self.gamma[row]) + yielding)
                };
                let missing = |row: usize| {
                    let creep = (0..self.lambda.len()).fold(self.softness(row, mass) * self.lambda[row], |sum, k| {
                        sum + self.alpha[row][k] * self.lambda[k]
                    });
                    -(values[row] + ways[row]) - creep - self.gamma[row] * (progress[row] + ways[row])
                };
                let inverses: Vec<_> = rows.iter().map(|&row| inverse(row)).collect();
                let step: Vec<_> = rows.iter().zip(&inverses).map(|(&row, &inverse)| missing(row) * inverse).collect();
                let taken = self.take_multipliers(rows, &step);
                for ((&row, &change), &inverse) in rows.iter().zip(&taken).zip(&inverses) {
                    self.residual[row] = divide(change, inverse);
                }
                self.add_changes(rows, &taken, &pushes, &mut ways);
                rows.iter().zip(taken).for_each(|(&row, change)| changes[row] = changes[row] + change);
            }
            self.apply_rows(&pushes, &changes);
        }
    }

    /// Returns how far the nodes have moved along a row's gradient.
    fn way(&self, pushes: &[NodeGradient<'g>]) -> Sym<'g> {
        self.along(pushes, |node| (node.displacement, node.body.as_ref().map(|body| body.rotation_correction)))
    }

    /// Adds to a number of each row what these changes of some rows make of it.
    pub(super) fn add_changes(
        &self,
        rows: &[usize],
        changes: &[Sym<'g>],
        pushes: &[Vec<NodeGradient<'g>>],
        numbers: &mut [Sym<'g>],
    ) {
        for (k, number) in numbers.iter_mut().enumerate() {
            let answers = rows.iter().zip(changes).map(|(&row, &change)| self.row_mass(k, row, pushes) * change);
            *number = answers.fold(*number, |sum, answer| sum + answer);
        }
    }

    /// Returns the entry of ∇C W ∇Cᵀ of two rows.
    fn row_mass(&self, a: usize, b: usize, pushes: &[Vec<NodeGradient<'g>>]) -> Sym<'g> {
        self.inverse_effective_mass(&pushes[a.max(b)], &pushes[a.min(b)])
    }

    /// Returns the number that the errors of these rows are divided by: of one row ∇C W ∇Cᵀ, of several the largest sum
    /// of a row of that matrix, which no step overshoots. All are divided by the same, so that the step keeps the
    /// direction of the errors, as friction must. `pushes` are those of all rows.
    pub(super) fn group_mass(&self, rows: &[usize], pushes: &[Vec<NodeGradient<'g>>]) -> Sym<'g> {
        let entry = |a: usize, b: usize| self.row_mass(a, b, pushes);
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

/// Returns groups one after the other of which the later ones follow the earlier ones by what a change of a row does to
/// another: those with rows that are solved several times. Any other group is by itself.
pub(super) fn runs<R: AsRef<[usize]>>(groups: &[R]) -> impl Iterator<Item = &[R]> {
    let count = |row: &usize| groups.iter().filter(|group| group.as_ref().contains(row)).count();
    let repeats = move |group: &R| group.as_ref().iter().any(|row| count(row) > 1);
    groups.chunk_by(move |a, b| repeats(a) && repeats(b))
}
