//! The impact of the nodes of a constraint, recorded.

use super::node::NodeGradient;
use super::{RowOrder, Update};
use crate::constraint::rows::divide;
use crate::program::Sym;
use crate::scalar::{Real, Vec3};

impl<'g> Update<'g> {
    /// Gives the mean of the rows that hit the rate that the author asks for, and then the others their target rates.
    pub(super) fn solve_impact(&mut self) {
        let pushes = self.rate_pushes();
        let rates: Vec<_> = pushes.iter().map(|pushes| self.rate(pushes)).collect();
        let before = std::mem::replace(&mut self.lambda, vec![Sym::zero(); pushes.len()]);
        let Some((weights, wanted)) = self.kind.erased.impact(&self.points, &rates, &self.parameters) else { return };
        let (hitting, others): (Vec<usize>, Vec<usize>) =
            (0..weights.len()).partition(|&row| !weights[row].same(Sym::zero()));
        let mean = self.mean_push(&hitting, &weights, &pushes);
        let rate = hitting.iter().fold(Sym::zero(), |sum, &row| sum + weights[row] * rates[row]);
        let impulse = divide(wanted - rate, self.inverse_effective_mass(&mean, &mean)).max(Sym::zero());
        let dt = self.points.dt;
        hitting.iter().for_each(|&row| self.lambda[row] = self.lambda[row] + weights[row] * impulse * dt);
        self.apply(&mean, impulse);
        if let RowOrder::Groups(groups) = self.kind.row_order() {
            for group in groups.iter().filter(|group| group.iter().all(|row| others.contains(row))) {
                self.solve_rubbing(group, &pushes);
            }
        }
        self.lambda.iter_mut().zip(before).for_each(|(lambda, before)| *lambda = before + *lambda);
    }

    /// Gives a group of rows their target rates as far as the impulses of this impact allow.
    fn solve_rubbing(&mut self, group: &[usize], pushes: &[Vec<NodeGradient<'g>>]) {
        let rates: Vec<_> = pushes.iter().map(|pushes| self.rate(pushes)).collect();
        let Some(wanted) = self.kind.erased.target_rates(&self.points, &rates, &self.lambda, &self.parameters) else {
            return;
        };
        let (dt, per_dt) = (self.points.dt, Sym::one() / self.points.dt);
        let mass = self.group_mass(group, pushes);
        let step: Vec<_> = group.iter().map(|&row| divide(wanted[row] - rates[row], mass) * dt).collect();
        let changes = self.take_multipliers(group, &step);
        group.iter().zip(&changes).for_each(|(&row, &change)| self.apply(&pushes[row], change * per_dt));
    }

    /// Returns the weighted sum of the pushes of these rows.
    fn mean_push(
        &self,
        rows: &[usize],
        weights: &[Sym<'g>],
        pushes: &[Vec<NodeGradient<'g>>],
    ) -> Vec<NodeGradient<'g>> {
        let mean = |node: usize| {
            let zero = NodeGradient { linear: Vec3::zero(), angular: Vec3::zero() };
            rows.iter().fold(zero, |sum, &row| NodeGradient {
                linear: sum.linear + pushes[row][node].linear * weights[row],
                angular: sum.angular + pushes[row][node].angular * weights[row],
            })
        };
        (0..self.nodes.len()).map(mean).collect()
    }
}
