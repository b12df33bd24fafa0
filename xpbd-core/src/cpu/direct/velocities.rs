//! Direct solves over velocities: contacts push one body at a time, and a solve passes that on to the whole component.
//!
//! The velocities v* before contacts satisfy the constraints, as the positions do that they are taken from. Contacts change
//! them to v. With the matrix of a solution over positions,
//!
//! ```text
//! K Δ + Jᵀ p = 0        J Δ − ã p = −J (v − v*)        v ← v + Δ
//! ```
//!
//! J v is what it was before contacts, and a component moves as if their impulses had acted on all of it. The impulses p are
//! not added to the multipliers, which are those that positions need.

use glam::Vec4;

use super::lanes::Wide;
use super::{DirectSolver, Solve, SystemNumbers, elimination};
use crate::connector::NodeKind;
use crate::cpu::block::linearize::LinearizationScratch;
use crate::cpu::compiled_program::LinearizationProgram;
use crate::cpu::nodes::NodeArrays;
use crate::schedule::direct::{Block, ConstraintBlock, DirectSystem};

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
    /// Solves for velocities where anything has changed them since they were kept.
    ///
    /// # Safety
    /// The same as for [`Solve::run`].
    #[inline(always)]
    pub(super) unsafe fn run_velocities(mut self) {
        // SAFETY: passed on to the caller.
        unsafe {
            let has_changed = self.take_changes();
            if has_changed.contains(&true) {
                self.assemble([false; L]);
                elimination::solve(self.structure, &mut self.system.numbers, &mut self.system.right);
                self.change_velocities(has_changed);
            }
        }
    }

    /// Computes how much the velocities of the nodes have changed, and returns for each component whether any has.
    ///
    /// # Safety
    /// The same as for [`Solve::run`].
    #[inline(always)]
    unsafe fn take_changes(&mut self) -> [bool; L] {
        let mut has_changed = [false; L];
        self.system.changes.clear();
        for (k, node) in self.structure.nodes.iter().enumerate() {
            let mut changes = [Wide::ZERO; 6];
            for (lane, has_changed) in has_changed.iter_mut().enumerate() {
                let before = self.context.velocities[self.place(k, lane)];
                // SAFETY: passed on to the caller.
                let now = unsafe { velocities(self.context.nodes, node.kind, self.node(k, lane)) };
                *has_changed |= now != before && lane < self.group.count as usize;
                let [along, about] = [now[0] - before[0], now[1] - before[1]].map(|change| change.to_array());
                for axis in 0..3 {
                    changes[axis].0[lane] = along[axis];
                    changes[3 + axis].0[lane] = about[axis];
                }
            }
            self.system.changes.push(changes);
        }
        has_changed
    }

    /// Changes the velocities of some of the components by the solution.
    ///
    /// # Safety
    /// The same as for [`Solve::run`].
    #[inline(always)]
    unsafe fn change_velocities(&self, changes: [bool; L]) {
        for (k, node) in self.structure.nodes.iter().enumerate() {
            let (along, about) = (self.motion(node, 0), self.motion(node, 3));
            for lane in (0..L).filter(|&lane| changes[lane] && self.system.free[k][lane] != 0) {
                let vector = |of: [Wide<L>; 3]| Vec4::new(of[0].0[lane], of[1].0[lane], of[2].0[lane], 0.0);
                // SAFETY: passed on to the caller.
                unsafe {
                    self.context.nodes.shift(true, node.kind, self.node(k, lane), vector(along), vector(about));
                }
            }
        }
    }
}

impl<const L: usize> SystemNumbers<L> {
    /// Writes −J (v − v*) of a constraint, whose linearization stands in the lanes from `first` on.
    #[inline(always)]
    pub(super) fn write_changes(
        &mut self,
        constraint: &ConstraintBlock,
        block: &Block,
        (scratch, program, first): (&LinearizationScratch, &LinearizationProgram, usize),
    ) {
        for entry in &constraint.entries {
            let Some(row) = entry.row else { continue };
            let (slot, axis) = entry.axes[0];
            let Some(node) = constraint.nodes[usize::from(slot)] else { continue };
            let lanes = &scratch.output(program, entry.output.into())[first..][..L];
            let slope = Wide(std::array::from_fn(|lane| lanes[lane]));
            let right = &mut self.right[block.row as usize + usize::from(row)];
            *right = *right - slope * self.changes[node as usize][usize::from(axis)];
        }
    }
}
