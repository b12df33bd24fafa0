//! Direct solves: the constraints of each component at once, as listed by the [plan](crate::schedule::direct).
#![expect(unsafe_code, reason = "components share no movable node and no constraint, so threads write disjoint data")]

mod assembly;
mod bounds;
mod elimination;
mod held_particles;
mod lanes;
mod mass;
mod recorded;
mod velocities;

use std::sync::Arc;

use glam::{Quat, Vec4};
use multiversion::multiversion;
use smallvec::SmallVec;

use super::block::linearize::{LinearizationScratch, Outputs};
use super::compiled_program::{LinearizationProgram, PassPrograms};
use super::nodes::NodeArrays;
use crate::connector::NodeKind;
use crate::constraint::update::linearization::Linearization;
use crate::parallel::{DisjointSlice, WorkerScope};
use crate::program::interpret::Lanes;
use crate::scalar::rotation::rotated_by;
use crate::scalar::{self, Single4};
use crate::schedule::direct::{
    ConstraintBlock, DirectSystem, Group, LANES, LARGEST_ROTATION, NodeBlock, SMALL_ROTATION, Structure, row_of_axis,
};
use crate::schedule::{Pass, Plan};
use bounds::BoundedRow;
use held_particles::HeldParticles;
use lanes::{Wide, three};
use recorded::{RecordedElimination, RecordedEliminations};

/// Greatest number of components of a group that are solved one by one: more take less time together with the others.
const FEW: usize = 2;

/// Working memory of direct solves, kept from substep to substep.
pub struct DirectSolver {
    threads: Vec<Workspace>,
    /// The place at which the last solution has left each node: offset, and correction of the rotation of a body.
    settled: Vec<[Vec4; 2]>,
    /// Velocity and angular velocity of each node before contacts change them.
    velocities: Vec<[Vec4; 2]>,
    held: HeldParticles,
    recorded: RecordedEliminations,
}

/// The purpose of a direct solve: where it begins, and what it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// Positions, from predicted ones: the solution replaces the multipliers.
    Predicted,
    /// Positions, of components that something has moved since their last solution, which adds to the multipliers.
    Moved,
    /// Positions, of components that friction drags, which adds to the multipliers.
    Friction,
    /// Velocities, of components in which contacts have changed them since they were kept.
    Velocities,
}

/// Working memory of one thread.
#[derive(Default)]
struct Workspace {
    /// Memory for the linearizations of each direct pass: of one block of constraints after another where an elimination is
    /// recorded, otherwise of one block.
    linearizations: Vec<Vec<LinearizationScratch>>,
    single: SystemNumbers<1>,
    wide: SystemNumbers<LANES>,
}

/// The numbers of the systems of a group.
struct SystemNumbers<const L: usize> {
    /// Numbers of all blocks.
    numbers: Vec<Wide<L>>,
    /// Right-hand sides, and at the end the solutions.
    right: Vec<Wide<L>>,
    /// The least pivot of each row.
    least: Vec<Wide<L>>,
    /// Changes of the velocities of each node, along and about its axes.
    changes: Vec<[Wide<L>; 6]>,
    /// The axes along and about which each node is free, as bits.
    free: Vec<[u8; L]>,
    /// True if every node is free along and about all axes of its block.
    is_free: bool,
    /// The rows with bounds.
    bounded: Vec<[BoundedRow; L]>,
    /// The components of which a solution has been refused.
    is_refused: [bool; L],
    /// Memory of a recorded elimination.
    registers: Vec<Lanes<L>>,
}

impl<const L: usize> Default for SystemNumbers<L> {
    fn default() -> Self {
        Self {
            numbers: Vec::new(),
            right: Vec::new(),
            least: Vec::new(),
            changes: Vec::new(),
            free: Vec::new(),
            is_free: false,
            bounded: Vec::new(),
            is_refused: [false; L],
            registers: Vec::new(),
        }
    }
}

