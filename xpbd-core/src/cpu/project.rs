//! Solves one pass: gather a block of constraints into lanes, run the program, scatter.
#![expect(unsafe_code, reason = "a colour's constraints share no movable node, so threads write disjoint particles")]

use std::ops::Range;

use glam::{Mat4, Quat, Vec4, Vec4Swizzles};
use multiversion::multiversion;
use smallvec::SmallVec;

use super::disjoint::Disjoint;
use super::team::Crew;
use crate::bodies::{Bodies, from_rotation_vector};
use crate::connector::{Connectors, NodeKind};
use crate::constraint::ConstraintType;
use crate::constraint::update::{Layout, NodeInputs, Variant, solve_program, uniform};
use crate::particles::Particles;
use crate::program::interpret::{self, Lanes, NARROW, WIDE};
use crate::program::{Operand, Program};
use crate::schedule::{Gather, TracedPass};

/// A program with the registers that its inputs go to and its corrections come from.
pub struct Compiled {
    program: Program,
    nodes: Vec<NodeRegisters>,
    origin: Option<[usize; 3]>,
    /// Registers of the program, and one for each input that it does not read.
    registers: usize,
    /// Register of each row's multiplier.
    lambda: Vec<usize>,
    /// Whether the multipliers are read.
    warm: bool,
}

/// Registers of one node.
struct NodeRegisters {
    kind: NodeKind,
    now: [usize; 3],
    inverse_mass: usize,
    before: Option<[usize; 3]>,
    turn: [usize; 4],
    turn_before: Option<[usize; 4]>,
    inverse_inertia: [usize; 3],
    shift: [Operand; 3],
    rotate: [Operand; 3],
}

impl Compiled {
    /// Records and lowers the update of a constraint type.
    pub fn new(kind: &ConstraintType, connectors: &Connectors, variant: Variant) -> Self {
        let layout = Layout::new(kind, connectors);
        let program = solve_program(kind, connectors, variant);
        let sink = program.registers;
        let register = |input: u16| {
            let found = program.gathered.iter().find(|&&(_, gathered)| gathered == input);
            found.map_or(sink + input as usize, |&(register, _)| register as usize)
        };
        let sinks = layout.gathered;
        let some = |first: u16, count: u16| (first..first + count).any(|input| program.reads(input));
        let three = |first: u16| [0, 1, 2].map(|k| register(first + k));
        let four = |first: u16| [0, 1, 2, 3].map(|k| register(first + k));
        let mut outputs = program.outputs[kind.rows()..].chunks_exact(3).map(|three| [three[0], three[1], three[2]]);
        let mut next = || outputs.next().unwrap_or([Operand::register(sink as u16); 3]);
        let mut node = |(inputs, &kind): (&NodeInputs, &NodeKind)| {
            let shift = next();
            let body = kind == NodeKind::Body;
            NodeRegisters {
                kind,
                now: three(inputs.now),
                inverse_mass: register(inputs.inverse_mass),
                before: some(inputs.before, 3).then(|| three(inputs.before)),
                turn: if body { four(inputs.turn) } else { [sink; 4] },
                turn_before: (body && some(inputs.turn_before, 4)).then(|| four(inputs.turn_before)),
                inverse_inertia: if body { three(inputs.inverse_inertia) } else { [sink; 3] },
                shift,
                rotate: if body { next() } else { shift },
            }
        };
        let nodes = layout.nodes.iter().zip(connectors.nodes()).map(&mut node).collect();
        let origin = some(layout.origin, 3).then(|| three(layout.origin));
        let lambda = (0..kind.rows() as u16).map(|row| register(layout.lambda + row)).collect();
        Self { nodes, origin, lambda, warm: variant.warm, registers: sink + sinks, program }
    }

    /// The program itself.
    pub fn program(&self) -> &Program {
        &self.program
    }
}

/// The programs of a pass: for the first iteration of a substep and for the later ones, each for
/// the colours and for the remainder.
pub struct PassPrograms {
    colours: [Compiled; 2],
    remainder: [Compiled; 2],
}

impl PassPrograms {
    /// Compiles what a pass needs.
    pub fn new(pass: &TracedPass) -> Self {
        let compile = |warm, shared| {
            let variant = Variant { warm, shared, damped: pass.damped };
            Compiled::new(&pass.kind, &pass.connectors, variant)
        };
        Self {
            colours: [compile(false, false), compile(true, false)],
            remainder: [compile(false, true), compile(true, true)],
        }
    }
}

