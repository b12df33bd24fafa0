//! Parameters that change while a world runs, without a new plan: wind, targets, frames of reference.

use super::World;
use super::error::WorldError;
use super::state::State;
use crate::batch::{Batch, ConstraintBatch};
use crate::handle::BatchHandle;
use crate::schedule::{Pass, TracedPass};

impl World {
    /// Changes the parameters of a traced batch, given one constraint after the other with its number, or the
    /// [inputs](ConstraintBatch::inputs) of one that is written by hand, given once as those of number 0.
    /// Unlike [`World::edit_batch`] it keeps the plan, and of a device nothing but the parameters is sent
    /// anew: cheap enough for every frame. The next step uses them.
    ///
    /// # Errors
    /// A stale handle, a batch that is written by hand and has no inputs, or a number that is not one that it
    /// may be; the batch is then as it was.
    pub fn edit_parameters(
        &mut self,
        handle: BatchHandle,
        mut edit: impl FnMut(usize, &mut [f32]),
    ) -> Result<(), WorldError> {
        self.state.prepare_constraint_edit();
        let counts = self.state.node_counts(handle)?;
        let state = self.state.batches.get_mut(handle).ok_or(WorldError::StaleHandle("batch"))?;
        if !state.batch.inputs().is_empty() {
            let before = state.batch.inputs().to_vec();
            edit(0, state.batch.inputs_mut());
            if let Err(error) = state.batch.validate(counts) {
                state.batch.inputs_mut().copy_from_slice(&before);
                return Err(error.into());
            }
            self.state.wake_batch(handle);
            return Ok(());
        }
        let batch = state.batch.traced_mut().ok_or(WorldError::StaleHandle("traced batch"))?;
        let before = batch.all_parameters().to_vec();
        (0..batch.len()).for_each(|k| edit(k, batch.parameters_mut(k)));
        if let Err(error) = batch.check_parameters() {
            batch.replace_parameters(before);
            return Err(error.into());
        }
        self.state.wake_batch(handle);
        if !self.state.plan_is_stale {
            self.state.copy_parameters_to_plan(handle);
        }
        Ok(())
    }
}

impl State {
    /// Gives the plan the parameters of a batch.
    fn copy_parameters_to_plan(&mut self, handle: BatchHandle) {
        let Self { batches, plan, .. } = self;
        let Some(place) = batches.index_of(handle) else { return };
        let Some(batch) = batches.get(handle).and_then(|state| state.batch.traced()) else { return };
        for pass in &mut plan.passes {
            if let Pass::Traced(pass) = pass
                && pass.kind.is_same_type(batch.kind())
                && pass.connectors == *batch.connectors()
            {
                pass.set_batch_parameters(place as u32, batch);
            }
        }
    }
}

impl TracedPass {
    /// Takes over the parameters of the batch with this number.
    fn set_batch_parameters(&mut self, number: u32, batch: &Batch) {
        let columns = self.parameter_columns();
        for (slot, of) in self.slots.iter().enumerate().filter(|(_, of)| of.batch == number) {
            let params = batch.parameters(of.constraint as usize);
            self.columns[columns.clone()].iter_mut().zip(params).for_each(|(column, &param)| column[slot] = param);
        }
        self.parameter_revision += 1;
    }
}
