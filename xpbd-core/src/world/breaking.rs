//! Constraints that break under more than they bear.

use super::World;
use super::error::WorldError;
use super::report::BrokenConstraint;
use super::state::State;
use crate::batch::Batch;
use crate::handle::BatchHandle;

impl World {
    /// Returns what broke at the end of the last step: constraints that exceeded their
    /// [break forces](Batch::break_forces), in the order of the plan, of those that
    /// [break together](World::break_together) the first.
    pub fn broken(&self) -> &[BrokenConstraint] {
        &self.state.broken
    }

    /// Lets the constraints of the same number in these traced batches break together.
    ///
    /// # Errors
    /// A stale handle, or a batch that is written by hand.
    pub fn break_together(&mut self, batches: &[BatchHandle]) -> Result<(), WorldError> {
        for &handle in batches {
            let batch = self.state.batches.get(handle).ok_or(WorldError::StaleHandle("batch"))?;
            batch.batch.traced().ok_or(WorldError::StaleHandle("traced batch"))?;
        }
        for &handle in batches {
            if let Some(state) = self.state.batches.get_mut(handle) {
                state.breaks_with = Some(batches[0]);
            }
        }
        Ok(())
    }
}

impl State {
    /// Returns whether any constraint can break.
    pub fn has_breakable_constraints(&self) -> bool {
        self.batches
            .iter()
            .any(|(_, state)| state.batch.traced().is_some_and(|batch| batch.break_limits().is_limited()))
    }

    /// Breaks what bore more than it can in the last frame.
    pub(super) fn break_overloaded(&mut self) {
        self.broken.clear();
        if !self.has_breakable_constraints() {
            return;
        }
        let limited: Vec<Option<&Batch>> = self.batches.iter().map(|(_, state)| state.batch.traced()).collect();
        let per_multiplier = 1.0 / self.effective_square(self.last_substep);
        let mut broken = Vec::new();
        for pass in self.plan.traced() {
            for (slot, &place) in pass.slots.iter().enumerate() {
                let batch = limited.get(place.batch as usize).copied().flatten();
                let Some(batch) = batch.filter(|batch| batch.break_limits().is_limited()) else { continue };
                let rows = pass.reaction_multipliers().iter().map(|row| row[slot] * per_multiplier);
                if let Some([force, torque]) = batch.break_limits().overload(place.constraint as usize, rows) {
                    let batch = self.batches.keys()[place.batch as usize];
                    broken.push(BrokenConstraint { batch, constraint: place.constraint, force, torque });
                }
            }
        }
        for broken in broken {
            if self.break_constraint(broken.batch, broken.constraint as usize) {
                self.broken.push(broken);
            }
        }
    }

    /// Breaks a constraint and those that break with it; says whether it was whole.
    fn break_constraint(&mut self, handle: BatchHandle, constraint: usize) -> bool {
        let Some(state) = self.batches.get(handle) else { return false };
        if state.batch.traced().is_none_or(|batch| batch.is_broken(constraint)) {
            return false;
        }
        let together = state.breaks_with;
        // What held particles by this constraint may no longer do so.
        for &object in &state.objects {
            if let Some(object) = self.objects.get_mut(object) {
                object.supports.clear();
            }
        }
        self.plan_is_stale = true;
        self.batches.for_each_mut(|other, state| {
            if (other == handle || (together.is_some() && state.breaks_with == together))
                && let Some(batch) = state.batch.traced_mut()
            {
                batch.set_broken(constraint, true);
            }
        });
        true
    }
}