/// Working memory of one thread.
#[derive(Default)]
pub struct Scratch {
    wide: Vec<Lanes<WIDE>>,
    narrow: Vec<Lanes<NARROW>>,
}

/// The nodes of a world while passes are solved.
pub struct Nodes<'a> {
    anchor: &'a [Vec4],
    start: &'a [Vec4],
    offset: Disjoint<'a, Vec4>,
    body_anchor: &'a [Vec4],
    body_start: &'a [Vec4],
    body_offset: Disjoint<'a, Vec4>,
    rotation: Disjoint<'a, Quat>,
    start_rotation: &'a [Quat],
    inverse_inertia: &'a [Vec4],
    uniforms: [f32; uniform::COUNT],
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
        debug_assert!(self.has_nodes_of(pass), "the plan is out of date");
        let remainder = pass.remainder.clone();
        let TracedPass { nodes, columns, lambda, colours, gather, entries, connectors, .. } = pass;
        let lambda: Vec<Disjoint<'_, f32>> = lambda.iter_mut().map(|row| Disjoint::new(row)).collect();
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

    /// Whether every node that a pass names exists, which gathering and scattering rely on.
    fn has_nodes_of(&self, pass: &TracedPass) -> bool {
        pass.connectors.nodes().iter().zip(&pass.nodes).all(|(kind, column)| {
            let count = if *kind == NodeKind::Body { self.body_anchor.len() } else { self.anchor.len() };
            column[..pass.len()].iter().all(|&node| (node as usize) < count)
        })
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
    unsafe fn shift(&self, kind: NodeKind, node: usize, shift: Vec4, rotate: Vec4) {
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
            run(self, scratch, compiled, data, start..end, output);
        });
    }

    /// Solves a range on one thread: full blocks, then short ones.
    #[inline(always)]
    fn run(
        &self,
        scratch: &mut Scratch,
        compiled: &Compiled,
        data: &PassData<'_>,
        range: Range<usize>,
        output: Output<'_>,
    ) {
        let mut slot = range.start;
        // A tail worth more than half a full block is cheaper as one.
        let wide = |left: usize| left > WIDE / 2;
        if wide(range.len()) {
            prepare(&mut scratch.wide, compiled, &self.uniforms);
            while wide(range.end - slot) {
                let count = WIDE.min(range.end - slot);
                self.block::<WIDE, 16>(&mut scratch.wide, compiled, data, slot, count, output);
                slot += count;
            }
        }
        if slot < range.end {
            prepare(&mut scratch.narrow, compiled, &self.uniforms);
            while slot < range.end {
                let count = NARROW.min(range.end - slot);
                self.block::<NARROW, 8>(&mut scratch.narrow, compiled, data, slot, count, output);
                slot += count;
            }
        }
    }

    #[inline(always)]
    fn block<const L: usize, const V: usize>(
        &self,
        registers: &mut [Lanes<L>],
        compiled: &Compiled,
        data: &PassData<'_>,
        slot: usize,
        count: usize,
        output: Output<'_>,
    ) {
        self.gather(registers, compiled, data, slot, count);
        let mut free = [false; MOST_NODES];
        for (free, node) in free.iter_mut().zip(&compiled.nodes) {
            *free = registers[node.inverse_mass].iter().fold(true, |all, &w| all & (w > 0.0));
        }
        let columns: SmallVec<[&Lanes<L>; 24]> = data.columns.iter().map(|column| lanes_at(column, slot)).collect();
        interpret::run::<L, V>(&compiled.program, registers, &columns);
        for (row, operand) in compiled.program.outputs[..data.lambda.len()].iter().enumerate() {
            let lanes = read(registers, &columns, *operand);
            // SAFETY: the slots of a block are solved by one thread.
            let stored = unsafe { data.lambda[row].slice(slot..slot + count) };
            stored.copy_from_slice(&lanes[..count]);
        }
        for (k, node) in compiled.nodes.iter().enumerate() {
            let lanes = node.shift.map(|operand| read(registers, &columns, operand));
            let turns = node.rotate.map(|operand| read(registers, &columns, operand));
            match (output, node.kind) {
                (Output::Nodes, NodeKind::Particle) => {
                    let ids = ids_at(&data.nodes[k], slot);
                    if count == L && free.get(k) == Some(&true) {
                        self.scatter(lanes, ids, |_| true, count);
                    } else {
                        // SAFETY: the particle exists.
                        self.scatter(lanes, ids, |id| unsafe { self.anchor.get_unchecked(id).w > 0.0 }, count);
                    }
                }
                (Output::Nodes, NodeKind::Body) => {
                    for lane in 0..count {
                        let body = data.nodes[k][slot + lane] as usize;
                        if self.body_anchor[body].w > 0.0 {
                            // SAFETY: within a colour no movable node is shared.
                            unsafe { self.shift(node.kind, body, vector(lanes, lane), vector(turns, lane)) };
                        }
                    }
                }
                (Output::Corrections { list, first }, kind) => {
                    for lane in 0..count {
                        let entry = 2 * ((slot + lane - first) * compiled.nodes.len() + k);
                        let turn = if kind == NodeKind::Body { vector(turns, lane) } else { Vec4::ZERO };
                        // SAFETY: every constraint has its own entries.
                        unsafe {
                            list.set(entry, vector(lanes, lane));
                            list.set(entry + 1, turn);
                        }
                    }
                }
            }
        }
    }

    /// Fills the registers of the inputs, one node slot after the other.
    #[inline(always)]
    fn gather<const L: usize>(
        &self,
        registers: &mut [Lanes<L>],
        compiled: &Compiled,
        data: &PassData<'_>,
        slot: usize,
        count: usize,
    ) {
        if compiled.warm {
            for (&register, row) in compiled.lambda.iter().zip(data.lambda) {
                // SAFETY: the slots of a block are solved by one thread.
                let stored = unsafe { row.slice(slot..slot + count) };
                registers[register][..count].copy_from_slice(stored);
            }
        }
        let first = ids_at::<L>(&data.nodes[0], slot);
        let anchor = if compiled.nodes[0].kind == NodeKind::Body { self.body_anchor } else { self.anchor };
        // SAFETY: all nodes of the pass exist.
        let origin = |lane: usize| unsafe { *anchor.get_unchecked(first[lane] as usize) } * XYZ;
        if let Some(place) = compiled.origin {
            put(registers, place, origin);
        }
        for (node, column) in compiled.nodes.iter().zip(data.nodes) {
            let ids = ids_at::<L>(column, slot);
            match node.kind {
                NodeKind::Particle => self.gather_particles(registers, node, ids, origin),
                NodeKind::Body => self.gather_bodies(registers, node, ids, origin),
            }
        }
    }

    #[inline(always)]
    fn gather_particles<const L: usize>(
        &self,
        registers: &mut [Lanes<L>],
        node: &NodeRegisters,
        ids: &[u32; L],
        origin: impl Fn(usize) -> Vec4,
    ) {
        let [x, y, z] = node.now;
        put(registers, [x, y, z, node.inverse_mass], |lane| {
            let id = ids[lane] as usize;
            // SAFETY: the particle exists; if it can move, only this thread writes it.
            unsafe { *self.anchor.get_unchecked(id) - origin(lane) + self.offset.get(id) }
        });
        if let Some(place) = node.before {
            put(registers, place, |lane| {
                let id = ids[lane] as usize;
                // SAFETY: the particle exists.
                unsafe { *self.anchor.get_unchecked(id) - origin(lane) + *self.start.get_unchecked(id) }
            });
        }
    }

    fn gather_bodies<const L: usize>(
        &self,
        registers: &mut [Lanes<L>],
        node: &NodeRegisters,
        ids: &[u32; L],
        origin: impl Fn(usize) -> Vec4,
    ) {
        let id = |lane: usize| ids[lane] as usize;
        let [x, y, z] = node.now;
        put(registers, [x, y, z, node.inverse_mass], |lane| {
            // SAFETY: the body exists; if it can move, only this thread writes it.
            self.body_anchor[id(lane)] - origin(lane) + unsafe { self.body_offset.get(id(lane)) }
        });
        // SAFETY: as above.
        put(registers, node.turn, |lane| Vec4::from(unsafe { self.rotation.get(id(lane)) }));
        put(registers, node.inverse_inertia, |lane| self.inverse_inertia[id(lane)]);
        if let Some(place) = node.before {
            put(registers, place, |lane| self.body_anchor[id(lane)] - origin(lane) + self.body_start[id(lane)]);
        }
        if let Some(place) = node.turn_before {
            put(registers, place, |lane| Vec4::from(self.start_rotation[id(lane)]));
        }
    }

    /// Adds corrections to particles, four lanes at a time.
    #[inline(always)]
    fn scatter<const L: usize>(
        &self,
        [x, y, z]: [&Lanes<L>; 3],
        ids: &[u32; L],
        movable: impl Fn(usize) -> bool,
        count: usize,
    ) {
        let add = |id: u32, shift: Vec4| {
            let id = id as usize;
            if movable(id) {
                // SAFETY: the particle exists, and only this thread touches it.
                unsafe { self.offset.set(id, self.offset.get(id) + shift) };
            }
        };
        for lane in (0..L).step_by(4) {
            let four = |lanes: &Lanes<L>| Vec4::new(lanes[lane], lanes[lane + 1], lanes[lane + 2], lanes[lane + 3]);
            let turned = Mat4::from_cols(four(x), four(y), four(z), Vec4::ZERO).transpose();
            let shifts = [turned.x_axis, turned.y_axis, turned.z_axis, turned.w_axis];
            if lane + 4 <= count {
                for k in 0..4 {
                    add(ids[lane + k], shifts[k]);
                }
            } else {
                for k in 0..count.saturating_sub(lane) {
                    add(ids[lane + k], shifts[k]);
                }
                return;
            }
        }
    }
}

