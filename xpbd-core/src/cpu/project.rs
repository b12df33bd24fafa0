//! Solves one pass: its colours one after the other, then its remainder.
#![expect(unsafe_code, reason = "a colour's constraints share no movable node, so threads write disjoint particles")]

use std::ops::Range;

use glam::{Quat, Vec4};
use smallvec::SmallVec;

use super::block::{self, Output, PassData, ThreadScratch};
use super::compiled_program::{CompiledProgram, PassPrograms};
use crate::bodies::{Bodies, free_axes, rotated_by};
use crate::connector::{Connectors, NodeKind};
use crate::constraint::layout::uniform;
use crate::parallel::{DisjointSlice, WorkerScope};
use crate::particles::Particles;
use crate::program::interpret::WIDE_LANES;
use crate::schedule::{RemainderNode, TracedPass};

/// The nodes of a world while passes are solved.
pub struct NodeArrays<'a> {
    pub(super) anchor: &'a [Vec4],
    pub(super) start: &'a [Vec4],
    pub(super) offset: DisjointSlice<'a, Vec4>,
    pub(super) velocity: DisjointSlice<'a, Vec4>,
    pub(super) body_anchor: &'a [Vec4],
    pub(super) body_start: &'a [Vec4],
    pub(super) body_offset: DisjointSlice<'a, Vec4>,
    pub(super) rotation: DisjointSlice<'a, Quat>,
    pub(super) start_rotation: &'a [Quat],
    pub(super) rotation_correction: DisjointSlice<'a, Vec4>,
    pub(super) inverse_inertia: &'a [Vec4],
    pub(super) body_velocity: DisjointSlice<'a, Vec4>,
    pub(super) angular_velocity: DisjointSlice<'a, Vec4>,
    pub(super) uniforms: [f32; uniform::COUNT],
}

impl<'a> NodeArrays<'a> {
    /// Shares the nodes among threads for passes with these uniforms.
    pub fn new(particles: &'a mut Particles, bodies: &'a mut Bodies, uniforms: [f32; uniform::COUNT]) -> Self {
        Self {
            anchor: &particles.anchor,
            start: &particles.start,
            offset: DisjointSlice::new(&mut particles.offset),
            velocity: DisjointSlice::new(&mut particles.velocity),
            body_anchor: &bodies.anchor,
            body_start: &bodies.start,
            body_offset: DisjointSlice::new(&mut bodies.offset),
            rotation: DisjointSlice::new(&mut bodies.rotation),
            start_rotation: &bodies.start_rotation,
            rotation_correction: DisjointSlice::new(&mut bodies.rotation_correction),
            inverse_inertia: &bodies.inverse_inertia,
            body_velocity: DisjointSlice::new(&mut bodies.velocity),
            angular_velocity: DisjointSlice::new(&mut bodies.angular_velocity),
            uniforms,
        }
    }

    /// Solves a pass once.
    pub fn solve(
        &self,
        workers: &WorkerScope<'_>,
        pass: &mut TracedPass,
        programs: &PassPrograms,
        warm: bool,
        omega: f32,
        memory: &mut PassScratch,
    ) {
        let warm = usize::from(warm);
        self.sweep(workers, pass, [&programs.colours[warm], &programs.remainder[warm]], omega, memory);
    }

    /// Changes velocities where the constraints of a pass ask for it.
    pub fn solve_velocities(
        &self,
        workers: &WorkerScope<'_>,
        pass: &mut TracedPass,
        programs: &PassPrograms,
        omega: f32,
        memory: &mut PassScratch,
    ) {
        if let Some([colours, remainder]) = &programs.rates {
            self.sweep(workers, pass, [colours, remainder], omega, memory);
        }
    }

    /// Runs programs over the colours of a pass one after the other, then over its remainder.
    fn sweep(
        &self,
        workers: &WorkerScope<'_>,
        pass: &mut TracedPass,
        [of_colours, of_remainder]: [&CompiledProgram; 2],
        omega: f32,
        memory: &mut PassScratch,
    ) {
        let remainder = pass.remainder.clone();
        let TracedPass {
            nodes,
            columns,
            lambda,
            impulses,
            colours,
            remainder_nodes: gather,
            remainder_entries: entries,
            connectors,
            ..
        } = pass;
        let (lambda, impulses) = (disjoint(lambda), disjoint(impulses));
        let told = if of_colours.rates { &impulses } else { &lambda };
        let data = PassData { nodes, columns, lambda: &lambda, row_output: told };
        let scratch = DisjointSlice::new(&mut memory.scratch);
        for range in colours.iter() {
            self.blocks(workers, scratch, of_colours, &data, range.clone(), Output::Nodes);
        }
        if remainder.is_empty() {
            return;
        }
        memory.corrections.resize(remainder.len() * nodes.len() * 2, Vec4::ZERO);
        let corrections = DisjointSlice::new(&mut memory.corrections);
        let output = Output::Corrections { list: corrections, first: remainder.start };
        self.blocks(workers, scratch, of_remainder, &data, remainder.clone(), output);
        let apply = CorrectionSum { corrections: &memory.corrections, omega, rates: of_remainder.rates };
        if gather.is_empty() {
            self.apply_in_order(connectors, nodes, remainder.clone(), &apply);
        } else {
            self.apply_gathered(workers, gather, entries, &apply);
        }
    }

