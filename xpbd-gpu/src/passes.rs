//! Traced passes laid out for the device: their data in one buffer, and the dispatches that solve them.

mod buffers;
mod kernels;
mod merged;

pub use buffers::PassBuffers;
pub use kernels::PassKernels;

use std::ops;

use xpbd_core::connector::NodeKind;
use xpbd_core::schedule::{PatchStage, RemainderNode, TracedPass};

use crate::layout::{BODY_BIT, MAX_MERGED, MAX_WORKGROUPS, PassRange, STRIDE, WORKGROUP_SIZE};
use crate::pass_kernel::vectors_per_correction;
use kernels::Sweep;

/// Colours of at most this many constraints are solved several to a dispatch, by one workgroup.
const SMALL_COLOUR: usize = 4 * WORKGROUP_SIZE as usize;

/// Returns the number of workgroups for this many threads.
pub fn groups(threads: usize) -> u32 {
    threads.div_ceil(WORKGROUP_SIZE as usize).clamp(1, MAX_WORKGROUPS) as u32
}

/// Returns whether the corrections of a remainder are added up before they move a node; otherwise they move it one after the
/// other.
fn is_gathered(pass: &TracedPass) -> bool {
    !pass.remainder_nodes.is_empty() || pass.remainder.is_empty()
}

/// One dispatch over a pass.
#[derive(Debug, Clone)]
pub struct Dispatch {
    /// Pipeline of the kernel.
    pub pipeline: wgpu::ComputePipeline,
    /// Offset of its range in the table of ranges \[bytes\].
    pub range: u32,
    /// Number of workgroups.
    pub groups: u32,
}

/// The dispatches of one pass.
#[derive(Debug, Clone, Default)]
pub struct PassSteps {
    /// Dispatches of the first iteration of a substep, and of the later ones.
    pub solve: [Vec<Dispatch>; 2],
    /// Dispatches with which a substep begins, if the type keeps its multipliers.
    pub warm_start: Vec<Dispatch>,
    /// Dispatches that change velocities at the end of a substep, if the type does.
    pub rates: Vec<Dispatch>,
    /// Dispatches of impacts, where anything rebounds.
    pub impacts: Vec<Dispatch>,
    /// Dispatch that changes parameters at the end of a frame, if the type does.
    pub parameter_evolution: Option<ParameterEvolution>,
}

/// The dispatch that changes the parameters of a pass.
#[derive(Debug, Clone)]
pub struct ParameterEvolution {
    /// The dispatch.
    pub dispatch: Dispatch,
    /// The columns that it changes, and the first word of each in [`PassTable::data`].
    pub columns: Vec<(u16, u32)>,
    /// Constraints of the pass.
    pub count: u32,
}

/// A table of passes.
#[derive(Debug, Default)]
pub struct PassTable {
    /// Columns, colours and gathers.
    pub data: Vec<u32>,
    /// Uniforms of the dispatches: the first range, and those of passes that are merged with it.
    pub ranges: Vec<[PassRange; MAX_MERGED]>,
    /// Multipliers \[numbers\].
    pub lambda: usize,
    /// Multipliers that passes begin with, and the index of the first of each run among all.
    pub kept_multipliers: Vec<(usize, Vec<f32>)>,
    /// Corrections of the largest remainder \[vectors\].
    pub corrections: usize,
    /// Range of each pass.
    pub bases: Vec<PassRange>,
}

impl PassTable {
    /// Empties the table but keeps its memory.
    pub fn clear(&mut self) {
        self.data.clear();
        self.ranges.clear();
        self.bases.clear();
        self.kept_multipliers.clear();
        (self.lambda, self.corrections) = (0, 0);
    }

