//! Parameters that constraints change at the end of a frame ([`Constraint::evolve_parameters`]).
//!
//! A back end changes them where its passes have them; batches, snapshots and edits know them once they are
//! given back.
//!
//! [`Constraint::evolve_parameters`]: crate::constraint::Constraint::evolve_parameters

use super::state::State;
use crate::schedule::Pass;

impl State {
    /// Returns whether constraints of the plan change their parameters.
    pub fn has_parameter_evolution(&self) -> bool {
        self.plan.traced().any(|pass| pass.kind.has_parameter_evolution())
    }

    /// Gives batches the parameters that their constraints in the plan have now. For back ends, between two
    /// edits.
    pub fn write_parameters_to_batches(&mut self) {
        let Self { plan, batches, .. } = self;
        let keys = batches.keys().to_vec();
        for pass in &plan.passes {
            let Pass::Traced(pass) = pass else { continue };
            if !pass.kind.has_parameter_evolution() {
                continue;
            }
            let first = pass.layout.parameters as usize;
            let columns = &pass.columns[first..][..pass.kind.parameter_count()];
            for (k, slot) in pass.slots.iter().enumerate() {
                let batch = keys.get(slot.batch as usize).and_then(|&key| batches.get_mut(key));
                let Some(batch) = batch.and_then(|state| state.batch.traced_mut()) else { continue };
                let params = batch.parameters_mut(slot.constraint as usize);
                params.iter_mut().zip(columns).for_each(|(param, column)| *param = column[k]);
            }
        }
    }

    /// Called before constraints are changed from outside a step, and before a plan is made of them.
    pub(super) fn prepare_constraint_edit(&mut self) {
        if self.has_parameter_evolution() {
            // What is changed is the last state that there is.
            let _ = self.sync_from_device();
        }
    }
}
