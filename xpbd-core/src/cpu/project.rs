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
        self.merged(nodes, &mut [(pass, programs)], warm);
    }

    /// Solves passes once that are [merged](crate::schedule::Plan::merged).
    pub fn merged(&mut self, nodes: &NodeArrays<'_>, passes: &mut [(&mut TracedPass, &PassPrograms)], warm: bool) {
        let warm = usize::from(warm);
        let mut rows: SmallVec<[Vec<Vec<f32>>; 4]> =
            passes.iter_mut().map(|(pass, _)| std::mem::take(&mut pass.lambda)).collect();
        let sweeps = passes.iter().zip(&mut rows).map(|((pass, programs), rows)| Sweep {
            pass,
            lambda: disjoint(rows),
            programs: [&programs.colours[warm], &programs.remainder[warm]],
        });
        self.run(nodes, &sweeps.collect::<SmallVec<[_; 4]>>());
        passes.iter_mut().zip(rows).for_each(|((pass, _), rows)| pass.lambda = rows);
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
        programs: [&CompiledProgram; 2],
    ) {
        self.run(nodes, &[Sweep { pass, lambda: disjoint(rows), programs }]);
    }

    /// Solves each stage of passes that are merged, patch by patch, then their other colours and their remainders.
    fn run(&mut self, nodes: &NodeArrays<'_>, sweeps: &[Sweep<'_>]) {
        let scratch = DisjointSlice::new(&mut self.scratch.threads);
        let stages = sweeps.first().map_or(&[][..], |sweep| &sweep.pass.stages);
        for (number, stage) in stages.iter().enumerate() {
            let of_a_thread = stage.patches.div_ceil(self.workers.threads());
            self.workers.run_with_grain(stage.patches, of_a_thread, |thread, patches| {
                if patches.is_empty() {
                    return;
                }
                // SAFETY: every thread has its own scratch, which outlives the pass.
                let scratch = unsafe { &mut scratch.slice(thread..thread + 1)[0] };
                for sweep in sweeps {
                    for range in sweep.pass.stages[number].slots(patches.clone()) {
                        block::run(nodes, scratch, sweep.programs[0], &sweep.data(), range, Output::Nodes);
                    }
                }
            });
        }
        for sweep in sweeps {
            self.run_rest(nodes, sweep);
        }
    }

    /// Solves the colours of a pass that are in no stage one after the other, then its remainder.
    fn run_rest(&mut self, nodes: &NodeArrays<'_>, sweep: &Sweep<'_>) {
        let Sweep { pass, programs: [of_colours, of_remainder], .. } = *sweep;
        let (data, remainder) = (sweep.data(), pass.remainder.clone());
        let scratch = DisjointSlice::new(&mut self.scratch.threads);
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

/// A pass, and the multipliers and programs with which it is solved once.
struct Sweep<'a> {
    pass: &'a TracedPass,
    /// The multipliers that the programs read and write.
    lambda: SmallVec<[DisjointSlice<'a, f32>; 8]>,
    /// The programs of the colours and of the remainder.
    programs: [&'a CompiledProgram; 2],
}

impl Sweep<'_> {
    fn data(&self) -> PassData<'_> {
        PassData { nodes: &self.pass.nodes, columns: &self.pass.columns, lambda: &self.lambda }
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
