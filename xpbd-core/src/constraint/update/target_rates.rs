//! The change of velocities that a constraint asks for, recorded.

use super::node::{NodeGradient, RecordedNode};
use super::{RowOrder, Update};
use crate::constraint::rows::divide;
use crate::program::Sym;
use crate::scalar::{Real, Vec3};

impl<'g> Update<'g> {
    /// Gives the rows the rates that the author asks for, as far as their multipliers are admissible.
    pub(super) fn solve_target_rates(&mut self) {
        let pushes = self.rate_pushes();
        let (dt, per_dt) = (self.points.dt, Sym::one() / self.points.dt);
        let groups: Vec<Vec<usize>> = match self.kind.row_order() {
            RowOrder::Groups(groups) => groups.iter().map(|group| group.to_vec()).collect(),
            RowOrder::Block | RowOrder::Sequential => (0..pushes.len()).map(|row| vec![row]).collect(),
        };
        for group in groups {
            let rates: Vec<_> = pushes.iter().map(|pushes| self.rate(pushes)).collect();
            let Some(wanted) = self.kind.erased.target_rates(&self.points, &rates, &self.lambda, &self.parameters)
            else {
                return;
            };
            let rows: Vec<usize> = group.into_iter().filter(|&row| !wanted[row].same(rates[row])).collect();
            let mass = self.group_mass(&rows, &pushes);
            let step: Vec<_> = rows.iter().map(|&row| divide(wanted[row] - rates[row], mass) * dt).collect();
            let changes = self.take_multipliers(&rows, &step);
            for (&row, &change) in rows.iter().zip(&changes) {
                self.apply(&pushes[row], change * per_dt);
            }
        }
    }

    /// Returns the pushes of each row on the nodes, with which velocities are changed.
    pub(super) fn rate_pushes(&self) -> Vec<Vec<NodeGradient<'g>>> {
        let (_, slopes) = self.linearize();
        slopes.iter().map(|slopes| self.balanced(self.node_gradients(slopes), |node| node.position)).collect()
    }

    /// Returns the pushes on several nodes without the torque that they have together with the nodes at these positions:
    /// points that have moved apart since the constraint chose them would turn the whole. What corrects positions
    /// changes the angular momentum by xⁿ × p, since x × (x − xⁿ) is xⁿ × x, and what corrects velocities by x × p.
    pub(super) fn balanced(
        &self,
        mut pushes: Vec<NodeGradient<'g>>,
        position: impl Fn(&RecordedNode<'g>) -> Vec3<Sym<'g>>,
    ) -> Vec<NodeGradient<'g>> {
        let bodies = self.nodes.iter().filter(|node| node.body.is_some()).count();
        if self.nodes.len() < 2 || bodies == 0 {
            return pushes;
        }
        let torque = self.nodes.iter().zip(&pushes).fold(Vec3::zero(), |sum, (node, push)| {
            sum + (position(node) - position(&self.nodes[0])).cross(push.linear) + push.angular
        });
        let part = torque * Sym::literal(1.0 / bodies as f32);
        let of_bodies = self.nodes.iter().zip(&mut pushes).filter(|(node, _)| node.body.is_some());
        of_bodies.for_each(|(_, push)| push.angular -= part);
        pushes
    }

    /// ∇C · v with the velocities as they are now.
    pub(super) fn rate(&self, pushes: &[NodeGradient<'g>]) -> Sym<'g> {
        self.nodes.iter().zip(pushes).fold(Sym::zero(), |sum, (node, push)| {
            let rate = sum + push.linear.dot(node.velocity + node.displacement);
            match &node.body {
                Some(body) => rate + push.angular.dot(body.angular_velocity + body.rotation_correction),
                None => rate,
            }
        })
    }
}
