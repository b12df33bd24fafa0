//! The systems of a group, written from the masses of their nodes and the linearizations of their constraints.

use smallvec::SmallVec;

use super::bounds::BoundedRows;
use super::lanes::Wide;
use super::{Aim, Linearized, Solve, SystemNumbers};
use crate::constraint::update::linearization::{LEAST_COMPLIANCE, MAX_ROWS};
use crate::cpu::block::PassData;
use crate::program::interpret::WIDE_LANES;
use crate::schedule::direct::ConstraintBlock;

impl<const L: usize> Solve<'_, '_, '_, L> {
    /// Writes the systems: masses, then the linearization of one constraint after another.
    ///
    /// # Safety
    /// The same as for [`Solve::begin`].
    #[inline(always)]
    pub(super) unsafe fn assemble(&mut self, warm: [bool; L]) {
        let is_recorded = self.recorded().is_some();
        let SystemNumbers { numbers, right, least, .. } = &mut *self.system;
        // A recorded elimination reads only what is written anew.
        if !is_recorded {
            numbers.clear();
        }
        numbers.resize(self.structure.numbers as usize, Wide::ZERO);
        right.clear();
        right.resize(self.structure.rows as usize, Wide::ZERO);
        least.clear();
        least.resize(self.structure.rows as usize, Wide::ZERO);
        // SAFETY: passed on to the caller.
        unsafe {
            self.add_masses();
            if is_recorded && !self.system.is_free {
                self.system.numbers.fill(Wide::ZERO);
                self.system.right.fill(Wide::ZERO);
                self.add_masses();
            }
            if self.context.aim == Aim::Velocities {
                self.add_momenta();
            }
            for (number, range) in &self.structure.passes {
                let pass = &self.context.passes[*number];
                for (part, start) in range.clone().step_by(WIDE_LANES / L).enumerate() {
                    let part = if is_recorded { part } else { 0 };
                    let block = start..range.end.min(start + WIDE_LANES / L);
                    let slots = block.clone().flat_map(|k| (0..L).map(move |lane| (k, lane)));
                    let slots: SmallVec<[u32; WIDE_LANES]> = slots.map(|(k, lane)| self.slot(k, lane)).collect();
                    let data = PassData { nodes: pass.nodes, columns: pass.columns, lambda: &pass.lambda };
                    let scratch = &mut self.linearizations[*number][part];
                    self.context.nodes.linearize(scratch, pass.program, &data, &slots);
                    for (k, constraint) in self.structure.constraints[block].iter().enumerate() {
                        let at = Linearized { pass: *number, block: part, first: k * L };
                        self.add_constraint(at, constraint, &slots[k * L..][..L], warm);
                    }
                }
            }
        }
    }

    /// Writes the linearization of a constraint.
    ///
    /// # Safety
    /// The same as for [`Solve::begin`].
    #[inline(always)]
    unsafe fn add_constraint(&mut self, at: Linearized, constraint: &ConstraintBlock, slots: &[u32], warm: [bool; L]) {
        let pass = &self.context.passes[at.pass];
        let outputs = at.outputs(self.linearizations, self.context.passes);
        let output = |output: usize| Wide::of_output(outputs, at.first, output);
        let SystemNumbers { numbers, right, least, .. } = &mut *self.system;
        let block = &self.structure.blocks[constraint.block as usize];
        let (size, own) = (block.size as usize, block.first as usize);
        let (is_warm, of_velocities) = (warm.contains(&true), self.context.aim == Aim::Velocities);
        let mut multipliers = [Wide::ZERO; MAX_ROWS];
        for (multipliers, &row) in multipliers.iter_mut().zip(&pass.linear.rows).filter(|_| is_warm) {
            for lane in (0..L).filter(|&lane| warm[lane]) {
                // SAFETY: passed on to the caller.
                multipliers.0[lane] = unsafe { pass.lambda[row].get(slots[lane] as usize) };
            }
        }
        for a in 0..size {
            let mut error = if of_velocities { Wide::ZERO } else { -output(a) };
            for b in if is_warm { 0 } else { a }..size {
                let mut compliance = output(pass.linear.compliance(a, b));
                if a == b && constraint.may_repeat {
                    let least = output(pass.linear.least_pivot(a));
                    compliance = Wide(std::array::from_fn(|lane| {
                        let least = least.0[lane] * LEAST_COMPLIANCE;
                        if compliance.0[lane] < least { least } else { compliance.0[lane] }
                    }));
                }
                if b >= a {
                    numbers[own + a * size + b] = -compliance;
                }
                if is_warm {
                    error = error - compliance * multipliers[b];
                }
            }
            right[block.row as usize + a] = error;
            if constraint.may_repeat {
                least[block.row as usize + a] = output(pass.linear.least_pivot(a));
            }
        }
        // SAFETY: passed on to the caller.
        let bounded = unsafe { self.add_bounded_rows(at, constraint, slots, warm) };
        self.add_entries(at, constraint, &bounded);
    }

    /// Adds the Jacobian and the geometric stiffness of a constraint. Of a recorded elimination, which reads the others where
    /// they stand, these are the entries of rows with bounds.
    #[inline(always)]
    fn add_entries(&mut self, at: Linearized, constraint: &ConstraintBlock, bounded: &BoundedRows<L>) {
        let outputs = at.outputs(self.linearizations, self.context.passes);
        let output = |output: usize| Wide::of_output(outputs, at.first, output);
        let has_recorded = self.recorded().is_some();
        let SystemNumbers { numbers, right, free, is_free, .. } = &mut *self.system;
        let (numbers, is_free) = (&mut numbers[..], *is_free);
        let is_recorded = is_free && has_recorded;
        for entry in &constraint.entries {
            let row = entry.row.map(usize::from);
            if is_recorded && row.is_none() {
                continue;
            }
            let (value, target) = (output(entry.output.into()), &mut numbers[entry.target as usize]);
            if is_recorded {
                *target = Wide::ZERO;
            }
            if is_free && row.is_none() {
                *target = *target + value;
                continue;
            }
            let mut are_free = [true; L];
            for (slot, axis) in entry.axes.into_iter().filter(|_| !is_free) {
                let free = constraint.nodes[usize::from(slot)].map_or([0; L], |node| free[node as usize]);
                are_free.iter_mut().zip(free).for_each(|(is_free, free)| *is_free &= free >> axis & 1 == 1);
            }
            let solved = row.map_or([true; L], |row| bounded.solved[row]);
            let added = *target + value;
            *target =
                Wide(std::array::from_fn(
                    |lane| {
                        if are_free[lane] & solved[lane] { added.0[lane] } else { target.0[lane] }
                    },
                ));
            if let Some(row) = row.filter(|_| bounded.has_given) {
                let right = &mut right[self.structure.row_of(constraint, entry.axes[0])];
                for lane in (0..L).filter(|&lane| are_free[lane]) {
                    right.0[lane] += value.0[lane] * bounded.given[row].0[lane];
                }
            }
        }
    }
}