impl SystemNumbers<1> {
    /// Takes over how far the component in a lane has been solved.
    fn take_over<const L: usize>(&mut self, wide: &SystemNumbers<L>, lane: usize) {
        self.bounded.clear();
        self.bounded.extend(wide.bounded.iter().map(|row| [row[lane]]));
        self.is_refused = [wide.is_refused[lane]];
        self.changes.clear();
        self.changes.extend(wide.changes.iter().map(|changes| changes.map(|change| Wide([change.0[lane]]))));
    }
}

/// The progress of the solution of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// It is to be solved from its predicted positions.
    Open,
    /// It has been solved, and is to be solved again from where that or something else has moved it.
    Rough,
    /// It is solved.
    Done,
}

/// A direct pass while its constraints are solved.
struct DirectPass<'a> {
    linear: &'a Linearization,
    program: &'a LinearizationProgram,
    nodes: &'a [Vec<u32>],
    columns: &'a [Vec<f32>],
    lambda: SmallVec<[DisjointSlice<'a, f32>; 8]>,
    /// Rows that are not solved directly.
    swept: SmallVec<[usize; 4]>,
}

/// The place of the linearization of a constraint.
#[derive(Debug, Clone, Copy)]
struct Linearized {
    /// Number of the pass.
    pass: usize,
    /// Its part of what is kept of the pass.
    block: usize,
    /// The lane of the first component.
    first: usize,
}

impl Linearized {
    /// Returns the outputs that the place is among.
    #[inline(always)]
    fn outputs<'a>(self, linearizations: &'a [Vec<LinearizationScratch>], passes: &'a [DirectPass<'_>]) -> Outputs<'a> {
        linearizations[self.pass][self.block].outputs(passes[self.pass].program)
    }
}

impl DirectSolver {
    /// Creates memory for this many threads.
    pub fn new(threads: usize) -> Self {
        Self {
            threads: (0..threads).map(|_| Workspace::default()).collect(),
            settled: Vec::new(),
            velocities: Vec::new(),
            held: HeldParticles::default(),
            recorded: RecordedEliminations::default(),
        }
    }

    /// Begins a frame of a plan.
    pub fn begin_frame(&mut self, plan: &Plan) {
        self.recorded.take(plan);
        self.held.forget();
    }

    /// Returns the particles that colliders hold.
    pub fn held_mut(&mut self) -> &mut HeldParticles {
        &mut self.held
    }

    /// Solves all systems of a plan.
    pub fn solve(
        &mut self,
        workers: &WorkerScope<'_>,
        nodes: &NodeArrays<'_>,
        plan: &mut Plan,
        programs: &[Option<Arc<PassPrograms>>],
        aim: Aim,
    ) {
        let Plan { passes, direct } = plan;
        let passes = direct_passes(passes, programs);
        self.settled.resize(direct.nodes.len(), [Vec4::NAN; 2]);
        for Workspace { linearizations, .. } in &mut self.threads {
            linearizations.resize_with(passes.len().max(linearizations.len()), Vec::new);
            for (number, (blocks, pass)) in linearizations.iter_mut().zip(&passes).enumerate() {
                blocks.resize_with(self.recorded.blocks(number), LinearizationScratch::default);
                blocks.iter_mut().for_each(|block| block.prepare(nodes, pass.program, pass.columns.len()));
            }
        }
        let (settled, velocities, recorded) = (DisjointSlice::new(&mut self.settled), &self.velocities, &self.recorded);
        let holds = matches!(aim, Aim::Moved | Aim::Friction) && !self.held.is_empty();
        let HeldParticles { normals, loads, tractions, .. } = &mut self.held;
        let held = holds.then_some(&normals[..]);
        let (loads, tractions) = (DisjointSlice::new(loads), &tractions[..]);
        let threads = DisjointSlice::new(&mut self.threads);
        workers.run(direct.groups.len(), |thread, range| {
            // SAFETY: every thread has its own memory.
            let workspace = unsafe { &mut threads.slice(thread..thread + 1)[0] };
            for group in &direct.groups[range] {
                let context = Context {
                    nodes,
                    passes: &passes,
                    direct,
                    recorded,
                    settled,
                    velocities,
                    held,
                    loads,
                    tractions,
                    aim,
                };
                // SAFETY: every group belongs to one thread.
                unsafe { solve_group(&context, group, workspace) };
            }
        });
    }
}

