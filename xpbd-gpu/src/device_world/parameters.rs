//! Parameters that constraints have changed on the device.

use xpbd_core::schedule::Pass;
use xpbd_core::world::State;

use super::DeviceWorld;
use crate::host_copy::BufferPart;

impl DeviceWorld {
    /// Returns where the parameters are that constraints change.
    pub(super) fn parameter_parts(&self) -> Vec<BufferPart<'_>> {
        let data = &self.buffers.passes.data.buffer;
        let evolving = self.plan.traced().filter_map(|pass| pass.parameter_evolution.as_ref());
        let columns = evolving.flat_map(|flow| flow.columns.iter().map(|&(_, first)| (first, flow.count)));
        columns.map(|(first, count)| (data, 4 * u64::from(first), 4 * u64::from(count))).collect()
    }

    /// Copies the parameters that have changed since the last copy to the host. Waits for the device.
    ///
    /// # Errors
    /// The device is lost.
    pub(super) fn sync_parameters(&mut self, state: &mut State) -> Result<(), String> {
        if !self.host.parameters_evolved || self.uploaded.plan_generation != state.plan_generation {
            return Ok(());
        }
        let mut numbers: &[f32] = &bytemuck::pod_collect_to_vec::<u8, f32>(&self.read(&self.parameter_parts())?);
        let passes = state.plan.passes.iter_mut().filter_map(|pass| match pass {
            Pass::Traced(pass) => Some(pass.as_mut()),
            Pass::Custom(_) | Pass::Medium(_) => None,
        });
        for (pass, steps) in passes.zip(self.plan.traced()) {
            for &(column, _) in steps.parameter_evolution.iter().flat_map(|flow| &flow.columns) {
                let (new, rest) = numbers.split_at(pass.len());
                pass.columns[column as usize][..new.len()].copy_from_slice(new);
                numbers = rest;
            }
        }
        self.host.parameters_evolved = false;
        state.write_parameters_to_batches();
        Ok(())
    }
}
