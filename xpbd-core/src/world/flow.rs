//! Parameters that constraints change at the end of a frame ([`Constraint::flow`]).
//!
//! A back end changes them where its passes have them; batches, snapshots and edits know them once they are
//! given back.
//!
//! [`Constraint::flow`]: crate::constraint::Constraint::flow

use super::state::State;
use crate::constraint::layout::Layout;
use crate::schedule::Pass;

impl State {
    /// Whether constraints of the plan change their parameters.
    pub fn flows(&self) -> bool {
        self.plan.traced().any(|pass| pass.kind.has_flow())
    }

    /// Gives batches the parameters that their constraints in the plan have now. For back ends, between two
    /// edits.
    pub fn return_parameters(&mut self) {
        let Self { plan, batches, .. } = self;
        let keys = batches.keys().to_vec();
        for pass in &plan.passes {
            let Pass::Traced(pass) = pass else { continue };
            if !pass.kind.has_flow() {
                continue;
            }
            let first = Layout::new(&pass.kind, &pass.connectors).params as usize;
            let columns = &pass.columns[first..][..pass.kind.params()];
            for (k, slot) in pass.slots.iter().enumerate() {
                let batch = keys.get(slot.batch as usize).and_then(|&key| batches.get_mut(key));
                let Some(batch) = batch.and_then(|state| state.batch.traced_mut()) else { continue };
                let params = batch.params_mut(slot.constraint as usize);
                params.iter_mut().zip(columns).for_each(|(param, column)| *param = column[k]);
            }
        }
    }

    /// Called before constraints are changed from outside a step, and before a plan is made of them.
    pub(super) fn edit_constraints(&mut self) {
        if self.flows() {
            // What is changed is the last state that there is.
            let _ = self.settle();
        }
    }
}
