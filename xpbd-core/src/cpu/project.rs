//! Solves one pass: its colours one after the other, then its remainder.
#![expect(unsafe_code, reason = "a colour's constraints share no movable node, so threads write disjoint particles")]

use std::ops::Range;

use glam::{Quat, Vec4, Vec4Swizzles};
use smallvec::SmallVec;

use super::block::{self, Output, PassData, Scratch};
use super::compiled::{Compiled, PassPrograms};
use super::disjoint::Disjoint;
use super::team::Crew;
use crate::bodies::{Bodies, from_rotation_vector};
use crate::connector::{Connectors, NodeKind};
use crate::constraint::layout::uniform;
use crate::particles::Particles;
use crate::program::interpret::WIDE;
use crate::schedule::{Gather, TracedPass};

/// The nodes of a world while passes are solved.
pub struct Nodes<'a> {
    pub(super) anchor: &'a [Vec4],
    pub(super) start: &'a [Vec4],
    pub(super) offset: Disjoint<'a, Vec4>,
    pub(super) body_anchor: &'a [Vec4],
    pub(super) body_start: &'a [Vec4],
    pub(super) body_offset: Disjoint<'a, Vec4>,
    pub(super) rotation: Disjoint<'a, Quat>,
    pub(super) start_rotation: &'a [Quat],
    pub(super) inverse_inertia: &'a [Vec4],
    pub(super) uniforms: [f32; uniform::COUNT],
}

impl<'a> Nodes<'a> {
    /// Shares the nodes among threads for passes with these uniforms.
    pub fn new(particles: &'a mut Particles, bodies: &'a mut Bodies, uniforms: [f32; uniform::COUNT]) -> Self {
        Self {
            anchor: &particles.anchor,
            start: &particles.start,
            offset: Disjoint::new(&mut particles.offset),
            body_anchor: &bodies.anchor,
            body_start: &bodies.start,
            body_offset: Disjoint::new(&mut bodies.offset),
            rotation: Disjoint::new(&mut bodies.rotation),
            start_rotation: &bodies.start_rotation,
            inverse_inertia: &bodies.inverse_inertia,
            uniforms,
        }
    }

    /// Solves the colours of a pass one after the other, then its remainder.
    pub fn solve(
        &self,
        crew: &Crew<'_>,
        pass: &mut TracedPass,
        programs: &PassPrograms,
        warm: bool,
        omega: f32,
        memory: &mut Memory,
    ) {
        let remainder = pass.remainder.clone();
        let TracedPass { nodes, columns, lambda, colours, gather, entries, connectors, .. } = pass;
        let lambda: SmallVec<[Disjoint<'_, f32>; 6]> = lambda.iter_mut().map(|row| Disjoint::new(row)).collect();
        let data = PassData { nodes, columns, lambda: &lambda };
        let scratch = Disjoint::new(&mut memory.scratch);
        for range in colours.iter() {
            let compiled = &programs.colours[usize::from(warm)];
            self.blocks(crew, scratch, compiled, &data, range.clone(), Output::Nodes);
        }
        if remainder.is_empty() {
            return;
        }
        memory.corrections.resize(remainder.len() * nodes.len() * 2, Vec4::ZERO);
        let corrections = Disjoint::new(&mut memory.corrections);
        let output = Output::Corrections { list: corrections, first: remainder.start };
        self.blocks(crew, scratch, &programs.remainder[usize::from(warm)], &data, remainder.clone(), output);
        if gather.is_empty() {
            self.apply_in_order(connectors, nodes, remainder.clone(), &memory.corrections, omega);
        } else {
            self.apply_gathered(crew, gather, entries, &memory.corrections, omega);
        }
    }

    /// Adds up the corrections of each node in a fixed order and moves it.
    fn apply_gathered(&self, crew: &Crew<'_>, gather: &[Gather], entries: &[u32], corrections: &[Vec4], omega: f32) {
        crew.run(gather.len(), |_, range| {
            for gather in &gather[range] {
                let mut sum = [Vec4::ZERO; 2];
                for &entry in &entries[gather.entries.start as usize..gather.entries.end as usize] {
                    sum[0] += corrections[2 * entry as usize];
                    sum[1] += corrections[2 * entry as usize + 1];
                }
                // SAFETY: every node has one gather.
                unsafe { self.shift(gather.kind, gather.node as usize, sum[0] * omega, sum[1] * omega) };
            }
        });
    }

    /// Moves the nodes by the corrections one after the other, for passes without a gather list.
    fn apply_in_order(
        &self,
        connectors: &Connectors,
        nodes: &[Vec<u32>],
        slots: Range<usize>,
        corrections: &[Vec4],
        omega: f32,
    ) {
        for (slot, corrections) in slots.zip(corrections.chunks_exact(2 * nodes.len())) {
            for ((column, &kind), pair) in nodes.iter().zip(connectors.nodes()).zip(corrections.chunks_exact(2)) {
                let node = column[slot] as usize;
                let anchor = if kind == NodeKind::Body { self.body_anchor } else { self.anchor };
                if anchor[node].w > 0.0 {
                    // SAFETY: this thread is alone.
                    unsafe { self.shift(kind, node, pair[0] * omega, pair[1] * omega) };
                }
            }
        }
    }

    /// Moves a node.
    ///
    /// # Safety
    /// No other thread touches the node.
    #[inline(always)]
    pub(super) unsafe fn shift(&self, kind: NodeKind, node: usize, shift: Vec4, rotate: Vec4) {
        // SAFETY: passed on to the caller.
        unsafe {
            match kind {
                NodeKind::Particle => self.offset.set(node, self.offset.get(node) + shift),
                NodeKind::Body => {
                    self.body_offset.set(node, self.body_offset.get(node) + shift);
                    let turned = from_rotation_vector(rotate.xyz()) * self.rotation.get(node);
                    self.rotation.set(node, turned.normalize());
                }
            }
        }
    }

    /// Solves the constraints of one range in blocks, divided among the threads.
    fn blocks(
        &self,
        crew: &Crew<'_>,
        scratch: Disjoint<'_, Scratch>,
        compiled: &Compiled,
        data: &PassData<'_>,
        range: Range<usize>,
        output: Output<'_>,
    ) {
        crew.run(range.len().div_ceil(WIDE), |thread, blocks| {
            if blocks.is_empty() {
                return;
            }
            // SAFETY: every thread has its own scratch, which outlives the pass.
            let scratch = unsafe { &mut scratch.slice(thread..thread + 1)[0] };
            let start = range.start + blocks.start * WIDE;
            let end = range.end.min(range.start + blocks.end * WIDE);
            block::run(self, scratch, compiled, data, start..end, output);
        });
    }
}

/// Working memory that passes share, kept from frame to frame.
pub struct Memory {
    scratch: Vec<Scratch>,
    corrections: Vec<Vec4>,
}

impl Memory {
    /// Memory for this many threads.
    pub fn new(threads: usize) -> Self {
        Self { scratch: (0..threads).map(|_| Scratch::default()).collect(), corrections: Vec::new() }
    }
}
