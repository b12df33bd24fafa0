//! Solves one pass: its colours one after the other, then its remainder.
#![expect(unsafe_code, reason = "a colour's constraints share no movable node, so threads write disjoint particles")]

use std::ops::Range;

use glam::Vec4;
use smallvec::SmallVec;

use super::block::{self, Output, PassData, ThreadScratch};
use super::compiled_program::{CompiledProgram, PassPrograms};
use super::nodes::NodeArrays;
use crate::connector::{Connectors, NodeKind};
use crate::parallel::{DisjointSlice, WorkerScope};
use crate::program::interpret::WIDE_LANES;
use crate::schedule::{RemainderNode, TracedPass};

/// The solution of one pass after the other.
pub struct Solve<'a, 'c> {
    /// Threads to divide the work among.
    pub workers: &'a WorkerScope<'c>,
    /// Over-relaxation of the Jacobi remainder \[1\].
    pub omega: f32,
    /// Working memory of the pass.
    pub scratch: &'a mut PassScratch,
}

impl Solve<'_, '_> {
    /// Applies the multipliers that a pass has kept from the substep before.
    pub fn warm_start(&mut self, nodes: &NodeArrays<'_>, pass: &mut TracedPass, programs: &PassPrograms) {
        if let Some(program) = &programs.warm_start {
            self.sweep(nodes, pass, [program, program]);
        }
    }

    /// Solves a pass once; `warm` where its multipliers are those of an earlier iteration.
    pub fn positions(&mut self, nodes: &NodeArrays<'_>, pass: &mut TracedPass, programs: &PassPrograms, warm: bool) {
        let warm = usize::from(warm);
        self.sweep(nodes, pass, [&programs.colours[warm], &programs.remainder[warm]]);
    }

    /// Changes velocities where the constraints of a pass ask for it.
    pub fn velocities(&mut self, nodes: &NodeArrays<'_>, pass: &mut TracedPass, programs: &PassPrograms) {
        if let Some([colours, remainder]) = &programs.rates {
            self.sweep(nodes, pass, [colours, remainder]);
        }
    }

    /// Lets the nodes of a pass hit each other once.
    pub fn impacts(&mut self, nodes: &NodeArrays<'_>, pass: &mut TracedPass, programs: &PassPrograms) {
        if let (Some([colours, remainder]), false) = (&programs.impacts, pass.impacts.is_empty()) {
            let mut impacts = std::mem::take(&mut pass.impacts);
            self.sweep_rows(nodes, pass, &mut impacts, [colours, remainder]);
            pass.impacts = impacts;
        }
    }

    /// Runs programs over the colours of a pass one after the other, then over its remainder.
    fn sweep(&mut self, nodes: &NodeArrays<'_>, pass: &mut TracedPass, programs: [&CompiledProgram; 2]) {
        let mut lambda = std::mem::take(&mut pass.lambda);
        self.sweep_rows(nodes, pass, &mut lambda, programs);
        pass.lambda = lambda;
    }

    /// Runs programs that read and write these multipliers.
    fn sweep_rows(
        &mut self,
        nodes: &NodeArrays<'_>,
        pass: &TracedPass,
        rows: &mut [Vec<f32>],
        [of_colours, of_remainder]: [&CompiledProgram; 2],
    ) {
        let remainder = pass.remainder.clone();
        let lambda = disjoint(rows);
        let data = PassData { nodes: &pass.nodes, columns: &pass.columns, lambda: &lambda };
        let scratch = DisjointSlice::new(&mut self.scratch.threads);
        for stage in &pass.stages {
            let of_a_thread = stage.patches.div_ceil(self.workers.threads());
            self.workers.run_with_grain(stage.patches, of_a_thread, |thread, patches| {
                if patches.is_empty() {
                    return;
                }
                // SAFETY: every thread has its own scratch, which outlives the pass.
                let scratch = unsafe { &mut scratch.slice(thread..thread + 1)[0] };
                for range in stage.slots(patches) {
                    block::run(nodes, scratch, of_colours, &data, range, Output::Nodes);
                }
            });
        }
        for range in &pass.colours[pass.colours_after_stages()] {
            solve_range(self.workers, nodes, scratch, of_colours, &data, range.clone(), Output::Nodes);
        }
        if remainder.is_empty() {
            return;
        }
        self.scratch.corrections.resize(remainder.len() * pass.nodes.len() * 2, Vec4::ZERO);
        let list = DisjointSlice::new(&mut self.scratch.corrections);
        let output = Output::Corrections { list, first: remainder.start };
        solve_range(self.workers, nodes, scratch, of_remainder, &data, remainder.clone(), output);
        let corrections = &self.scratch.corrections;
        let apply = CorrectionSum { nodes, corrections, omega: self.omega, rates: of_remainder.rates };
        if pass.remainder_nodes.is_empty() {
            apply.in_order(&pass.connectors, &pass.nodes, remainder);
        } else {
            apply.gathered(self.workers, &pass.remainder_nodes, &pass.remainder_entries);
        }
    }
}