    /// Appends a pass, and returns its dispatches.
    pub fn add(&mut self, pass: &TracedPass, kernels: &PassKernels) -> PassSteps {
        let range = self.lay_out(pass, &kernels.columns);
        let mut steps = PassSteps::default();
        for (dispatches, sweep) in steps.solve.iter_mut().zip(&kernels.solve).filter(|_| pass.is_swept()) {
            *dispatches = self.dispatches(pass, range, sweep);
        }
        if let Some(sweep) = &kernels.warm_start {
            steps.warm_start = self.dispatches(pass, range, sweep);
        }
        if let Some(sweep) = &kernels.rates {
            steps.rates = self.dispatches(pass, range, sweep);
        }
        if let Some(sweep) = &kernels.impacts {
            let rows = (pass.lambda.len() + pass.mean_lambda.len()) as u32;
            let range = PassRange { lambda: range.lambda + rows * range.stride, ..range };
            steps.impacts = self.dispatches(pass, range, sweep);
        }
        steps.parameter_evolution = kernels.evolution.as_ref().map(|(pipeline, changed)| ParameterEvolution {
            dispatch: self.dispatch(range, pipeline, pass.len()),
            columns: changed.iter().map(|&(column, place)| (column, range.base + place * range.stride)).collect(),
            count: range.stride,
        });
        steps
    }

    /// Lists the dispatches of a kernel over the colours of a pass one after the other, then over its remainder.
    fn dispatches(&mut self, pass: &TracedPass, range: PassRange, sweep: &Sweep) -> Vec<Dispatch> {
        let mut dispatches = Vec::new();
        for (number, stage) in pass.stages.iter().enumerate() {
            let of_stage = |kernel| self.dispatch(stage_range(pass, range, number), kernel, stage_threads(stage));
            dispatches.extend(sweep.stages.as_ref().map(of_stage));
        }
        for run in runs(&pass.colours, pass.colours_after_stages()) {
            let (kernel, threads) = match run.len() {
                1 => (&sweep.colours, pass.colours[run.start].len()),
                _ => (&sweep.small_colours, 1),
            };
            let first = range.colours + 2 * run.start as u32;
            let range = PassRange { colours: first, count: run.len() as u32, ..range };
            dispatches.extend(kernel.as_ref().map(|kernel| self.dispatch(range, kernel, threads)));
        }
        if let Some([correct, gather]) = sweep.remainder.as_ref().filter(|_| !pass.remainder.is_empty()) {
            dispatches.push(self.dispatch(range, correct, pass.remainder.len()));
            dispatches.push(self.dispatch(range, gather, range.gathers as usize));
        }
        dispatches
    }

    /// Returns a dispatch over a range, which is added to the table if it is new.
    pub fn dispatch(&mut self, range: PassRange, pipeline: &wgpu::ComputePipeline, threads: usize) -> Dispatch {
        let mut ranges = [PassRange::default(); MAX_MERGED];
        ranges[0] = range;
        self.dispatch_merged(ranges, pipeline, threads)
    }

    /// Returns a dispatch over the ranges of several passes, which are added to the table if they are new.
    fn dispatch_merged(
        &mut self,
        ranges: [PassRange; MAX_MERGED],
        pipeline: &wgpu::ComputePipeline,
        threads: usize,
    ) -> Dispatch {
        let place = self.ranges.iter().position(|other| *other == ranges).unwrap_or_else(|| {
            self.ranges.push(ranges);
            self.ranges.len() - 1
        });
        Dispatch { pipeline: pipeline.clone(), range: (place as u64 * STRIDE) as u32, groups: groups(threads) }
    }

    /// Appends the columns, colours and gathers of a pass.
    pub fn lay_out(&mut self, pass: &TracedPass, columns: &[u16]) -> PassRange {
        let count = pass.len();
        let data = &mut self.data;
        let listed = if is_gathered(pass) { None } else { Some(by_node(pass)) };
        let (gather, entries) =
            listed.as_ref().map_or((&pass.remainder_nodes, &pass.remainder_entries), |(g, e)| (g, e));
        let mut range = PassRange {
            base: data.len() as u32,
            stride: count as u32,
            lambda: self.lambda as u32,
            first: pass.remainder.start as u32,
            remainder: pass.remainder.len() as u32,
            gathers: gather.len() as u32,
            ..PassRange::default()
        };
        pass.nodes.iter().for_each(|column| data.extend(&column[..count]));
        for &column in columns {
            data.extend(pass.columns[column as usize][..count].iter().map(|number| number.to_bits()));
        }
        range.colours = data.len() as u32;
        data.extend(pass.colours.iter().flat_map(|colour| [colour.start as u32, colour.len() as u32]));
        for stage in &pass.stages {
            for patch in 0..stage.patches {
                data.extend(stage.slots(patch..patch + 1).flat_map(|slots| [slots.start as u32, slots.len() as u32]));
            }
        }
        range.gather_table = data.len() as u32;
        data.extend(gather.iter().flat_map(|gather| [node(gather), gather.entries.start]));
        data.extend([0, entries.len() as u32]);
        range.entries = data.len() as u32;
        data.extend(entries);
        if pass.kind.keeps_multipliers() || pass.linearization.is_some() {
            let rows = pass.lambda.iter().flat_map(|row| &row[..count]);
            self.kept_multipliers.push((self.lambda, rows.copied().collect()));
        }
        self.lambda += count * (pass.lambda.len() + pass.mean_lambda.len());
        if !pass.impacts.is_empty() {
            self.kept_multipliers.push((self.lambda, vec![0.0; count * pass.impacts.len()]));
            self.lambda += count * pass.impacts.len();
        }
        let corrections = pass.remainder.len() * pass.nodes.len() * vectors_per_correction(&pass.connectors);
        self.corrections = self.corrections.max(corrections);
        self.bases.push(range);
        range
    }
}

