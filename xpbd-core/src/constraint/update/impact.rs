//! The impact of the nodes of a constraint, recorded.

use super::{RowOrder, Update};
use crate::constraint::rows::divide;
use crate::program::Sym;
use crate::scalar::Real;

impl<'g> Update<'g> {
    /// Gives the mean of the rows that hit the rate that the author asks for, and then the others their target rates.
    pub(super) fn solve_impact(&mut self) {
        let pushes = self.rate_pushes();
        let rates: Vec<_> = pushes.iter().map(|pushes| self.rate(pushes)).collect();
        let before = std::mem::replace(&mut self.lambda, vec![Sym::zero(); pushes.len()]);
        let Some((weights, wanted)) = self.kind.erased.impact(&self.points, &rates, &self.parameters) else { return };
        let (hitting, others): (Vec<usize>, Vec<usize>) =
            (0..weights.len()).partition(|&row| !weights[row].same(Sym::zero()));
        let weights_of_hits: Vec<_> = hitting.iter().map(|&row| weights[row]).collect();
        let pushes_of_hits: Vec<_> = hitting.iter().map(|&row| pushes[row].clone()).collect();
        let mean = self.weighted_sum(&pushes_of_hits, &weights_of_hits);
        let rate = hitting.iter().fold(Sym::zero(), |sum, &row| sum + weights[row] * rates[row]);
        let impulse = divide(wanted - rate, self.inverse_effective_mass(&mean, &mean)).max(Sym::zero());
        let dt = self.points.dt;
        hitting.iter().for_each(|&row| self.lambda[row] = self.lambda[row] + weights[row] * impulse * dt);
        self.apply(&mean, impulse);
        if let RowOrder::Groups(groups) = self.kind.row_order() {
            let rubbing = groups.iter().filter(|group| group.iter().all(|row| others.contains(row)));
            self.solve_rates_of(&rubbing.map(|group| group.to_vec()).collect::<Vec<_>>(), &pushes);
        }
        self.lambda.iter_mut().zip(before).for_each(|(lambda, before)| *lambda = before + *lambda);
    }
}