/// Returns the direct passes of a plan.
fn direct_passes<'a>(passes: &'a mut [Pass], programs: &'a [Option<Arc<PassPrograms>>]) -> Vec<DirectPass<'a>> {
    let direct = |(pass, programs): (&'a mut Pass, &'a Option<Arc<PassPrograms>>)| {
        let (Pass::Traced(pass), Some(programs)) = (pass, programs) else { return None };
        let pass = &mut **pass;
        let (linear, program) = (pass.linearization.as_deref()?, programs.linearization.as_ref()?);
        let swept = (0..pass.lambda.len()).filter(|row| !linear.rows.contains(row)).collect();
        let lambda = pass.lambda.iter_mut().map(|row| DisjointSlice::new(row)).collect();
        Some(DirectPass { linear, program, nodes: &pass.nodes, columns: &pass.columns, lambda, swept })
    };
    passes.iter_mut().zip(programs).filter_map(direct).collect()
}

/// The data that all groups are solved with.
struct Context<'a, 'n, 'p> {
    nodes: &'a NodeArrays<'n>,
    passes: &'a [DirectPass<'p>],
    direct: &'a DirectSystem,
    recorded: &'a RecordedEliminations,
    settled: DisjointSlice<'a, [Vec4; 2]>,
    velocities: &'a [[Vec4; 2]],
    /// The sum of the normals along which colliders hold each particle; none if none is held.
    held: Option<&'a [Vec4]>,
    /// The loads of held particles; see [`HeldParticles`].
    loads: DisjointSlice<'a, Vec4>,
    /// The tractions of particles.
    tractions: &'a [Vec4],
    aim: Aim,
}

/// The components of a group that are to be solved.
#[derive(Debug, Clone, Copy)]
struct Unsolved<const L: usize> {
    /// The progress of each component.
    progress: [Progress; L],
    /// Number of rounds that are left for them.
    rounds: usize,
}

/// Solves the systems of a group.
///
/// # Safety
/// No other thread touches the nodes and the constraints of the group.
#[multiversion(targets("x86_64+avx+avx2+avx512f+avx512vl", "x86_64+avx+avx2"))]
unsafe fn solve_group(context: &Context<'_, '_, '_>, group: &Group, workspace: &mut Workspace) {
    let Workspace { linearizations, single, wide } = workspace;
    let structure = &context.direct.structures[group.structure as usize];
    // SAFETY: passed on to the caller.
    unsafe {
        let mut left: SmallVec<[(usize, Unsolved<1>); LANES]> = SmallVec::new();
        if group.lanes == 1 {
            let mut one = Solve { context, group, first_lane: 0, structure, linearizations, system: single };
            left.push((0, one.begin()));
        } else {
            let mut all = Solve { context, group, first_lane: 0, structure, linearizations, system: wide };
            let begun = all.begin();
            let Unsolved { progress, rounds } = all.solve(begun);
            let open = progress.into_iter().enumerate().filter(|(_, progress)| *progress != Progress::Done);
            left.extend(open.map(|(lane, progress)| (lane, Unsolved { progress: [progress], rounds })));
        }
        for (lane, unsolved) in left {
            if group.lanes > 1 {
                single.take_over(wide, lane);
            }
            Solve { context, group, first_lane: lane, structure, linearizations, system: single }.solve(unsolved);
        }
    }
}

/// The solution of L components of a group at once.
struct Solve<'a, 'n, 'p, const L: usize> {
    context: &'a Context<'a, 'n, 'p>,
    group: &'a Group,
    /// The lane of the group in which the first of the components is.
    first_lane: usize,
    structure: &'a Structure,
    linearizations: &'a mut [Vec<LinearizationScratch>],
    system: &'a mut SystemNumbers<L>,
}

