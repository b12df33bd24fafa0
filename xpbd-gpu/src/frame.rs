//! A frame recorded as one submission. Read [`record`] first: it is the algorithm of the paper
//! (\[SmallSteps19\] algorithm 1).

mod bodies;
mod collisions;
mod media;
mod readback;
mod surfaces;

pub use readback::copy;

use xpbd_core::batch::kernel::KernelHook;
use xpbd_core::world::StepPhase;

use crate::custom_batch::CustomBatch;
use crate::device_world::{DeviceWorld, Groups};
use crate::island::MAX_LOOP_ITERATIONS;
use crate::layout::STRIDE;
use crate::media::DeviceMedium;
use crate::media::walls::COUNTERS;
use crate::passes::{Dispatch, groups};
use crate::plan::Step;
use crate::timing::Timing;

/// What of a frame is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// What follows the part before, to where surfaces are looked at in a substep.
    To(u32),
    /// The rest.
    End,
}

/// Records a part of a frame of `iterations`; says how many dispatches it has.
pub fn record(
    home: &DeviceWorld,
    groups: &Groups,
    timing: Option<&mut Timing>,
    encoder: &mut wgpu::CommandEncoder,
    iterations: u32,
    part: Part,
) -> usize {
    if matches!(part, Part::Whole | Part::To(0)) {
        encoder.clear_buffer(&home.buffers.contacts.buffer, 0, Some(64));
        encoder.clear_buffer(&home.buffers.outcome.buffer, 0, Some(16));
        for medium in home.media.iter() {
            encoder.clear_buffer(&medium.buffers().walls.buffer, 0, Some(COUNTERS));
        }
    }
    let mut frame = Frame::new(home, groups, timing, encoder);
    match part {
        Part::Whole => {
            frame.begin();
            let substeps = if frame.islands() { 0 } else { home.substeps };
            for substep in 0..substeps {
                frame.open(substep, iterations);
                frame.close(substep, iterations);
            }
            frame.finish();
        }
        Part::To(0) => {
            frame.begin();
            frame.open(0, iterations);
        }
        Part::To(substep) => {
            frame.close(substep - 1, iterations);
            frame.open(substep, iterations);
        }
        Part::End => {
            frame.close(home.substeps - 1, iterations);
            frame.finish();
        }
    }
    frame.dispatches
}

/// A frame while it is recorded.
struct Frame<'a> {
    home: &'a DeviceWorld,
    groups: &'a Groups,
    encoder: &'a mut wgpu::CommandEncoder,
    timing: Option<&'a mut Timing>,
    pass: Option<wgpu::ComputePass<'static>>,
    phase: StepPhase,
    /// Offset of the uniform of the substep \[bytes\].
    substep: u32,
    /// True if nothing happens between the end of a substep and the prediction of the next.
    fused: bool,
    dispatches: usize,
}

impl<'a> Frame<'a> {
    fn new(
        home: &'a DeviceWorld,
        groups: &'a Groups,
        timing: Option<&'a mut Timing>,
        encoder: &'a mut wgpu::CommandEncoder,
    ) -> Self {
        let between = |batch: &CustomBatch| batch.has(KernelHook::VelocityPass);
        let made = home.remade.steps.iter().chain(home.collisions.steps());
        let rates = home.plan.traced().chain(made).any(|pass| !pass.rates.is_empty());
        let fused =
            !rates && !home.plan.custom.iter().any(between) && !home.media.iter().any(DeviceMedium::changes_velocities);
        let phase = StepPhase::Detect;
        let mut frame = Self { home, groups, encoder, timing, pass: None, phase, substep: 0, fused, dispatches: 0 };
        if let Some(timing) = &mut frame.timing {
            timing.phases.clear();
        }
        frame
    }

    /// What follows belongs to a phase: if phases are timed, each is a compute pass of its own.
    fn enter(&mut self, phase: StepPhase) {
        if phase != self.phase && self.timing.is_some() {
            self.pass = None;
        }
        self.phase = phase;
    }

    /// Returns the compute pass, with the state of the substep bound.
    fn pass(&mut self) -> &mut wgpu::ComputePass<'static> {
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

    /// Chooses the uniform of a substep, for its inner iterations or its last.
    fn choose(&mut self, substep: u32, last: bool) {
        self.substep = ((2 * u64::from(substep) + u64::from(last)) * STRIDE) as u32;
        let (groups, offset) = (self.groups, self.substep);
        self.pass().set_bind_group(0, &groups.state, &[offset]);
    }

