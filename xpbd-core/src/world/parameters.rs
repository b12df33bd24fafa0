//! Numbers of constraints that change while a world runs, without a new plan.

use super::World;
use super::error::WorldError;
use super::state::State;
use crate::batch::numbers::ChangedNumbers;
use crate::batch::{Batch, BatchNumbers};
use crate::handle::BatchHandle;
use crate::schedule::Pass;

impl World {
    /// Changes numbers of a batch: parameters, compliance, damping and break limits of traced constraints, or the
    /// [inputs](crate::batch::ConstraintBatch::inputs) of a batch that is written by hand.
    ///
    /// The next step uses them. Unlike [`World::edit_batch`] this keeps the plan, costs as much as there are numbers
    /// that change, and sends a device nothing else, so that it may be called every frame. A device only prepares
    /// other kernels where the first constraint of a type becomes damped, or the last one ceases to be.
    ///
    /// # Errors
    /// The handle is stale, or a number is not valid; the batch is then as it was.
    pub fn edit_parameters(
        &mut self,
        handle: BatchHandle,
        edit: impl FnOnce(&mut BatchNumbers<'_>),
    ) -> Result<(), WorldError> {
        let counts = self.state.node_counts(handle)?;
        let evolves = |batch: &Batch| batch.kind().has_parameter_evolution();
        if self.batch(handle)?.traced().is_some_and(evolves) {
            self.state.prepare_constraint_edit();
        }
        let state = self.state.batches.get_mut(handle).ok_or(WorldError::StaleHandle("batch"))?;
        let mut numbers = BatchNumbers::new(state.batch.as_mut());
        edit(&mut numbers);
        numbers.finish(counts)?;
        let changes = numbers.changes;
        self.state.wake_changed(handle, &changes);
        if !self.state.plan_is_stale {
            self.state.copy_numbers_to_plan(handle, &changes);
        }
        Ok(())
    }

    /// Returns how many plans have been made of this world's constraints. A plan is made by the step after an edit of
    /// what constraints there are and what they tie together, and by none that only changes numbers.
    pub fn plan_generation(&self) -> u64 {
        self.state.plan_generation
    }
}

impl State {
    /// Gives the plan the numbers of a batch that have changed.
    fn copy_numbers_to_plan(&mut self, handle: BatchHandle, changes: &ChangedNumbers) {
        let Self { batches, plan, .. } = self;
        let Some(state) = batches.get(handle) else { return };
        let Some(batch) = state.batch.traced() else { return };
        for placement in &state.placements {
            let Some(Pass::Traced(pass)) = plan.passes.get_mut(placement.pass) else { continue };
            for (column, constraints, previous) in changes.ranges() {
                let Some(slots) = placement.slots.get(constraints.clone()) else { continue };
                pass.set_numbers(column, slots, batch.numbers(column, constraints), previous);
            }
        }
    }
}
