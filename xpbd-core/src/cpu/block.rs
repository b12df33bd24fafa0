//! One block of constraints: gather into lanes, run the program, scatter.
#![expect(unsafe_code, reason = "a colour's constraints share no movable node, so threads write disjoint particles")]

pub(super) mod linearize;
pub(super) mod parameter_evolution;

use std::ops::Range;

use glam::{Mat4, Quat, Vec4};
use multiversion::multiversion;
use smallvec::SmallVec;

use super::compiled_program::{CompiledProgram, NodeRegisters};
use super::native::{NativeProgram, SHORT_LANES};
use super::nodes::NodeArrays;
use crate::connector::NodeKind;
use crate::parallel::DisjointSlice;
use crate::program::Operand;
use crate::program::interpret::{self, Lanes, NARROW_LANES, WIDE_LANES};
use crate::scalar::rotation::rotated_by;
use crate::scalar::{self, Single4};

/// The destination of the corrections of a block.
#[derive(Clone, Copy)]
pub enum Output<'a> {
    /// The nodes themselves, at once: for a colour.
    Nodes,
    /// A list of two vectors for each node slot of each constraint: for the remainder.
    Corrections {
        /// The list.
        list: DisjointSlice<'a, Vec4>,
        /// The slot that its first entries belong to.
        first: usize,
    },
}

/// The columns of a pass.
pub struct PassData<'a> {
    /// World index of each node slot.
    pub nodes: &'a [Vec<u32>],
    /// Numbers of each constraint.
    pub columns: &'a [Vec<f32>],
    /// Multipliers of each row.
    pub lambda: &'a [DisjointSlice<'a, f32>],
}

/// What the blocks of a range share.
#[derive(Clone, Copy)]
struct Blocks<'a> {
    compiled: &'a CompiledProgram,
    data: &'a PassData<'a>,
    output: Output<'a>,
}

/// Working memory of one thread.
#[derive(Default)]
pub struct ThreadScratch {
    wide: Vec<Lanes<WIDE_LANES>>,
    short: Vec<Lanes<SHORT_LANES>>,
    narrow: Vec<Lanes<NARROW_LANES>>,
}

/// Lanes that the interpreter takes at once from full blocks. WebAssembly is faster with few, which stay in the registers of
/// the processor.
const FULL_VECTOR: usize = if cfg!(target_arch = "wasm32") { 8 } else { 16 };
/// Lanes that it takes at once from the last part of a block.
const PART_VECTOR: usize = if cfg!(target_arch = "wasm32") { 8 } else { 32 };

/// Solves a range on one thread: full blocks, then what is left over.
pub fn run(
    nodes: &NodeArrays<'_>,
    scratch: &mut ThreadScratch,
    compiled: &CompiledProgram,
    data: &PassData<'_>,
    range: Range<usize>,
    output: Output<'_>,
) {
    let blocks = Blocks { compiled, data, output };
    match compiled.native() {
        Some(native) => run_native(nodes, scratch, native, blocks, range),
        None => {
            let ThreadScratch { wide, narrow, .. } = scratch;
            let run = (
                interpret::<_, FULL_VECTOR>(compiled),
                interpret::<_, PART_VECTOR>(compiled),
                interpret::<_, 8>(compiled),
            );
            nodes.run_range(wide, narrow, blocks, range, run);
        }
    }
}

/// Solves a range by machine code; nodes are gathered with vectors of the widest width that is available.
#[multiversion(targets("x86_64+avx+avx2+avx512f+avx512vl+avx512dq", "x86_64+avx+avx2"))]
fn run_native(
    nodes: &NodeArrays<'_>,
    ThreadScratch { wide, short, narrow }: &mut ThreadScratch,
    native: &NativeProgram,
    blocks: Blocks<'_>,
    range: Range<usize>,
) {
    if native.lanes() == SHORT_LANES {
        nodes.run_range(short, narrow, blocks, range, (by(native), by(native), by(native)));
    } else {
        nodes.run_range(wide, narrow, blocks, range, (by(native), by(native), by(native)));
    }
}