    /// Adds up the corrections of each node in a fixed order and moves it.
    fn apply_gathered(
        &self,
        workers: &WorkerScope<'_>,
        gather: &[RemainderNode],
        entries: &[u32],
        apply: &CorrectionSum<'_>,
    ) {
        let &CorrectionSum { corrections, omega, rates } = apply;
        workers.run(gather.len(), |_, range| {
            for gather in &gather[range] {
                let mut sum = [Vec4::ZERO; 2];
                for &entry in &entries[gather.entries.start as usize..gather.entries.end as usize] {
                    sum[0] += corrections[2 * entry as usize];
                    sum[1] += corrections[2 * entry as usize + 1];
                }
                // SAFETY: every node has one gather.
                unsafe { self.shift(rates, gather.kind, gather.node as usize, sum[0] * omega, sum[1] * omega) };
            }
        });
    }

    /// Moves the nodes by the corrections one after the other, for passes without a gather list.
    fn apply_in_order(
        &self,
        connectors: &Connectors,
        nodes: &[Vec<u32>],
        slots: Range<usize>,
        apply: &CorrectionSum<'_>,
    ) {
        let &CorrectionSum { corrections, omega, rates } = apply;
        for (slot, corrections) in slots.zip(corrections.chunks_exact(2 * nodes.len())) {
            for ((column, &kind), pair) in nodes.iter().zip(connectors.nodes()).zip(corrections.chunks_exact(2)) {
                let node = column[slot] as usize;
                let anchor = if kind == NodeKind::Body { self.body_anchor } else { self.anchor };
                if anchor[node].w > 0.0 {
                    // SAFETY: this thread is alone.
                    unsafe { self.shift(rates, kind, node, pair[0] * omega, pair[1] * omega) };
                }
            }
        }
    }

    /// Moves a node, or with `rates` changes its velocities.
    ///
    /// # Safety
    /// No other thread touches the node.
    #[inline(always)]
    pub(super) unsafe fn shift(&self, rates: bool, kind: NodeKind, node: usize, shift: Vec4, rotate: Vec4) {
        // SAFETY: passed on to the caller.
        unsafe {
            match kind {
                NodeKind::Particle if rates => self.velocity.set(node, self.velocity.get(node) + shift),
                NodeKind::Particle => self.offset.set(node, self.offset.get(node) + shift),
                NodeKind::Body => self.shift_body(rates, node, shift, rotate),
            }
        }
    }

    /// Moves and turns a body as far as its axes are free.
    ///
    /// # Safety
    /// As of [`NodeArrays::shift`].
    unsafe fn shift_body(&self, rates: bool, body: usize, mut shift: Vec4, mut rotate: Vec4) {
        let locked = self.inverse_inertia[body].w;
        if locked != 0.0 {
            let (along, about) = free_axes(locked);
            (shift, rotate) = (shift * along.extend(0.0), rotate * about.extend(0.0));
        }
        // SAFETY: passed on to the caller.
        unsafe {
            if rates {
                self.body_velocity.set(body, self.body_velocity.get(body) + shift);
                self.angular_velocity.set(body, self.angular_velocity.get(body) + rotate);
                return;
            }
            self.body_offset.set(body, self.body_offset.get(body) + shift);
            self.rotation_correction.set(body, self.rotation_correction.get(body) + rotate);
            self.rotation.set(body, rotated_by(self.rotation.get(body), rotate.truncate()));
        }
    }

    /// Solves the constraints of one range in blocks, divided among the threads.
    fn blocks(
        &self,
        workers: &WorkerScope<'_>,
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
            block::run(self, scratch, compiled, data, start..end, output);
        });
    }
}

/// Numbers of each row that threads write.
fn disjoint(rows: &mut [Vec<f32>]) -> SmallVec<[DisjointSlice<'_, f32>; 8]> {
    rows.iter_mut().map(|row| DisjointSlice::new(row)).collect()
}

/// The corrections of a remainder, and what becomes of them.
struct CorrectionSum<'a> {
    /// Two vectors for each node slot of each constraint.
    corrections: &'a [Vec4],
    omega: f32,
    /// True if they change velocities.
    rates: bool,
}

/// Working memory that passes share, kept from frame to frame.
pub struct PassScratch {
    scratch: Vec<ThreadScratch>,
    corrections: Vec<Vec4>,
}

impl PassScratch {
    /// Memory for this many threads.
    pub fn new(threads: usize) -> Self {
        Self { scratch: (0..threads).map(|_| ThreadScratch::default()).collect(), corrections: Vec::new() }
    }
}