/// [`Nodes::run`], compiled for wider and wider vectors and chosen when it is called.
#[multiversion(targets("x86_64+avx+avx2+avx512f+avx512vl+avx512dq", "x86_64+avx+avx2"))]
fn run(
    nodes: &Nodes<'_>,
    scratch: &mut Scratch,
    compiled: &Compiled,
    data: &PassData<'_>,
    range: Range<usize>,
    output: Output<'_>,
) {
    nodes.run(scratch, compiled, data, range, output);
}

/// Fills the registers that all blocks share.
fn prepare<const L: usize>(registers: &mut Vec<Lanes<L>>, compiled: &Compiled, uniforms: &[f32]) {
    if registers.len() < compiled.registers {
        registers.resize(compiled.registers, [0.0; L]);
    }
    for &(register, value) in &compiled.program.constants {
        registers[register as usize] = [value; L];
    }
    for &(register, number) in &compiled.program.uniforms {
        registers[register as usize] = [uniforms[number as usize]; L];
    }
}

/// Node slots of a constraint whose blocks are checked for being free of pins.
const MOST_NODES: usize = 8;

/// Keeps the position of a vector whose fourth component is an inverse mass.
const XYZ: Vec4 = Vec4::new(1.0, 1.0, 1.0, 0.0);

/// Where the corrections of a block go.
#[derive(Clone, Copy)]
enum Output<'a> {
    /// To the nodes at once: a colour.
    Nodes,
    /// Into a list, two vectors for each node slot of each constraint: the remainder.
    Corrections { list: Disjoint<'a, Vec4>, first: usize },
}

