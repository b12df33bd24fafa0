//! The change of velocities that a constraint asks for, recorded.

use super::group::runs;
use super::node::{NodeGradient, RecordedBody, RecordedNode};
use super::{RowOrder, Update};
use crate::constraint::rows::divide;
use crate::program::Sym;
use crate::scalar::{Real, Vec3};

impl<'g> Update<'g> {
    /// Gives the rows the rates that the author asks for, as far as their multipliers are admissible.
    pub(super) fn solve_target_rates(&mut self) {
        let pushes = self.rate_pushes();
        let groups: Vec<Vec<usize>> = match self.kind.row_order() {
            RowOrder::Groups(groups) => groups.iter().map(|group| group.to_vec()).collect(),
            RowOrder::Block | RowOrder::Sequential => (0..pushes.len()).map(|row| vec![row]).collect(),
        };
        self.solve_rates_of(&groups, &pushes);
    }

    /// Gives the rows of one group after the other their target rates.
    pub(super) fn solve_rates_of(&mut self, groups: &[Vec<usize>], pushes: &[Vec<NodeGradient<'g>>]) {
        let (dt, per_dt) = (self.points.dt, Sym::one() / self.points.dt);
        for run in runs(groups) {
            let mut rates: Vec<_> = pushes.iter().map(|pushes| self.rate(pushes)).collect();
            let mut impulses = vec![Sym::zero(); pushes.len()];
            for group in run {
                let Some(wanted) = self.kind.erased.target_rates(&self.points, &rates, &self.lambda, &self.parameters)
                else {
                    return;
                };
                let rows: Vec<usize> = group.iter().copied().filter(|&row| !wanted[row].same(rates[row])).collect();
                let inverse = divide(dt, self.group_mass(&rows, pushes));
                let step: Vec<_> = rows.iter().map(|&row| (wanted[row] - rates[row]) * inverse).collect();
                let taken = self.take_multipliers(&rows, &step).into_iter().map(|change| change * per_dt);
                let taken: Vec<_> = taken.collect();
                self.add_changes(&rows, &taken, pushes, &mut rates);
                rows.iter().zip(taken).for_each(|(&row, impulse)| impulses[row] = impulses[row] + impulse);
            }
            self.apply_rows(pushes, &impulses);
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
    ///
    /// Each body takes a part as its share of the inertia is: a ball that rolls touches the ground right below its centre,
    /// while the point of the ground has stayed behind.
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
        let mobility =
            |body: &RecordedBody<'g>| body.inverse_inertia.x + body.inverse_inertia.y + body.inverse_inertia.z;
        let all = self.nodes.iter().filter_map(|node| node.body.as_ref()).map(mobility).reduce(|sum, one| sum + one);
        let all = all.unwrap_or(Sym::zero()).max(Sym::literal(f32::MIN_POSITIVE));
        let per_other = Sym::literal(1.0 / (bodies as f32 - 1.0).max(1.0)) / all;
        for (node, push) in self.nodes.iter().zip(&mut pushes) {
            if let Some(body) = &node.body {
                let part = if bodies == 1 { Sym::one() } else { (all - mobility(body)) * per_other };
                push.angular -= torque * part;
            }
        }
        pushes
    }

    /// ∇C · v with the velocities as they are now.
    pub(super) fn rate(&self, pushes: &[NodeGradient<'g>]) -> Sym<'g> {
        self.along(pushes, |node| {
            let turn = |body: &RecordedBody<'g>| body.angular_velocity + body.rotation_correction;
            (node.velocity + node.displacement, node.body.as_ref().map(turn))
        })
    }

    /// Returns how far a row's gradient says that it changes with these motions of the nodes and their bodies.
    pub(super) fn along(
        &self,
        pushes: &[NodeGradient<'g>],
        motion: impl Fn(&RecordedNode<'g>) -> (Vec3<Sym<'g>>, Option<Vec3<Sym<'g>>>),
    ) -> Sym<'g> {
        let linear =
            self.nodes.iter().zip(pushes).fold(Sym::zero(), |sum, (node, push)| sum + push.linear.dot(motion(node).0));
        self.nodes.iter().zip(pushes).fold(linear, |sum, (node, push)| match motion(node).1 {
            Some(turn) => sum + push.angular.dot(turn),
            None => sum,
        })
    }
}