impl<'a, const L: usize> Solve<'a, '_, '_, L> {
    /// Returns which components have to be solved for what is aimed at.
    ///
    /// # Safety
    /// No other thread touches the nodes and the constraints of the group.
    #[inline(always)]
    unsafe fn begin(&mut self) -> Unsolved<L> {
        self.forget_bounded_rows();
        let direct = self.context.direct;
        // SAFETY: passed on to the caller.
        unsafe {
            if self.context.aim == Aim::Velocities {
                let progress = self.take_changes().map(|is_open| if is_open { Progress::Open } else { Progress::Done });
                return Unsolved { progress, rounds: 1 + direct.repeats_of_velocities() };
            }
            let aim = self.context.aim;
            let mut progress = [Progress::Done; L];
            for (lane, progress) in progress.iter_mut().enumerate().take(self.group.count as usize) {
                *progress = match aim {
                    Aim::Moved if self.has_moved(lane) => Progress::Rough,
                    Aim::Friction if self.is_dragged(lane) => Progress::Rough,
                    Aim::Moved | Aim::Friction => Progress::Done,
                    Aim::Predicted | Aim::Velocities => Progress::Open,
                };
            }
            let repeats = if aim == Aim::Friction { 0 } else { direct.repeats(aim == Aim::Moved) };
            Unsolved { progress, rounds: 1 + repeats }
        }
    }

    /// Solves the systems and moves the nodes, or changes their velocities, unless a body would rotate too far or a multiplier
    /// is not admissible, over and over until all are solved. Returns what is left: few of many, which take less time one by one.
    ///
    /// # Safety
    /// The same as for [`Solve::begin`].
    #[inline(always)]
    unsafe fn solve(&mut self, Unsolved { mut progress, rounds }: Unsolved<L>) -> Unsolved<L> {
        let of_velocities = self.context.aim == Aim::Velocities;
        for round in (0..rounds).rev() {
            let open = progress.iter().filter(|progress| **progress != Progress::Done).count();
            if open == 0 || L > 1 && open <= FEW {
                return Unsolved { progress, rounds: round + 1 };
            }
            let warm = progress.map(|progress| progress == Progress::Rough);
            // SAFETY: passed on to the caller.
            unsafe {
                self.assemble(warm);
                self.eliminate();
                let mut accepted = [false; L];
                for (lane, progress) in progress.iter_mut().enumerate().filter(|(_, state)| **state != Progress::Done) {
                    if round > 0 && self.refuses(lane, warm[lane] || of_velocities) {
                        continue;
                    }
                    accepted[lane] = of_velocities || self.can_move(lane);
                    if of_velocities || !accepted[lane] {
                        *progress = Progress::Done;
                    }
                }
                if of_velocities {
                    self.add_impulses(accepted);
                    self.change_velocities(accepted);
                } else {
                    self.set_multipliers(accepted, warm);
                    let mut moves = accepted;
                    for lane in (0..L).filter(|&lane| accepted[lane]) {
                        (progress[lane], moves[lane]) = self.progress(lane, warm[lane], round == 0);
                    }
                    self.move_nodes(moves);
                }
            }
        }
        Unsolved { progress: [Progress::Done; L], rounds: 0 }
    }