struct PassData<'a> {
    nodes: &'a [Vec<u32>],
    columns: &'a [Vec<f32>],
    lambda: &'a [Disjoint<'a, f32>],
}

/// The numbers of a block, without copying them.
#[inline(always)]
fn lanes_at<const L: usize>(column: &[f32], slot: usize) -> &Lanes<L> {
    match column[slot..].first_chunk() {
        Some(lanes) => lanes,
        None => &[0.0; L],
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

#[inline(always)]
fn read<'a, const L: usize>(registers: &'a [Lanes<L>], columns: &[&'a Lanes<L>], operand: Operand) -> &'a Lanes<L> {
    match operand.resolve() {
        Ok(register) => &registers[register],
        Err(column) => columns[column],
    }
}

#[inline(always)]
fn vector<const L: usize>([x, y, z]: [&Lanes<L>; 3], lane: usize) -> Vec4 {
    Vec4::new(x[lane], y[lane], z[lane], 0.0)
}

/// The nodes of a block.
#[inline(always)]
fn ids_at<const L: usize>(column: &[u32], slot: usize) -> &[u32; L] {
    column[slot..].first_chunk().unwrap_or(&[0; L])
}

/// Writes a vector for each lane into the registers of its components, four lanes at a time.
#[inline(always)]
fn put<const L: usize, const C: usize>(registers: &mut [Lanes<L>], place: [usize; C], vector: impl Fn(usize) -> Vec4) {
    let Ok(rows) = registers.get_disjoint_mut(place) else { return };
    for lane in (0..L).step_by(4) {
        let turned = Mat4::from_cols(vector(lane), vector(lane + 1), vector(lane + 2), vector(lane + 3)).transpose();
        let turned = [turned.x_axis, turned.y_axis, turned.z_axis, turned.w_axis];
        for component in 0..C {
            rows[component][lane..lane + 4].copy_from_slice(&turned[component].to_array());
        }
    }
}