/// Fills the registers that all blocks share. Machine code has its constants in itself.
fn prepare<const L: usize>(registers: &mut Vec<Lanes<L>>, compiled: &CompiledProgram, uniforms: &[f32]) {
    if registers.len() < compiled.registers {
        registers.resize(compiled.registers, [0.0; L]);
    }
    if compiled.native().is_none() {
        for &(register, value) in &compiled.program.constants {
            registers[register as usize] = [value; L];
        }
    }
    for &(register, number) in &compiled.program.uniforms {
        registers[register as usize] = [uniforms[number as usize]; L];
    }
}

/// Returns what runs a program as machine code.
#[inline(always)]
fn by<const L: usize>(native: &NativeProgram) -> impl RunBlock<L> {
    #[inline(always)]
    |registers: &mut [Lanes<L>], columns: &[&Lanes<L>], count| native.run(registers, columns, count)
}

/// Returns what interprets a program, V lanes at a time.
#[inline(always)]
fn interpret<const L: usize, const V: usize>(compiled: &CompiledProgram) -> impl RunBlock<L> {
    #[inline(always)]
    |registers: &mut [Lanes<L>], columns: &[&Lanes<L>], count| {
        interpret::run::<L, V>(&compiled.program, registers, columns, count);
    }
}

/// What runs a program over the first lanes of a block.
trait RunBlock<const L: usize>: Fn(&mut [Lanes<L>], &[&Lanes<L>], usize) {}

impl<const L: usize, F: Fn(&mut [Lanes<L>], &[&Lanes<L>], usize)> RunBlock<L> for F {}

/// Factor that keeps the position of a vector whose fourth component is an inverse mass.
const XYZ: Vec4 = Vec4::new(1.0, 1.0, 1.0, 0.0);