/// Returns the range of a stage of a pass that is laid out in this one.
fn stage_range(pass: &TracedPass, range: PassRange, number: usize) -> PassRange {
    let words = |stage: &PatchStage| stage.patches * stage.colours.len();
    let before = pass.colours.len() + pass.stages[..number].iter().map(words).sum::<usize>();
    PassRange { colours: range.colours + 2 * before as u32, count: pass.stages[number].colours.len() as u32, ..range }
}

/// Returns as many threads as ask for a workgroup for each patch of a stage.
fn stage_threads(stage: &PatchStage) -> usize {
    stage.patches * WORKGROUP_SIZE as usize
}

/// Returns the corrections of each node of a remainder, in the order in which they move it.
fn by_node(pass: &TracedPass) -> (Vec<RemainderNode>, Vec<u32>) {
    let (width, kinds) = (pass.nodes.len(), pass.connectors.nodes());
    let mut touched: Vec<(bool, u32, u32)> = Vec::new();
    for (number, slot) in pass.remainder.clone().enumerate() {
        let nodes = kinds.iter().zip(&pass.nodes).enumerate();
        touched.extend(
            nodes.map(|(k, (&kind, nodes))| (kind == NodeKind::Body, nodes[slot], (number * width + k) as u32)),
        );
    }
    touched.sort_unstable();
    let (mut gathers, mut entries) = (Vec::new(), Vec::new());
    for group in touched.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let start = entries.len() as u32;
        entries.extend(group.iter().map(|&(_, _, entry)| entry));
        let kind = if group[0].0 { NodeKind::Body } else { NodeKind::Particle };
        gathers.push(RemainderNode { kind, node: group[0].1, entries: start..entries.len() as u32 });
    }
    (gathers, entries)
}

/// Returns a node of a remainder as a word.
fn node(gather: &RemainderNode) -> u32 {
    match gather.kind {
        NodeKind::Particle => gather.node,
        NodeKind::Body => gather.node | BODY_BIT,
    }
}

/// Returns whether a pass has stages, colours with a dispatch each, and colours that share a dispatch.
pub fn kinds_of_dispatches(pass: &TracedPass) -> [bool; 3] {
    let runs = runs(&pass.colours, pass.colours_after_stages());
    [!pass.stages.is_empty(), runs.iter().any(|run| run.len() == 1), runs.iter().any(|run| run.len() > 1)]
}

/// Returns which of the colours with these numbers share a dispatch: runs of small ones, each other alone.
fn runs(colours: &[ops::Range<usize>], numbers: ops::Range<usize>) -> Vec<ops::Range<usize>> {
    let is_small = |number: usize| colours[number].len() <= SMALL_COLOUR;
    let mut runs: Vec<ops::Range<usize>> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some(run) if is_small(number) && is_small(run.start) => run.end = number + 1,
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
        assert_eq!(runs(&colours, 0..5), [0..1, 1..3, 3..4, 4..5]);
        assert_eq!(runs(&colours, 2..4), [2..3, 3..4]);
        assert!(runs(&[], 0..0).is_empty());
    }
}
