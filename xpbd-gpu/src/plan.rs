//! A plan laid out for the device: constraint data in one buffer, and the dispatches of a substep.

use std::ops;

use xpbd_core::schedule::{Pass, TracedPass};
use xpbd_core::world::{Integrator, State};

use crate::custom::CustomBatch;
use crate::device::Device;
use crate::island;
use crate::kernel::{GROUP, PassKernel};
use crate::kernels::Needs;
use crate::layout::{Range, STRIDE};
use crate::pipelines::{Family, Pipelines};

/// Colours of at most this many constraints are solved several to a dispatch, by one workgroup.
const SMALL: usize = 4 * GROUP as usize;

/// The most workgroups of a dispatch; kernels stride over what is left.
const MOST_GROUPS: usize = 65_535;

/// One dispatch over a pass.
#[derive(Debug, Clone)]
pub struct Dispatch {
    /// What runs.
    pub pipeline: wgpu::ComputePipeline,
    /// Offset of its range in the table of ranges \[bytes\].
    pub range: u32,
    /// Workgroups.
    pub groups: u32,
}

/// One pass of the plan.
#[derive(Debug, Clone)]
pub enum Step {
    /// Traced constraints: dispatches of the first iteration of a substep, and of the later ones.
    Traced([Vec<Dispatch>; 2]),
    /// A hand-written batch, by its number among those of the plan.
    Custom(usize),
}

/// What a plan is on the device.
#[derive(Debug, Default)]
pub struct DevicePlan {
    /// Columns, colours and gathers of all passes.
    pub data: Vec<u32>,
    /// Uniforms of the dispatches.
    pub ranges: Vec<Range>,
    /// Multipliers of all passes \[numbers\].
    pub lambda: usize,
    /// Corrections of the largest remainder \[vectors\].
    pub corrections: usize,
    /// The passes in order.
    pub steps: Vec<Step>,
    /// Where each traced pass is.
    pub bases: Vec<Range>,
    /// The hand-written batches in order.
    pub custom: Vec<CustomBatch>,
    /// The kernel of small islands, if all of the world is in such.
    pub islands: Option<Islands>,
}

/// Small islands of a world.
#[derive(Debug)]
pub struct Islands {
    /// What runs, one workgroup an island.
    pub pipeline: wgpu::ComputePipeline,
    /// How many there are.
    pub count: u32,
    /// The uniform.
    pub ranges: Vec<Range>,
    /// Turns of loops that a substep takes at most.
    pub turns: usize,
}

/// How many workgroups serve this many threads.
pub fn groups(threads: usize) -> u32 {
    threads.div_ceil(GROUP as usize).clamp(1, MOST_GROUPS) as u32
}

impl DevicePlan {
    /// Lays out the plan of a world.
    ///
    /// # Errors
    /// A kernel that the device refuses, or a batch without one.
    pub fn new(state: &State, device: &Device, pipelines: &mut Pipelines) -> Result<Self, String> {
        let mut plan = Self::default();
        for pass in &state.plan.passes {
            match pass {
                Pass::Traced(pass) => plan.add(pass, state.settings.iterations, device, pipelines)?,
                &Pass::Custom(place) => {
                    let ranges = state.ranges_of(place);
                    plan.steps.push(Step::Custom(plan.custom.len()));
                    plan.custom.push(CustomBatch::new(state, place, &ranges, device, pipelines)?);
                }
            }
        }
        if let Some(islands) = island::islands(state) {
            plan.add_islands(state, &islands, device, pipelines)?;
        }
        Ok(plan)
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
        let bounds = self.data.len() as u32;
        self.data.extend(island::bounds(islands));
        for (pass, &range) in state.plan.traced().zip(&self.bases) {
            let colours = self.data.len() as u32;
            let table = island::table(pass, islands);
            self.data.extend(&table);
            tables.push(table);
            ranges.push(Range { colours, count: pass.colours.len() as u32, islands: bounds, ..range });
            let both = [false, true].map(|warm| PassKernel::new(&pass.kind, &pass.connectors, pass.damped, warm));
            kernels.push((both, !pass.remainder.is_empty()));
        }
        let second_order = state.settings.integrator == Integrator::SecondOrder;
        let needs = Needs { second_order, ..Needs::default() };
        let text = island::module(&kernels, state.settings.iterations, needs);
        let pipeline = pipelines.get(device, Family::Islands, &text, "frame")?;
        if ranges.is_empty() {
            ranges.push(Range { islands: bounds, ..Range::default() });
        }
        let turns = island::turns(islands, &tables, state.settings.iterations);
        self.islands = Some(Islands { pipeline, count: islands.len() as u32, ranges, turns });
        Ok(())
    }