impl NodeArrays<'_> {
    /// Solves a range, given how the program is run over full blocks, over the last part of one, and over narrow blocks.
    #[inline(always)]
    fn run_range<const L: usize>(
        &self,
        registers: &mut Vec<Lanes<L>>,
        narrow: &mut Vec<Lanes<NARROW_LANES>>,
        blocks: Blocks<'_>,
        range: Range<usize>,
        (full, part, few): (impl RunBlock<L>, impl RunBlock<L>, impl RunBlock<NARROW_LANES>),
    ) {
        let left = self.run_blocks::<L, true>(registers, blocks, range, L - 1, full);
        let left = self.run_blocks::<L, false>(registers, blocks, left, NARROW_LANES, part);
        self.run_blocks::<NARROW_LANES, true>(narrow, blocks, left, 0, few);
    }

    /// Solves blocks of L constraints while more than `least` are left, and returns the rest. With `FULL` all lanes run
    /// always.
    #[inline(always)]
    fn run_blocks<const L: usize, const FULL: bool>(
        &self,
        registers: &mut Vec<Lanes<L>>,
        blocks: Blocks<'_>,
        mut range: Range<usize>,
        least: usize,
        run: impl RunBlock<L>,
    ) -> Range<usize> {
        if range.len() > least {
            prepare(registers, blocks.compiled, &self.uniforms);
        }
        while range.len() > least {
            let count = L.min(range.len());
            self.block::<L, FULL>(registers, blocks, range.start, count, &run);
            range.start += count;
        }
        range
    }

    /// Solves up to L constraints that begin at a slot.
    #[inline(always)]
    fn block<const L: usize, const FULL: bool>(
        &self,
        registers: &mut [Lanes<L>],
        Blocks { compiled, data, output }: Blocks<'_>,
        slot: usize,
        count: usize,
        run: &impl RunBlock<L>,
    ) {
        let mut ids: SmallVec<[BlockIds<'_, L>; 4]> = SmallVec::new();
        for column in data.nodes {
            ids.push(BlockIds::new(column, slot, count));
        }
        if compiled.warm {
            for (&register, row) in compiled.lambda.iter().zip(data.lambda) {
                // SAFETY: the slots of a block are solved by one thread.
                let stored = unsafe { row.slice(slot..slot + count) };
                registers[register][..count].copy_from_slice(stored);
            }
        }
        // A number that the compiler knows makes loops without a branch.
        let lanes = if FULL { L } else { count };
        self.gather(registers, compiled, &ids, lanes);
        let mut free: SmallVec<[bool; 4]> = SmallVec::new();
        for node in &compiled.nodes {
            free.push(registers[node.inverse_mass][..count].iter().fold(true, |all, &w| all & (w > 0.0)));
        }
        let mut columns: SmallVec<[&Lanes<L>; 48]> = SmallVec::new();
        for column in data.columns {
            columns.push(lanes_at(column, slot));
        }
        run(registers, &columns, lanes);
        let read = |operand: Operand| match operand.resolve() {
            Ok(register) => &registers[register],
            Err(column) => columns[column],
        };
        for (row, &operand) in data.lambda.iter().zip(&compiled.program.outputs) {
            // SAFETY: the slots of a block are solved by one thread.
            let stored = unsafe { row.slice(slot..slot + count) };
            match stored.first_chunk_mut() {
                Some(all) => *all = *read(operand),
                None => stored.copy_from_slice(&read(operand)[..count]),
            }
        }
        for (k, node) in compiled.nodes.iter().enumerate() {
            let shift = three(node.shift, read);
            match output {
                Output::Nodes if node.kind == NodeKind::Body => {
                    let rotate = three(node.rotate, read);
                    self.scatter_bodies(compiled.rates, [shift, rotate], ids[k].get(), (count, free[k]));
                }
                Output::Nodes => {
                    let target = if compiled.rates { self.velocity } else { self.offset };
                    if free[k] {
                        scatter(target, shift, ids[k].get(), |_| true, count);
                    } else {
                        // SAFETY: the particle exists.
                        let movable = |id: usize| unsafe { self.anchor.get_unchecked(id).w > 0.0 };
                        scatter(target, shift, ids[k].get(), movable, count);
                    }
                }
                Output::Corrections { list, first } => {
                    let entry = |lane: usize| 2 * ((slot + lane - first) * compiled.nodes.len() + k);
                    let turn = (node.kind == NodeKind::Body).then(|| three(node.rotate, read));
                    for lane in 0..count {
                        // SAFETY: every constraint has its own entries.
                        unsafe {
                            list.set(entry(lane), vector(shift, lane));
                            list.set(entry(lane) + 1, turn.map_or(Vec4::ZERO, |turn| vector(turn, lane)));
                        }
                    }
                }
            }
        }
    }

    /// Fills the registers of the inputs for `count` lanes, one node slot after the other.
    #[inline(always)]
    fn gather<const L: usize>(
        &self,
        registers: &mut [Lanes<L>],
        compiled: &CompiledProgram,
        ids: &[BlockIds<'_, L>],
        count: usize,
    ) {
        let first = ids[0].get();
        let anchor = if compiled.nodes[0].kind == NodeKind::Body { self.body_anchor } else { self.anchor };
        // SAFETY: all nodes of the pass exist.
        let origin = |lane: usize| unsafe { *anchor.get_unchecked(first[lane] as usize) } * XYZ;
        if let Some(place) = compiled.origin {
            put(registers, count, place, origin);
        }
        for (node, ids) in compiled.nodes.iter().zip(ids) {
            match node.kind {
                NodeKind::Particle => self.gather_particles(registers, node, ids.get(), count, origin),
                NodeKind::Body => self.gather_bodies(registers, node, ids.get(), count, origin),
            }
        }
    }

    #[inline(always)]
    fn gather_particles<const L: usize>(
        &self,
        registers: &mut [Lanes<L>],
        node: &NodeRegisters,
        ids: &[u32; L],
        count: usize,
        origin: impl Fn(usize) -> Vec4,
    ) {
        let [x, y, z] = node.position;
        put(registers, count, [x, y, z, node.inverse_mass], |lane| {
            let id = ids[lane] as usize;
            // SAFETY: the particle exists; if it can move, only this thread writes it.
            unsafe { *self.anchor.get_unchecked(id) - origin(lane) + self.offset.get(id) }
        });
        if let Some(place) = node.previous_position {
            put(registers, count, place, |lane| {
                let id = ids[lane] as usize;
                // SAFETY: the particle exists.
                unsafe { *self.anchor.get_unchecked(id) - origin(lane) + *self.start.get_unchecked(id) }
            });
        }
        if let Some(place) = node.velocity {
            // SAFETY: the particle exists; if it can move, only this thread writes it.
            put(registers, count, place, |lane| unsafe { self.velocity.get(ids[lane] as usize) });
        }
    }

    #[inline(always)]
    fn gather_bodies<const L: usize>(
        &self,
        registers: &mut [Lanes<L>],
        node: &NodeRegisters,
        ids: &[u32; L],
        count: usize,
        origin: impl Fn(usize) -> Vec4,
    ) {
        let id = |lane: usize| ids[lane] as usize;
        // SAFETY: all nodes of the pass exist.
        let vector = |list: &[Vec4], lane: usize| unsafe { *list.get_unchecked(id(lane)) };
        let [x, y, z] = node.position;
        put(registers, count, [x, y, z, node.inverse_mass], |lane| {
            // SAFETY: the body exists; if it can move, only this thread writes it.
            vector(self.body_anchor, lane) - origin(lane) + unsafe { self.body_offset.get(id(lane)) }
        });
        // SAFETY: as above.
        put(registers, count, node.rotation, |lane| Vec4::from(unsafe { self.rotation.get(id(lane)) }));
        put(registers, count, node.inverse_inertia, |lane| vector(self.inverse_inertia, lane));
        if let Some(place) = node.previous_position {
            put(registers, count, place, |lane| {
                vector(self.body_anchor, lane) - origin(lane) + vector(self.body_start, lane)
            });
        }
        if let Some(place) = node.previous_rotation {
            // SAFETY: the body exists.
            put(registers, count, place, |lane| Vec4::from(unsafe { *self.start_rotation.get_unchecked(id(lane)) }));
        }
        if let Some(place) = node.velocity {
            // SAFETY: as above.
            put(registers, count, place, |lane| unsafe { self.body_velocity.get(id(lane)) });
        }
        if let Some(place) = node.angular_velocity {
            // SAFETY: as above.
            put(registers, count, place, |lane| unsafe { self.angular_velocity.get(id(lane)) });
        }
    }

    /// Moves and rotates bodies, or changes their velocities, four lanes at a time; `free` if all of them can move.
    #[inline(always)]
    fn scatter_bodies<const L: usize>(
        &self,
        rates: bool,
        [shift, rotate]: [[&Lanes<L>; 3]; 2],
        ids: &[u32; L],
        (count, free): (usize, bool),
    ) {
        for first in (0..count).step_by(4) {
            let turns = (!rates).then(|| self.rotated(rotate, ids, first));
            let (along, about) = (four_vectors(shift, first), four_vectors(rotate, first));
            for lane in 0..4.min(count - first) {
                let body = ids[first + lane] as usize;
                // SAFETY: the body exists, and within a colour no movable node is shared.
                unsafe {
                    if !free && self.body_anchor.get_unchecked(body).w == 0.0 {
                        continue;
                    }
                    match &turns {
                        _ if self.inverse_inertia.get_unchecked(body).w != 0.0 => {
                            self.shift(rates, NodeKind::Body, body, along[lane], about[lane]);
                        }
                        Some(turned) => self.place_body(body, along[lane], about[lane], turned[lane]),
                        None => self.change_velocities(body, along[lane], about[lane]),
                    }
                }
            }
        }
    }

    /// Returns the rotations of the bodies of four lanes, rotated further.
    #[inline(always)]
    fn rotated<const L: usize>(&self, by: [&Lanes<L>; 3], ids: &[u32; L], first: usize) -> [Quat; 4] {
        // SAFETY: the bodies exist; those that can move are written by this thread alone.
        let rotation = |k: usize| Vec4::from(unsafe { self.rotation.get(ids[first + k] as usize) });
        let components = Mat4::from_cols(rotation(0), rotation(1), rotation(2), rotation(3)).transpose();
        let four = |lanes: &Lanes<L>| Single4(Vec4::from_slice(&lanes[first..first + 4]));
        let [x, y, z] = three(by, four);
        let Mat4 { x_axis, y_axis, z_axis, w_axis } = components;
        let rotations = [Single4(x_axis), Single4(y_axis), Single4(z_axis), Single4(w_axis)];
        let [x, y, z, w] = rotated_by(rotations, scalar::Vec3 { x, y, z });
        let Mat4 { x_axis, y_axis, z_axis, w_axis } = Mat4::from_cols(x.0, y.0, z.0, w.0).transpose();
        [Quat::from_vec4(x_axis), Quat::from_vec4(y_axis), Quat::from_vec4(z_axis), Quat::from_vec4(w_axis)]
    }
}

/// Adds corrections to particles, four lanes at a time.
#[inline(always)]
fn scatter<const L: usize>(
    target: DisjointSlice<'_, Vec4>,
    vectors: [&Lanes<L>; 3],
    ids: &[u32; L],
    movable: impl Fn(usize) -> bool,
    count: usize,
) {
    let add = |id: u32, shift: Vec4| {
        let id = id as usize;
        if movable(id) {
            // SAFETY: the particle exists, and only this thread touches it.
            unsafe { target.set(id, target.get(id) + shift) };
        }
    };
    for lane in (0..L).step_by(4) {
        let shifts = four_vectors(vectors, lane);
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

/// Returns the numbers of a block, without copying them.
#[inline(always)]
fn lanes_at<const L: usize>(column: &[f32], slot: usize) -> &Lanes<L> {
    match column[slot..].first_chunk() {
        Some(lanes) => lanes,
        None => &[0.0; L],
    }
}

/// [`array::map`], which is not always inlined.
#[inline(always)]
fn three<T: Copy, U>([a, b, c]: [T; 3], f: impl Fn(T) -> U) -> [U; 3] {
    [f(a), f(b), f(c)]
}

/// Returns the vectors of four lanes.
#[inline(always)]
fn four_vectors<const L: usize>([x, y, z]: [&Lanes<L>; 3], first: usize) -> [Vec4; 4] {
    let four = |lanes: &Lanes<L>| Vec4::from_slice(&lanes[first..first + 4]);
    let Mat4 { x_axis, y_axis, z_axis, w_axis } = Mat4::from_cols(four(x), four(y), four(z), Vec4::ZERO).transpose();
    [x_axis, y_axis, z_axis, w_axis]
}

#[inline(always)]
fn vector<const L: usize>([x, y, z]: [&Lanes<L>; 3], lane: usize) -> Vec4 {
    Vec4::new(x[lane], y[lane], z[lane], 0.0)
}

/// The nodes in one slot of a block's constraints. Lanes without a constraint repeat the last one:
/// the nodes of other constraints may be written by other threads meanwhile.
enum BlockIds<'a, const L: usize> {
    Full(&'a [u32; L]),
    Part([u32; L]),
}

impl<'a, const L: usize> BlockIds<'a, L> {
    #[inline(always)]
    fn new(column: &'a [u32], slot: usize, count: usize) -> Self {
        match column[slot..].first_chunk() {
            Some(all) if count == L => Self::Full(all),
            _ => {
                let mut ids = [column[slot + count - 1]; L];
                ids[..count].copy_from_slice(&column[slot..slot + count]);
                Self::Part(ids)
            }
        }
    }

    #[inline(always)]
    fn get(&self) -> &[u32; L] {
        match self {
            Self::Full(ids) => ids,
            Self::Part(ids) => ids,
        }
    }
}

/// Writes a vector for each of `count` lanes into the registers of its components, four lanes at a time.
#[inline(always)]
pub(super) fn put<const L: usize, const C: usize>(
    registers: &mut [Lanes<L>],
    count: usize,
    place: [usize; C],
    vector: impl Fn(usize) -> Vec4,
) {
    let Ok(rows) = registers.get_disjoint_mut(place) else { return };
    for lane in (0..count.next_multiple_of(4).min(L)).step_by(4) {
        let turned = Mat4::from_cols(vector(lane), vector(lane + 1), vector(lane + 2), vector(lane + 3)).transpose();
        let turned = [turned.x_axis, turned.y_axis, turned.z_axis, turned.w_axis];
        for component in 0..C {
            rows[component][lane..lane + 4].copy_from_slice(&turned[component].to_array());
        }
    }
}
