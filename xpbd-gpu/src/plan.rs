//! A plan laid out for the device.

use std::ops;

use xpbd_core::schedule::{Pass, TracedPass};
use xpbd_core::world::{Integrator, State};

use crate::custom_batch::CustomBatch;
use crate::device::Device;
use crate::direct::DirectSolve;
use crate::island;
use crate::layout::PassRange;
use crate::pass_kernel::PassKernel;
use crate::passes::{PassKernels, PassSteps, PassTable};
use crate::pipelines::{Family, Pipelines};
use crate::wgsl::KernelOptions;

/// One pass of the plan.
#[derive(Debug, Clone)]
pub enum Step {
    /// Constraints written as one function.
    Traced(PassSteps),
    /// A hand-written batch, by its number among those of the plan.
    Custom(usize),
    /// A medium, by its place among those of the world.
    Medium(usize),
}

/// A plan on the device.
#[derive(Debug, Default)]
pub struct DevicePlan {
    /// The traced passes in order, then the tables of small islands.
    pub passes: PassTable,
    /// The columns that the kernels of each traced pass read.
    pub columns: Vec<Vec<u16>>,
    /// The passes in order.
    pub steps: Vec<Step>,
    /// Number of these that are solved before contacts.
    pub before_contacts: usize,
    /// The hand-written batches in order.
    pub custom: Vec<CustomBatch>,
    /// The direct solves, if there are any.
    pub direct: Option<DirectSolve>,
    /// The kernel of small islands, if all of the world is in such.
    pub islands: Option<Islands>,
}

/// Small islands of a world.
#[derive(Debug)]
pub struct Islands {
    /// Pipeline, one workgroup an island.
    pub pipeline: wgpu::ComputePipeline,
    /// Number of islands.
    pub count: u32,
    /// Contents of the uniform of each pass.
    pub ranges: Vec<PassRange>,
    /// Turns of loops that a substep takes at most.
    pub loop_iterations: usize,
}

impl DevicePlan {
    /// Lays out the plan of a world.
    ///
    /// # Errors
    /// The device refuses a kernel, or a batch has none.
    pub fn new(state: &State, device: &Device, pipelines: &mut Pipelines) -> Result<Self, String> {
        let mut plan = Self { before_contacts: state.plan.before_contacts(), ..Self::default() };
        let mut next = 0;
        while next < state.plan.passes.len() {
            let passes = &state.plan.passes[next..next + state.plan.merged(next)];
            next += passes.len();
            plan.add_passes(state, passes, device, pipelines)?;
        }
        plan.direct = DirectSolve::new(&state.plan, &plan.columns, &mut plan.passes, device, pipelines)?;
        if let Some(islands) = island::islands(state) {
            plan.add_islands(state, &islands, device, pipelines)?;
        }
        Ok(plan)
    }

    /// Appends passes that are solved one after the other, merged if there are several.
    fn add_passes(
        &mut self,
        state: &State,
        passes: &[Pass],
        device: &Device,
        pipelines: &mut Pipelines,
    ) -> Result<(), String> {
        let (first, iterations) = (self.steps.len(), state.settings.iterations);
        let mut merged: Vec<&TracedPass> = Vec::new();
        for pass in passes {
            let step = match pass {
                Pass::Traced(pass) => {
                    let kernels = PassKernels::new(pass, passes.len() > 1, iterations, device, pipelines)?;
                    self.columns.push(kernels.columns.clone());
                    merged.push(pass);
                    Step::Traced(self.passes.add(pass, &kernels))
                }
                &Pass::Custom(place) => {
                    let ranges = state.batch_ranges(place);
                    self.custom.push(CustomBatch::new(state, place, &ranges, device, pipelines)?);
                    Step::Custom(self.custom.len() - 1)
                }
                &Pass::Medium(place) => Step::Medium(place),
            };
            self.steps.push(step);
        }
        if let (Step::Traced(steps), true) = (&mut self.steps[first], merged.len() > 1) {
            let stages = self.passes.merged(&merged, iterations, device, pipelines)?;
            for (solve, stages) in steps.solve.iter_mut().zip(stages) {
                solve.splice(0..0, stages);
            }
        }
        Ok(())
    }

    /// Returns the passes that are solved before contacts, and those that are solved after them.
    pub fn around_contacts(&self) -> (&[Step], &[Step]) {
        self.steps.split_at(self.before_contacts)
    }

    /// Returns whether anything is solved between contacts and the end of an iteration.
    pub fn finishes_after_contacts(&self) -> bool {
        self.direct.is_some() || self.before_contacts < self.steps.len()
    }

    /// Returns the traced passes in order.
    pub fn traced(&self) -> impl Iterator<Item = &PassSteps> {
        self.steps.iter().filter_map(|step| match step {
            Step::Traced(steps) => Some(steps),
            Step::Custom(_) | Step::Medium(_) => None,
        })
    }

    /// Lays out the passes of small islands, beside their usual layout.
    fn add_islands(
        &mut self,
        state: &State,
        islands: &[ops::Range<usize>],
        device: &Device,
        pipelines: &mut Pipelines,
    ) -> Result<(), String> {
        let mut kernels = Vec::new();
        let mut ranges = Vec::new();
        let mut tables = Vec::new();
        let PassTable { data, bases, .. } = &mut self.passes;
        let bounds = data.len() as u32;
        data.extend(island::bounds(islands));
        for (pass, &range) in state.plan.traced().zip(&*bases) {
            let colours = data.len() as u32;
            let table = island::table(pass, islands);
            data.extend(&table);
            tables.push(table);
            ranges.push(PassRange { colours, count: pass.colours.len() as u32, islands: bounds, ..range });
            let both = [false, true].map(|warm| PassKernel::of_pass(pass, warm));
            kernels.push((both, !pass.remainder.is_empty()));
        }
        let second_order = state.settings.integrator == Integrator::SecondOrder;
        let needs = KernelOptions { second_order, ..KernelOptions::default() };
        let text = island::module(&kernels, state.settings.iterations, needs);
        let pipeline = pipelines.get(device, Family::Islands, &text, "frame")?;
        if ranges.is_empty() {
            ranges.push(PassRange { islands: bounds, ..PassRange::default() });
        }
        let loop_iterations = island::loop_iterations(islands, &tables, state.settings.iterations);
        self.islands = Some(Islands { pipeline, count: islands.len() as u32, ranges, loop_iterations });
        Ok(())
    }
}
