//! Direct solves over velocities: contacts push one body at a time, and a solve passes that on to the whole component.
//!
//! The velocities v* before contacts satisfy the constraints, as the positions do that they are taken from. Contacts change
//! them to v, by impulses M (v − v*). With the matrix of a solution over positions,
//!
//! ```text
//! K u + Jᵀ p = M (v − v*)        J u − ã p = 0        v ← v* + u
//! ```
//!
//! J v is what it was before contacts, and a component moves as if their impulses had acted on all of it. Rows with bounds
//! that push, or that have been passed, are equations as long as their multipliers stay admissible with the impulses p, which
//! are added to them. Those of other rows are not added to the multipliers, which are those that positions need.

use glam::Vec4;

use super::lanes::{Wide, three};
use super::{DirectSolver, Solve, SystemNumbers};
use crate::connector::NodeKind;
use crate::cpu::nodes::NodeArrays;
use crate::schedule::direct::DirectSystem;

impl DirectSolver {
    /// Keeps the velocities of all nodes, which contacts will change.
    pub fn keep_velocities(&mut self, nodes: &NodeArrays<'_>, direct: &DirectSystem) {
        self.velocities.clear();
        for group in &direct.groups {
            let places = group.first_node as usize..;
            let kinds = direct.structures[group.structure as usize].nodes.iter().map(|node| node.kind);
            let kinds = kinds.flat_map(|kind| std::iter::repeat_n(kind, group.lanes as usize));
            let all = kinds.zip(&direct.nodes[places]);
            // SAFETY: this thread is alone.
            self.velocities.extend(all.map(|(kind, &node)| unsafe { velocities(nodes, kind, node as usize) }));
        }
    }
}

/// Returns the velocity \[m/s\] and the angular velocity \[rad/s\] of a node.
///
/// # Safety
/// No other thread writes them.
unsafe fn velocities(nodes: &NodeArrays<'_>, kind: NodeKind, node: usize) -> [Vec4; 2] {
    // SAFETY: passed on to the caller.
    unsafe {
        match kind {
            NodeKind::Particle => [nodes.velocity.get(node), Vec4::ZERO],
            NodeKind::Body => [nodes.body_velocity.get(node), nodes.angular_velocity.get(node)],
        }
    }
}

impl<const L: usize> Solve<'_, '_, '_, L> {
    /// Computes how much the velocities of the nodes have changed, and returns for each component whether any has.
    ///
    /// # Safety
    /// The same as for [`Solve::begin`].
    #[inline(always)]
    pub(super) unsafe fn take_changes(&mut self) -> [bool; L] {
        let mut has_changed = [false; L];
        self.system.changes.clear();
        for (k, node) in self.structure.nodes.iter().enumerate() {
            let mut changes = [Wide::ZERO; 6];
            for (lane, has_changed) in has_changed.iter_mut().enumerate() {
                let before = self.context.velocities[self.place(k, lane)];
                // SAFETY: passed on to the caller.
                let now = unsafe { velocities(self.context.nodes, node.kind, self.node(k, lane)) };
                *has_changed |= now != before && lane < self.group.count as usize;
                let [along, about] = [now[0] - before[0], now[1] - before[1]];
                for axis in 0..3 {
                    changes[axis].0[lane] = along[axis];
                    changes[3 + axis].0[lane] = about[axis];
                }
            }
            self.system.changes.push(changes);
        }
        has_changed
    }

    /// Writes M (v − v*) of every node, whose mass and inertia stand in its block.
    #[inline(always)]
    pub(super) fn add_momenta(&mut self) {
        let SystemNumbers { numbers, right, changes, .. } = &mut *self.system;
        for (node, changes) in self.structure.nodes.iter().zip(changes) {
            let block = &self.structure.blocks[node.block as usize];
            let (first, size) = (block.first as usize, block.size as usize);
            let changes = &changes[node.first_axis.into()..][..size];
            for r in 0..size {
                let entry = |c: usize| numbers[first + r.min(c) * size + r.max(c)];
                // Translation and rotation are not coupled.
                let part = r / 3 * 3;
                let sum = entry(part) * changes[part] + entry(part + 1) * changes[part + 1];
                right[block.row as usize + r] = sum + entry(part + 2) * changes[part + 2];
            }
        }
    }

    /// Changes the velocities of some of the components by the solution.
    ///
    /// # Safety
    /// The same as for [`Solve::begin`].
    #[inline(always)]
    pub(super) unsafe fn change_velocities(&self, are_changed: [bool; L]) {
        for (k, node) in self.structure.nodes.iter().enumerate() {
            let changes = &self.system.changes[k];
            let change = |first: u8| {
                let motion = self.motion(node, first);
                three(|axis| motion[axis] - changes[usize::from(first) + axis])
            };
            let (along, about) = (change(0), change(3));
            for lane in (0..L).filter(|&lane| are_changed[lane] && self.system.free[k][lane] != 0) {
                let vector = |of: [Wide<L>; 3]| Vec4::new(of[0].0[lane], of[1].0[lane], of[2].0[lane], 0.0);
                // SAFETY: passed on to the caller.
                unsafe {
                    self.context.nodes.shift(true, node.kind, self.node(k, lane), vector(along), vector(about));
                }
            }
        }
    }
}