/// Solves the constraints of one range in blocks, divided among the threads.
fn solve_range(
    workers: &WorkerScope<'_>,
    nodes: &NodeArrays<'_>,
    scratch: DisjointSlice<'_, ThreadScratch>,
    compiled: &CompiledProgram,
    data: &PassData<'_>,
    range: Range<usize>,
    output: Output<'_>,
) {
    let grain = compiled.grain(range.len());
    workers.run_with_grain(range.len().div_ceil(grain), WIDE_LANES / grain, |thread, grains| {
        if grains.is_empty() {
            return;
        }
        // SAFETY: every thread has its own scratch, which outlives the pass.
        let scratch = unsafe { &mut scratch.slice(thread..thread + 1)[0] };
        let start = range.start + grains.start * grain;
        let end = range.end.min(range.start + grains.end * grain);
        block::run(nodes, scratch, compiled, data, start..end, output);
    });
}

/// Returns the numbers of each row, to be written by several threads.
fn disjoint(rows: &mut [Vec<f32>]) -> SmallVec<[DisjointSlice<'_, f32>; 8]> {
    rows.iter_mut().map(|row| DisjointSlice::new(row)).collect()
}

/// The corrections of a remainder, and what they are added to.
struct CorrectionSum<'a> {
    nodes: &'a NodeArrays<'a>,
    /// Two vectors for each node slot of each constraint.
    corrections: &'a [Vec4],
    /// Over-relaxation \[1\].
    omega: f32,
    /// True if velocities are changed in place of positions.
    rates: bool,
}

impl CorrectionSum<'_> {
    /// Adds up the corrections of each node in a fixed order and moves it.
    fn gathered(&self, workers: &WorkerScope<'_>, remainder_nodes: &[RemainderNode], entries: &[u32]) {
        let &Self { nodes, corrections, omega, rates } = self;
        workers.run(remainder_nodes.len(), |_, range| {
            for node in &remainder_nodes[range] {
                let mut sum = [Vec4::ZERO; 2];
                for &entry in &entries[node.entries.start as usize..node.entries.end as usize] {
                    sum[0] += corrections[2 * entry as usize];
                    sum[1] += corrections[2 * entry as usize + 1];
                }
                // SAFETY: every node is listed once.
                unsafe { nodes.shift(rates, node.kind, node.node as usize, sum[0] * omega, sum[1] * omega) };
            }
        });
    }

    /// Moves the nodes by the corrections one after the other, for passes that do not list them by node.
    fn in_order(&self, connectors: &Connectors, columns: &[Vec<u32>], slots: Range<usize>) {
        let &Self { nodes, corrections, omega, rates } = self;
        for (slot, corrections) in slots.zip(corrections.chunks_exact(2 * columns.len())) {
            for ((column, &kind), pair) in columns.iter().zip(connectors.nodes()).zip(corrections.chunks_exact(2)) {
                let node = column[slot] as usize;
                let anchor = if kind == NodeKind::Body { nodes.body_anchor } else { nodes.anchor };
                if anchor[node].w > 0.0 {
                    // SAFETY: this thread is alone.
                    unsafe { nodes.shift(rates, kind, node, pair[0] * omega, pair[1] * omega) };
                }
            }
        }
    }
}

/// Working memory that passes share, kept from frame to frame.
pub struct PassScratch {
    threads: Vec<ThreadScratch>,
    corrections: Vec<Vec4>,
}

impl PassScratch {
    /// Creates memory for this many threads.
    pub fn new(threads: usize) -> Self {
        Self { threads: (0..threads).map(|_| ThreadScratch::default()).collect(), corrections: Vec::new() }
    }
}
