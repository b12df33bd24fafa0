//! A frame recorded as one submission. Read [`Frame::record`] first: it is the algorithm of the
//! paper (\[SmallSteps19\] algorithm 1).

use xpbd_core::batch::kernel::Hook;

use crate::custom::CustomBatch;
use crate::home::{Groups, Home};
use crate::layout::STRIDE;
use crate::particles::ParticlePairs;
use crate::plan::{Step, groups};
use crate::readback::Slot;

/// A frame of a world while it is recorded.
pub struct Frame<'a> {
    home: &'a Home,
    groups: &'a Groups,
    pass: wgpu::ComputePass<'a>,
    /// Whether nothing happens between the end of a substep and the prediction of the next.
    fused: bool,
    /// Dispatches recorded.
    pub dispatches: usize,
}

impl<'a> Frame<'a> {
    /// Records a frame of `iterations`; says how many dispatches it has.
    pub fn record(home: &'a Home, groups: &'a Groups, encoder: &'a mut wgpu::CommandEncoder, iterations: u32) -> usize {
        encoder.clear_buffer(&home.buffers.contacts.buffer, 0, Some(64));
        encoder.clear_buffer(&home.buffers.outcome.buffer, 0, Some(16));
        let pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let between = |batch: &CustomBatch| batch.has(Hook::VelocityPass);
        let fused = !home.plan.custom.iter().any(between);
        let mut frame = Self { home, groups, pass, fused, dispatches: 0 };
        frame.begin();
        frame.hook(Hook::BeginFrame);
        for substep in 0..home.substeps {
            frame.predict(substep);
            for iteration in 0..iterations {
                frame.project(substep, iteration, iteration + 1 == iterations);
            }
        }
        frame.hook(Hook::EndFrame);
        frame.finish();
        frame.dispatches
    }

    /// Chooses the uniform of a substep, for its inner iterations or its last.
    fn substep(&mut self, substep: u32, last: bool) {
        let offset = (2 * u64::from(substep) + u64::from(last)) * STRIDE;
        self.pass.set_bind_group(0, &self.groups.state, &[offset as u32]);
    }

    fn run(&mut self, pipeline: &wgpu::ComputePipeline, second: &wgpu::BindGroup, threads: usize) {
        self.pass.set_pipeline(pipeline);
        self.pass.set_bind_group(1, second, &[]);
        self.pass.dispatch_workgroups(groups(threads), 1, 1);
        self.dispatches += 1;
    }

    fn begin(&mut self) {
        let Self { home, groups, .. } = *self;
        self.substep(0, false);
        self.run(&home.kernels.begin, &groups.inputs, home.particles);
        if home.targets > 0 {
            self.run(&home.kernels.aim, &groups.inputs, home.targets);
        }
        if let (Some(pairs), Some(_)) = (&home.pairs, self.pair_groups()) {
            self.dispatches += pairs.search(&mut self.pass, &groups.state);
        }
    }

    /// Moves bodies, and particles as if there were no constraints, unless the substep before has
    /// done that already.
    fn predict(&mut self, substep: u32) {
        let Self { home, groups, .. } = *self;
        self.substep(substep, false);
        if home.bodies > 0 {
            self.run(&home.kernels.bodies, &groups.outcome, home.bodies);
        }
        if substep == 0 || !self.fused {
            self.run(&home.kernels.predict, &groups.outcome, home.particles);
        }
        self.hook(Hook::BeginSubstep);
    }

    /// The bind groups of pairs, where particles may touch each other.
    fn pair_groups(&self) -> Option<&'a [wgpu::BindGroup; 2]> {
        self.groups.pairs.as_ref().filter(|_| self.home.has_pairs())
    }

    /// Runs the stages of all hand-written batches at a hook.
    fn hook(&mut self, hook: Hook) {
        for batch in &self.home.plan.custom {
            self.dispatches += batch.record(hook, &mut self.pass);
        }
    }

    /// Solves every pass once, then the contacts; the last iteration ends the substep.
    fn project(&mut self, substep: u32, iteration: u32, last: bool) {
        let Self { home, groups, .. } = *self;
        let warm = usize::from(iteration > 0);
        self.substep(substep, last);
        for step in &home.plan.steps {
            match step {
                Step::Traced(both) => {
                    for dispatch in &both[warm] {
                        self.pass.set_pipeline(&dispatch.pipeline);
                        self.pass.set_bind_group(1, &groups.pass, &[dispatch.range]);
                        self.pass.dispatch_workgroups(dispatch.groups, 1, 1);
                        self.dispatches += 1;
                    }
                }
                Step::Custom(number) => {
                    self.dispatches += home.plan.custom[*number].record(Hook::Project, &mut self.pass);
                }
            }
        }
        let kernels = &home.kernels;
        if let Some([pairs, _]) = self.pair_groups() {
            if warm == 0 {
                self.run(&kernels.pairs.touch, pairs, home.particles);
            }
            self.run(&kernels.pairs.solve[warm], pairs, home.particles);
        }
        let kernel = match (last, substep + 1 == home.substeps) {
            (false, _) => &kernels.resolve[warm],
            (true, false) if self.fused => &kernels.advance[warm],
            (true, _) => &kernels.conclude[warm],
        };
        self.run(kernel, &groups.outcome, home.particles);
        if last {
            self.hook(Hook::VelocityPass);
        }
    }

    fn finish(&mut self) {
        let Self { home, groups, .. } = *self;
        self.run(&home.kernels.list_contacts, &groups.outcome, home.particles);
        if let Some([_, events]) = self.pair_groups() {
            self.run(&home.kernels.pairs.list, events, home.particles);
        }
        self.run(&home.kernels.check, &groups.outcome, home.particles);
        self.run(&home.kernels.fold, &groups.outcome, home.particles);
    }
}

/// Copies what the host learns of a frame.
pub fn copy(home: &Home, encoder: &mut wgpu::CommandEncoder, slot: &Slot) {
    let b = &home.buffers;
    let sections = &slot.sections;
    let [anchor, offset, velocity] = &sections.vectors;
    for (source, target) in [
        (&b.anchor, anchor),
        (&b.offset, offset),
        (&b.motion, velocity),
        (&b.contacts, &sections.counters),
        (&b.outcome, &sections.outcome),
    ] {
        let bytes = target.end - target.start;
        if bytes > 0 {
            encoder.copy_buffer_to_buffer(&source.buffer, 0, &slot.buffer, target.start, bytes);
        }
    }
    if let Some(lists) = home.pairs.as_ref().filter(|_| home.has_pairs()).and_then(ParticlePairs::lists) {
        let pairs = &sections.pairs;
        encoder.copy_buffer_to_buffer(lists, 0, &slot.buffer, pairs.start, pairs.end - pairs.start);
    }
}
