//! The recorder of a frame: compute passes, phases and dispatches.

use xpbd_core::batch::kernel::KernelHook;
use xpbd_core::world::StepPhase;

use crate::custom_batch::CustomBatch;
use crate::device_world::{BindGroups, DeviceWorld};
use crate::layout::STRIDE;
use crate::media::DeviceMedium;
use crate::passes::{Dispatch, groups};
use crate::timing::Timing;

/// A frame while it is recorded.
pub struct Frame<'a> {
    pub(super) world: &'a DeviceWorld,
    pub(super) groups: &'a BindGroups,
    pub(super) encoder: &'a mut wgpu::CommandEncoder,
    pub(super) timing: Option<&'a mut Timing>,
    pub(super) pass: Option<wgpu::ComputePass<'static>>,
    pub(super) phase: StepPhase,
    /// Offset of the uniform of the substep \[bytes\].
    substep: u32,
    /// True if nothing happens between the end of a substep and the prediction of the next.
    pub(super) fused: bool,
    pub(super) dispatches: usize,
}

impl<'a> Frame<'a> {
    pub(super) fn new(
        world: &'a DeviceWorld,
        groups: &'a BindGroups,
        timing: Option<&'a mut Timing>,
        encoder: &'a mut wgpu::CommandEncoder,
    ) -> Self {
        let between = |batch: &CustomBatch| batch.has_hook(KernelHook::VelocityPass);
        let made = world.contacts.transient.steps.iter().chain(world.contacts.collisions.steps());
        let rates = world.plan.traced().chain(made).any(|pass| !pass.rates.is_empty());
        let fused = !rates
            && !world.contacts.surfaces.is_active
            && !world.plan.finishes_after_contacts()
            && !world.plan.custom.iter().any(between)
            && !world.media.iter().any(DeviceMedium::changes_velocities);
        let phase = StepPhase::Detect;
        let mut frame = Self { world, groups, encoder, timing, pass: None, phase, substep: 0, fused, dispatches: 0 };
        if let Some(timing) = &mut frame.timing {
            timing.phases.clear();
        }
        frame
    }

    /// Sets the phase of the following dispatches: if phases are timed, each is a compute pass of its own.
    pub(super) fn enter_phase(&mut self, phase: StepPhase) {
        if phase != self.phase && self.timing.is_some() {
            self.pass = None;
        }
        self.phase = phase;
    }

    /// Returns the compute pass, with the state of the substep bound.
    pub(super) fn pass(&mut self) -> &mut wgpu::ComputePass<'static> {
        let Self { pass, timing, encoder, phase, groups, substep, .. } = self;
        pass.get_or_insert_with(|| {
            let mut pass = match timing {
                Some(timing) => timing.begin(encoder, *phase),
                None => encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()).forget_lifetime(),
            };
            pass.set_bind_group(0, &groups.state, &[*substep]);
            pass
        })
    }

    /// Binds the uniform of a substep, for its inner iterations or its last.
    pub(super) fn bind_substep(&mut self, substep: u32, last: bool) {
        self.substep = ((2 * u64::from(substep) + u64::from(last)) * STRIDE) as u32;
        let (groups, offset) = (self.groups, self.substep);
        self.pass().set_bind_group(0, &groups.state, &[offset]);
    }

    pub(super) fn run(&mut self, pipeline: &wgpu::ComputePipeline, second: &wgpu::BindGroup, threads: usize) {
        let pass = self.pass();
        pass.set_pipeline(pipeline);
        pass.set_bind_group(1, second, &[]);
        pass.dispatch_workgroups(groups(threads), 1, 1);
        self.dispatches += 1;
    }

    /// Runs dispatches over a pass.
    pub(super) fn solve(&mut self, dispatches: &[Dispatch], passes: &wgpu::BindGroup) {
        let pass = self.pass();
        for dispatch in dispatches {
            pass.set_pipeline(&dispatch.pipeline);
            pass.set_bind_group(1, passes, &[dispatch.range]);
            pass.dispatch_workgroups(dispatch.groups, 1, 1);
        }
        self.dispatches += dispatches.len();
    }

    /// Runs the stages of all hand-written batches at a hook.
    pub(super) fn run_hook(&mut self, hook: KernelHook) {
        for batch in &self.world.plan.custom {
            self.dispatches += batch.record(hook, self.pass());
        }
    }

    /// Returns the bind groups of pairs, where particles may touch each other.
    pub(super) fn pair_groups(&self) -> Option<&'a [wgpu::BindGroup; 2]> {
        self.groups.pairs.as_ref().filter(|_| self.world.has_pairs())
    }
}