    /// Returns the elimination of the structure, if it is recorded and several components are solved at once.
    #[inline(always)]
    fn recorded(&self) -> Option<&'a RecordedElimination> {
        if L > 1 { self.context.recorded.get(self.group.structure as usize) } else { None }
    }

    /// Solves the systems: their right-hand sides become the solutions.
    #[inline(always)]
    fn eliminate(&mut self) {
        let recorded = self.recorded();
        let system = &mut *self.system;
        match recorded.filter(|_| system.is_free) {
            Some(recorded) => recorded.solve(system, self.context.passes, self.linearizations),
            None => elimination::solve(self.structure, &mut system.numbers, &mut system.right, &system.least),
        }
    }

    /// Returns whether any node of a component can move.
    fn can_move(&self, lane: usize) -> bool {
        self.system.free.iter().any(|free| free[lane] != 0)
    }

    /// Returns the progress of a component whose multipliers have been taken, and whether its nodes are to be moved.
    #[inline(always)]
    fn progress(&self, lane: usize, warm: bool, last: bool) -> (Progress, bool) {
        let square = self.largest_rotation_squared(lane);
        if !warm && !last && square > LARGEST_ROTATION * LARGEST_ROTATION {
            return (Progress::Open, false);
        }
        (if square > SMALL_ROTATION * SMALL_ROTATION { Progress::Rough } else { Progress::Done }, true)
    }

    /// Returns the place of a node of the structure in the lists of the plan.
    fn place(&self, node: usize, lane: usize) -> usize {
        self.group.first_node as usize + self.of_group(node, lane)
    }

    /// Returns the place of what stands at `number` in the structure among that of all lanes of the group.
    #[inline(always)]
    fn of_group(&self, number: usize, lane: usize) -> usize {
        number * self.group.lanes as usize + self.first_lane + lane
    }

    /// Returns the slot of a constraint of the structure.
    #[inline(always)]
    fn slot(&self, constraint: usize, lane: usize) -> u32 {
        self.context.direct.slots[self.group.first_slot as usize + self.of_group(constraint, lane)]
    }

    /// Returns the world index of a node.
    fn node(&self, node: usize, lane: usize) -> usize {
        self.context.direct.nodes[self.place(node, lane)] as usize
    }

    /// Returns whether anything has moved a component since its last solution.
    ///
    /// # Safety
    /// The same as for [`Solve::begin`].
    unsafe fn has_moved(&self, lane: usize) -> bool {
        let nodes = self.structure.nodes.iter().enumerate();
        nodes.into_iter().any(|(k, node)| {
            // SAFETY: passed on to the caller.
            unsafe { self.pose(node, self.node(k, lane)) != self.context.settled.get(self.place(k, lane)) }
        })
    }

    /// Returns whether friction drags any particle of a component.
    fn is_dragged(&self, lane: usize) -> bool {
        let nodes = self.structure.nodes.iter().enumerate();
        nodes.into_iter().any(|(k, node)| {
            node.kind == NodeKind::Particle && self.context.tractions[self.node(k, lane)] != Vec4::ZERO
        })
    }

    /// Returns the offset of a node \[m\], and how far constraints have rotated it \[rad\].
    ///
    /// # Safety
    /// The same as for [`Solve::begin`].
    unsafe fn pose(&self, node: &NodeBlock, index: usize) -> [Vec4; 2] {
        let nodes = self.context.nodes;
        // SAFETY: passed on to the caller.
        unsafe {
            match node.kind {
                NodeKind::Particle => [nodes.offset.get(index), Vec4::ZERO],
                NodeKind::Body => [nodes.body_offset.get(index), nodes.rotation_correction.get(index)],
            }
        }
    }

    /// Takes the multipliers of some of the components from the solution; rows that are not solved directly begin with none.
    ///
    /// # Safety
    /// The same as for [`Solve::begin`].
    #[inline(always)]
    unsafe fn set_multipliers(&self, are_taken: [bool; L], warm: [bool; L]) {
        for (number, range) in &self.structure.passes {
            let pass = &self.context.passes[*number];
            for k in range.clone() {
                let slots: [usize; L] = std::array::from_fn(|lane| self.slot(k, lane) as usize);
                let ConstraintBlock { block, first_bounded, .. } = self.structure.constraints[k];
                let first_row = self.structure.blocks[block as usize].row as usize;
                let taken = || (0..L).filter(|&lane| are_taken[lane]);
                for (a, &row) in pass.linear.rows.iter().enumerate() {
                    let (lambda, change) = (&pass.lambda[row], self.system.right[first_row + a]);
                    let bounded = a.checked_sub(pass.linear.equations);
                    let bounded = bounded.map(|k| &self.system.bounded[first_bounded as usize + k]);
                    for lane in taken() {
                        // SAFETY: passed on to the caller.
                        unsafe {
                            let before = if warm[lane] { lambda.get(slots[lane]) } else { 0.0 };
                            let after = before - change.0[lane];
                            lambda.set(slots[lane], bounded.map_or(after, |bounded| bounded[lane].nearest(after)));
                        }
                    }
                }
                for lane in taken().filter(|&lane| !warm[lane]) {
                    // SAFETY: passed on to the caller.
                    unsafe { pass.swept.iter().for_each(|&row| pass.lambda[row].set(slots[lane], 0.0)) };
                }
            }
        }
    }

    /// Returns the square of the largest rotation of a body \[rad²\] by the solution.
    #[inline(always)]
    fn largest_rotation_squared(&self, lane: usize) -> f32 {
        let bodies = self.structure.nodes.iter().filter(|node| node.kind == NodeKind::Body);
        let square = |node: &NodeBlock| {
            let [x, y, z] = self.motion(node, 3);
            let [x, y, z] = [x.0[lane], y.0[lane], z.0[lane]];
            x * x + y * y + z * z
        };
        bodies.map(square).fold(0.0, f32::max)
    }

    /// Returns the part of the solution along or about three axes of a node.
    #[inline(always)]
    fn motion(&self, node: &NodeBlock, first_axis: u8) -> [Wide<L>; 3] {
        let block = &self.structure.blocks[node.block as usize];
        match row_of_axis(node, block.size, first_axis) {
            Some(row) => three(|k| self.system.right[block.row as usize + row + k]),
            None => [Wide::ZERO; 3],
        }
    }

    /// Moves the nodes of some of the components by the solution.
    ///
    /// # Safety
    /// The same as for [`Solve::begin`].
    #[inline(always)]
    unsafe fn move_nodes(&self, moves: [bool; L]) {
        let nodes = self.context.nodes;
        for (k, node) in self.structure.nodes.iter().enumerate() {
            let (along, about) = (self.motion(node, 0), self.motion(node, 3));
            let ids: [usize; L] = std::array::from_fn(|lane| self.node(k, lane));
            // SAFETY: passed on to the caller.
            unsafe {
                let rotations = self.rotated(node, ids, about);
                for lane in (0..L).filter(|&lane| moves[lane]) {
                    let vector = |of: [Wide<L>; 3]| Vec4::new(of[0].0[lane], of[1].0[lane], of[2].0[lane], 0.0);
                    match self.system.free[k][lane] {
                        0 => {}
                        0b11_1111 | 0b11_1000 => {
                            nodes.place_body(ids[lane], vector(along), vector(about), rotations[lane])
                        }
                        _ => nodes.shift(false, node.kind, ids[lane], vector(along), vector(about)),
                    }
                    if let Some(held) = self.context.held.filter(|_| node.kind == NodeKind::Particle) {
                        let (n, moved) = (held[ids[lane]], vector(along));
                        let way = n.x * moved.x + n.y * moved.y + n.z * moved.z;
                        let mut load = self.context.loads.get(ids[lane]);
                        load.x += way;
                        load.y += if self.context.aim == Aim::Friction { load.x } else { way };
                        self.context.loads.set(ids[lane], load);
                    }
                    self.context.settled.set(self.place(k, lane), self.pose(node, ids[lane]));
                }
            }
        }
    }

    /// Returns the rotations of bodies, rotated further by a rotation vector \[rad\]; nothing of use for particles.
    ///
    /// # Safety
    /// The same as for [`Solve::begin`].
    #[inline(always)]
    unsafe fn rotated(&self, node: &NodeBlock, ids: [usize; L], by: [Wide<L>; 3]) -> [Quat; L] {
        if node.kind == NodeKind::Particle {
            return [Quat::IDENTITY; L];
        }
        // SAFETY: passed on to the caller.
        let mut rotations = std::array::from_fn(|lane| unsafe { self.context.nodes.rotation.get(ids[lane]) });
        for first in (0..L).step_by(4) {
            let before = |part: usize| four(first, L, |lane| rotations[lane].to_array()[part]);
            let [x, y, z] = three(|axis| four(first, L, |lane| by[axis].0[lane]));
            let [x, y, z, w] = rotated_by([before(0), before(1), before(2), before(3)], scalar::Vec3 { x, y, z });
            for (k, rotation) in rotations.iter_mut().skip(first).take(4).enumerate() {
                *rotation = Quat::from_xyzw(x.0[k], y.0[k], z.0[k], w.0[k]);
            }
        }
        rotations
    }
}

/// Returns the numbers of four lanes; lanes that there are not repeat the last one.
#[inline(always)]
fn four(first: usize, count: usize, of: impl Fn(usize) -> f32) -> Single4 {
    let lane = |k: usize| of((first + k).min(count - 1));
    Single4(Vec4::new(lane(0), lane(1), lane(2), lane(3)))
}