    fn add(
        &mut self,
        pass: &TracedPass,
        iterations: u32,
        device: &Device,
        pipelines: &mut Pipelines,
    ) -> Result<(), String> {
        let kernels = [false, true].map(|warm| PassKernel::new(&pass.kind, &pass.connectors, pass.damped, warm));
        let range = self.lay_out(pass, &kernels[1].columns);
        let mut both = [Vec::new(), Vec::new()];
        for (warm, dispatches) in both.iter_mut().enumerate().take(if iterations > 1 { 2 } else { 1 }) {
            let text = kernels[warm].module();
            let mut get = |entry| pipelines.get(device, Family::Pass, &text, entry);
            let colours = get("colours")?;
            for run in runs(&pass.colours) {
                let threads = if run.len() == 1 { pass.colours[run.start].len() } else { 1 };
                let first = range.colours + 2 * run.start as u32;
                let range = Range { colours: first, count: run.len() as u32, ..range };
                dispatches.push(self.dispatch(range, &colours, threads));
            }
            if !pass.remainder.is_empty() {
                dispatches.push(self.dispatch(range, &get("remainder")?, pass.remainder.len()));
                dispatches.push(self.dispatch(range, &get("gather")?, pass.gather.len()));
            }
        }
        self.steps.push(Step::Traced(both));
        Ok(())
    }

    fn dispatch(&mut self, range: Range, pipeline: &wgpu::ComputePipeline, threads: usize) -> Dispatch {
        let place = self.ranges.iter().position(|other| *other == range).unwrap_or_else(|| {
            self.ranges.push(range);
            self.ranges.len() - 1
        });
        Dispatch { pipeline: pipeline.clone(), range: (place as u64 * STRIDE) as u32, groups: groups(threads) }
    }

    /// Appends the columns, colours and gathers of a pass.
    fn lay_out(&mut self, pass: &TracedPass, columns: &[u16]) -> Range {
        let count = pass.len();
        let data = &mut self.data;
        let mut range = Range {
            base: data.len() as u32,
            stride: count as u32,
            lambda: self.lambda as u32,
            first: pass.remainder.start as u32,
            remainder: pass.remainder.len() as u32,
            gathers: pass.gather.len() as u32,
            ..Range::default()
        };
        pass.nodes.iter().for_each(|column| data.extend(&column[..count]));
        for &column in columns {
            data.extend(pass.columns[column as usize][..count].iter().map(|number| number.to_bits()));
        }
        range.colours = data.len() as u32;
        data.extend(pass.colours.iter().flat_map(|colour| [colour.start as u32, colour.len() as u32]));
        range.gather_table = data.len() as u32;
        data.extend(pass.gather.iter().flat_map(|gather| [gather.node, gather.entries.start]));
        data.extend([0, pass.entries.len() as u32]);
        range.entries = data.len() as u32;
        data.extend(&pass.entries);
        self.lambda += count * pass.kind.rows();
        self.corrections = self.corrections.max(pass.remainder.len() * pass.nodes.len());
        self.bases.push(range);
        range
    }
}

/// Colours that share a dispatch: runs of small ones, each other alone.
fn runs(colours: &[ops::Range<usize>]) -> Vec<ops::Range<usize>> {
    let mut runs: Vec<ops::Range<usize>> = Vec::new();
    for (number, colour) in colours.iter().enumerate() {
        let small = |number: usize| colours[number].len() <= SMALL;
        match runs.last_mut() {
            Some(run) if colour.len() <= SMALL && small(run.start) => run.end = number + 1,
            _ => runs.push(number..number + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_colours_share_a_dispatch() {
        let colours = [0..1000, 1000..1010, 1010..1500, 1500..3000, 3000..3001];
        assert_eq!(runs(&colours), [0..1, 1..3, 3..4, 4..5]);
        assert!(runs(&[]).is_empty());
    }
}