    fn run(&mut self, pipeline: &wgpu::ComputePipeline, second: &wgpu::BindGroup, threads: usize) {
        let pass = self.pass();
        pass.set_pipeline(pipeline);
        pass.set_bind_group(1, second, &[]);
        pass.dispatch_workgroups(groups(threads), 1, 1);
        self.dispatches += 1;
    }

    /// Runs dispatches over a pass.
    fn solve(&mut self, dispatches: &[Dispatch], passes: &wgpu::BindGroup) {
        let pass = self.pass();
        for dispatch in dispatches {
            pass.set_pipeline(&dispatch.pipeline);
            pass.set_bind_group(1, passes, &[dispatch.range]);
            pass.dispatch_workgroups(dispatch.groups, 1, 1);
        }
        self.dispatches += dispatches.len();
    }

    /// Runs the stages of all hand-written batches at a hook.
    fn hook(&mut self, hook: KernelHook) {
        for batch in &self.home.plan.custom {
            self.dispatches += batch.record(hook, self.pass());
        }
    }

    /// Returns the bind groups of pairs, where particles may touch each other.
    fn pair_groups(&self) -> Option<&'a [wgpu::BindGroup; 2]> {
        self.groups.pairs.as_ref().filter(|_| self.home.has_pairs())
    }

    fn begin(&mut self) {
        let Self { home, groups, .. } = *self;
        self.choose(0, false);
        self.run(&home.kernels.begin, &groups.inputs, home.particles);
        if home.targets > 0 {
            self.run(&home.kernels.aim, &groups.inputs, home.targets);
        }
        self.detect();
    }

    /// A substep to where its constraints have been solved once.
    fn open(&mut self, substep: u32, iterations: u32) {
        self.predict(substep);
        self.project(substep, 0, iterations == 1);
    }

    /// The rest of a substep. Contacts are solved as often in an iteration as those of surfaces want.
    fn close(&mut self, substep: u32, iterations: u32) {
        for iteration in 0..iterations {
            if iteration > 0 {
                self.project(substep, iteration, iteration + 1 == iterations);
            }
            let sweeps = self.home.surfaces.sweeps as u32;
            for sweep in 0..sweeps {
                let last = iteration + 1 == iterations && sweep + 1 == sweeps;
                if self.home.surfaces.are_there {
                    self.choose(substep, last);
                }
                self.contacts(iteration + sweep);
                self.conclude(substep, iteration + sweep, last);
            }
        }
    }

    /// Finds the contacts of the frame.
    fn detect(&mut self) {
        let Self { home, groups, .. } = *self;
        if let Some(detect) = home.kernels.detect.as_ref().filter(|_| home.colliders > 0) {
            self.run(detect, &groups.geometry, home.particles);
        }
        if let (Some(pairs), Some(_)) = (&home.pairs, self.pair_groups()) {
            self.dispatches += pairs.search(self.pass(), &groups.state);
        }
        self.hook(KernelHook::BeginFrame);
    }

    /// Moves bodies, and particles as if there were no constraints, unless the substep before has
    /// done that already.
    fn predict(&mut self, substep: u32) {
        let Self { home, groups, .. } = *self;
        self.enter(StepPhase::Predict);
        self.choose(substep, false);
        self.predict_bodies(substep);
        if substep == 0 || !self.fused {
            self.run(&home.kernels.substep.predict, &groups.outcome, home.particles);
        }
        self.hook(KernelHook::BeginSubstep);
        self.surround();
    }

    /// Solves every pass once.
    fn project(&mut self, substep: u32, iteration: u32, last: bool) {
        let Self { home, groups, .. } = *self;
        let warm = usize::from(iteration > 0);
        self.enter(StepPhase::Project);
        self.choose(substep, last);
        for step in &home.plan.steps {
            match step {
                Step::Traced(pass) => self.solve(&pass.solve[warm], &groups.pass),
                Step::Custom(number) => {
                    self.dispatches += home.plan.custom[*number].record(KernelHook::Project, self.pass());
                }
                &Step::Medium(place) => self.project_medium(place, iteration == 0, last),
            }
        }
        for pass in &home.remade.steps {
            home.remade.group().into_iter().for_each(|group| self.solve(&pass.solve[warm], group));
        }
    }

    /// Solves the contacts between particles, then those of surfaces, then those in which bodies move; those with
    /// colliders come after them, so that walls have the last word.
    fn contacts(&mut self, iteration: u32) {
        let (pairs, warm) = (self.pair_groups(), usize::from(iteration > 0));
        if pairs.is_none() && !self.home.collisions.is_active() && self.home.surfaces.steps().is_none() {
            return;
        }
        let DeviceWorld { kernels, particles, .. } = self.home;
        self.enter(StepPhase::Contacts);
        if iteration == 0 {
            self.refresh_collisions();
        }
        if let Some([pairs, _]) = pairs {
            if iteration == 0 {
                self.run(&kernels.pairs.touch, pairs, *particles);
            }
            self.run(&kernels.pairs.solve[warm], pairs, *particles);
        }
        self.solve_surfaces(warm);
        self.solve_collisions(warm);
    }

    /// Contacts with colliders; in the last iteration velocities too, and where nothing comes in
    /// between the prediction of the next substep.
    fn conclude(&mut self, substep: u32, iteration: u32, last: bool) {
        let Self { home, groups, .. } = *self;
        if !last && home.colliders == 0 && self.pair_groups().is_none() {
            return;
        }
        let (kernels, warm) = (&home.kernels, usize::from(iteration > 0));
        let kernel = match (last, substep + 1 == home.substeps) {
            (false, _) => &kernels.substep.resolve[warm],
            (true, false) if self.fused => &kernels.substep.advance[warm],
            (true, _) => &kernels.substep.conclude[warm],
        };
        self.enter(if last { StepPhase::Velocities } else { StepPhase::Contacts });
        if last {
            self.accumulate_collisions();
            self.mark_surfaces();
        }
        self.run(kernel, &groups.outcome, home.particles);
        if last {
            self.settle(substep);
            self.hook(KernelHook::VelocityPass);
            self.settle_media();
        }
    }

    /// Velocities of bodies, unless the next substep takes them, then what constraints change in all
    /// velocities.
    fn settle(&mut self, substep: u32) {
        let Self { home, groups, .. } = *self;
        self.conclude_bodies(substep);
        for pass in home.plan.traced() {
            self.solve(&pass.rates, &groups.pass);
        }
        for pass in &home.remade.steps {
            home.remade.group().into_iter().for_each(|group| self.solve(&pass.rates, group));
        }
        self.settle_collisions();
    }

    /// Solves all substeps of small islands in one dispatch, where that is possible: says whether it
    /// was.
    fn islands(&mut self) -> bool {
        let Self { home, groups, .. } = *self;
        let (Some(islands), Some(group), None) = (&home.plan.islands, &groups.islands, self.pair_groups()) else {
            return false;
        };
        // Bodies and colliders may have come without a new plan.
        let plain = home.bodies == 0 && home.colliders == 0 && home.remade.steps.is_empty();
        if !plain || islands.turns * home.substeps as usize > MAX_LOOP_ITERATIONS {
            return false;
        }
        self.enter(StepPhase::Project);
        self.choose(home.substeps - 1, true);
        let pass = self.pass();
        pass.set_pipeline(&islands.pipeline);
        pass.set_bind_group(1, group, &[]);
        pass.dispatch_workgroups(islands.count, 1, 1);
        self.dispatches += 1;
        true
    }

    /// Lists what the host is to know, freezes and folds.
    fn finish(&mut self) {
        let Self { home, groups, .. } = *self;
        self.enter(StepPhase::Finish);
        self.hook(KernelHook::EndFrame);
        if home.colliders > 0 {
            self.run(&home.kernels.list_contacts, &groups.outcome, home.particles);
        }
        if let Some([_, events]) = self.pair_groups() {
            self.run(&home.kernels.pairs.list, events, home.particles);
        }
        self.run(&home.kernels.check, &groups.outcome, home.particles);
        self.run(&home.kernels.fold, &groups.outcome, home.particles);
        for flow in home.plan.traced().filter_map(|pass| pass.flow.as_ref()) {
            self.solve(std::slice::from_ref(&flow.dispatch), &groups.flow);
        }
        self.fold_bodies();
        self.pass = None;
        if let Some(timing) = &self.timing {
            timing.resolve(self.encoder);
        }
    }
}
