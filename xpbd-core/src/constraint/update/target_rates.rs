//! The change of velocities that a constraint asks for, recorded.

use super::node::NodeGradient;
use super::{RowOrder, Update};
use crate::constraint::rows::solve_symmetric;
use crate::program::Sym;
use crate::scalar::{Real, Vec3};

impl<'g> Update<'g> {
    /// Gives the rows the rates that the author asks for, one after the other; returns the impulse \[N s\] that
    /// each has taken.
    pub(super) fn solve_target_rates(&mut self) -> Vec<Sym<'g>> {
        let (_, slopes) = self.linearize();
        let pushes: Vec<Vec<NodeGradient>> =
            slopes.iter().map(|slopes| self.without_net_torque(self.node_gradients(slopes))).collect();
        let order: Vec<usize> = match self.kind.row_order() {
            RowOrder::Groups(groups) => {
                let swept = groups.concat();
                let rest = (0..pushes.len()).filter(|row| !swept.contains(row)).collect();
                [swept.clone(), rest].concat()
            }
            RowOrder::Block | RowOrder::Sequential => (0..pushes.len()).collect(),
        };
        let mut impulses = vec![Sym::zero(); pushes.len()];
        for row in order {
            let rates: Vec<_> = pushes.iter().map(|pushes| self.rate(pushes)).collect();
            let Some(wanted) = self.kind.erased.target_rates(&rates, &self.lambda, &self.parameters) else {
                return impulses;
            };
            if wanted[row].same(rates[row]) {
                continue;
            }
            let mass = self.inverse_effective_mass(&pushes[row], &pushes[row]);
            let change = solve_symmetric(&[vec![mass]], &[wanted[row] - rates[row]]);
            impulses[row] = impulses[row] + change[0];
            self.apply(&pushes[row], change[0]);
        }
        impulses
    }

    /// Returns the pushes on several nodes without the torque that they have together: points that have moved
    /// apart since the constraint chose them would turn the whole.
    fn without_net_torque(&self, mut pushes: Vec<NodeGradient<'g>>) -> Vec<NodeGradient<'g>> {
        let bodies = self.nodes.iter().filter(|node| node.body.is_some()).count();
        if self.nodes.len() < 2 || bodies == 0 {
            return pushes;
        }
        let torque = self.nodes.iter().zip(&pushes).fold(Vec3::zero(), |sum, (node, push)| {
            sum + (node.position - self.nodes[0].position).cross(push.linear) + push.angular
        });
        let part = torque * Sym::literal(1.0 / bodies as f32);
        let of_bodies = self.nodes.iter().zip(&mut pushes).filter(|(node, _)| node.body.is_some());
        of_bodies.for_each(|(_, push)| push.angular -= part);
        pushes
    }

    /// ∇C · v with the velocities as they are now.
    fn rate(&self, pushes: &[NodeGradient<'g>]) -> Sym<'g> {
        self.nodes.iter().zip(pushes).fold(Sym::zero(), |sum, (node, push)| {
            let rate = sum + push.linear.dot(node.velocity + node.displacement);
            match &node.body {
                Some(body) => rate + push.angular.dot(body.angular_velocity + body.rotation_correction),
                None => rate,
            }
        })
    }
}
