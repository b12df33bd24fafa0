//! Direct solves: the constraints of each component at once, as listed by the [plan](crate::schedule::direct).
#![expect(unsafe_code, reason = "components share no movable node and no constraint, so threads write disjoint data")]

mod elimination;

use std::sync::Arc;

use glam::{Quat, Vec4};
use smallvec::SmallVec;

use super::compiled_program::PassPrograms;
use super::nodes::NodeArrays;
use crate::connector::NodeKind;
use crate::constraint::update::linearization::Linearization;
use crate::parallel::{DisjointSlice, WorkerScope};
use crate::schedule::direct::{Component, ConstraintBlock, NodeBlock, row_of_axis};
use crate::schedule::{Pass, Plan};
use elimination::{Row, Workspace};

/// The largest rotation of a body \[rad\] by which a solution is taken; above it the directions in which constraints push
/// have changed too much, and the system is solved again with the stiffness of the new multipliers.
const LARGEST_ROTATION: f32 = 0.25;
/// Number of times that a system is solved again.
const REPEATS: usize = 3;
/// The largest rotation \[rad\] that needs no second step: the error of the first is half its square, of the arm.
const SMALL_ROTATION: f32 = 0.05;

/// Working memory of direct solves, kept from substep to substep.
pub struct DirectSolver {
    /// The linearizations of each direct pass.
    records: Vec<Vec<f32>>,
    threads: Vec<Workspace>,
    /// The progress of the solution of each component.
    progress: Vec<Progress>,
}

/// The progress of the solution of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// It is to be solved from its predicted positions.
    Open,
    /// It has been solved, and is to be solved again from where that has moved it.
    Rough,
    /// It is solved.
    Done,
}

/// A direct pass while its constraints are solved.
struct DirectPass<'a> {
    linear: &'a Linearization,
    lambda: SmallVec<[DisjointSlice<'a, f32>; 8]>,
    records: &'a [f32],
}

impl DirectSolver {
    /// Creates memory for this many threads.
    pub fn new(threads: usize) -> Self {
        let threads = (0..threads).map(|_| Workspace::default()).collect();
        Self { records: Vec::new(), threads, progress: Vec::new() }
    }

    /// Solves all systems of a plan. A solution adds to the multipliers if they are `warm`, and replaces them otherwise.
    pub fn solve(
        &mut self,
        workers: &WorkerScope<'_>,
        nodes: &NodeArrays<'_>,
        plan: &mut Plan,
        programs: &[Option<Arc<PassPrograms>>],
        warm: bool,
    ) {
        self.progress.clear();
        self.progress.resize(plan.direct.components.len(), if warm { Progress::Rough } else { Progress::Open });
        for round in (0..=REPEATS).rev() {
            self.linearize(workers, nodes, plan, programs);
            self.solve_components(workers, nodes, plan, round == 0);
            if self.progress.iter().all(|&progress| progress == Progress::Done) {
                return;
            }
        }
    }

    fn linearize(
        &mut self,
        workers: &WorkerScope<'_>,
        nodes: &NodeArrays<'_>,
        plan: &Plan,
        programs: &[Option<Arc<PassPrograms>>],
    ) {
        self.records.resize(plan.direct.passes.len(), Vec::new());
        for (records, &pass) in self.records.iter_mut().zip(&plan.direct.passes) {
            let compiled = programs[pass].as_ref().and_then(|programs| programs.linearization.as_ref());
            if let (Pass::Traced(pass), Some(compiled)) = (&plan.passes[pass], compiled) {
                nodes.linearize(workers, pass, compiled, records);
            }
        }
    }

    fn solve_components(&mut self, workers: &WorkerScope<'_>, nodes: &NodeArrays<'_>, plan: &mut Plan, last: bool) {
        let Plan { passes, direct } = plan;
        let traced = passes.iter_mut().filter_map(|pass| match pass {
            Pass::Traced(pass) => pass.linearization.as_deref().map(|linear| (linear, &mut pass.lambda)),
            Pass::Custom(_) | Pass::Medium(_) => None,
        });
        let passes: Vec<DirectPass<'_>> = traced
            .zip(&self.records)
            .map(|((linear, lambda), records)| {
                let lambda = lambda.iter_mut().map(|row| DisjointSlice::new(row)).collect();
                DirectPass { linear, lambda, records }
            })
            .collect();
        let progress = DisjointSlice::new(&mut self.progress);
        let threads = DisjointSlice::new(&mut self.threads);
        workers.run(direct.components.len(), |thread, range| {
            // SAFETY: every thread has its own memory.
            let workspace = unsafe { &mut threads.slice(thread..thread + 1)[0] };
            for (number, component) in range.clone().zip(&direct.components[range]) {
                // SAFETY: every component belongs to one thread.
                unsafe {
                    let warm = match progress.get(number) {
                        Progress::Done => continue,
                        before => before == Progress::Rough,
                    };
                    let mut solve = Solve { nodes, passes: &passes, component, warm, last };
                    progress.set(number, solve.run(workspace));
                }
            }
        });
    }
}

/// The solution of one component.
struct Solve<'a, 'n, 'p> {
    nodes: &'a NodeArrays<'n>,
    passes: &'a [DirectPass<'p>],
    component: &'a Component,
    warm: bool,
    last: bool,
}

impl Solve<'_, '_, '_> {
    /// Solves the system and moves the nodes, unless a body would rotate too far.
    ///
    /// # Safety
    /// No other thread touches the nodes and the constraints of the component.
    unsafe fn run(&mut self, workspace: &mut Workspace) -> Progress {
        // SAFETY: passed on to the caller.
        unsafe {
            workspace.clear(self.component);
            for node in &self.component.nodes {
                let mask = self.add_mass(node, workspace);
                workspace.masks.push(mask);
            }
            if workspace.masks.iter().all(|&mask| mask == 0) {
                return Progress::Done;
            }
            for constraint in &self.component.constraints {
                self.add_constraint(constraint, workspace);
            }
            elimination::solve(self.component, workspace);
            for constraint in &self.component.constraints {
                self.set_multipliers(constraint, workspace);
            }
            let rotation = if self.warm { 0.0 } else { self.largest_rotation(workspace) };
            if !self.last && rotation > LARGEST_ROTATION {
                return Progress::Open;
            }
            for (node, &mask) in self.component.nodes.iter().zip(&workspace.masks) {
                self.move_node(node, mask, workspace);
            }
            if rotation > SMALL_ROTATION { Progress::Rough } else { Progress::Done }
        }
    }

    /// Writes the mass and inertia of a node into its block, and returns the axes along and about which it is free, as
    /// bits.
    ///
    /// # Safety
    /// The same as for [`Solve::run`].
    unsafe fn add_mass(&self, node: &NodeBlock, workspace: &mut Workspace) -> u8 {
        let block = &self.component.blocks[node.block as usize];
        let rows = &mut workspace.rows[block.rows as usize..][..block.size as usize];
        let k = node.node as usize;
        let anchor = if node.kind == NodeKind::Body { self.nodes.body_anchor[k] } else { self.nodes.anchor[k] };
        let locked = if node.kind == NodeKind::Body { self.nodes.inverse_inertia[k].w as u8 } else { 0b11_1000 };
        let mask = if anchor.w > 0.0 { !locked & 0b11_1111 } else { 0 };
        for (row, numbers) in rows.iter_mut().enumerate() {
            let axis = row + usize::from(node.first_axis);
            let is_free = mask >> axis & 1 == 1;
            numbers[row] = if is_free && axis < 3 { 1.0 / anchor.w } else { 1.0 };
        }
        if node.kind == NodeKind::Body && mask & 0b11_1000 != 0 {
            // SAFETY: passed on to the caller.
            let inertia = inertia(unsafe { self.nodes.rotation.get(k) }, self.nodes.inverse_inertia[k]);
            let first = 3 - usize::from(node.first_axis);
            for a in (0..3).filter(|&a| mask >> (3 + a) & 1 == 1) {
                for b in (0..3).filter(|&b| mask >> (3 + b) & 1 == 1) {
                    rows[first + a][first + b] = inertia[a][b];
                }
            }
        }
        mask
    }

    /// Writes the linearization of a constraint.
    ///
    /// # Safety
    /// The same as for [`Solve::run`].
    unsafe fn add_constraint(&self, constraint: &ConstraintBlock, workspace: &mut Workspace) {
        let pass = &self.passes[constraint.pass as usize];
        let (linear, slot) = (pass.linear, constraint.slot as usize);
        let width = linear.program.outputs.len();
        let record = &pass.records[slot * width..][..width];
        let block = &self.component.blocks[constraint.block as usize];
        let mut right = Row::default();
        for a in 0..linear.rows.len() {
            right[a] = -record[a];
            for (b, &row) in linear.rows.iter().enumerate() {
                let compliance = record[linear.compliance(a, b)];
                workspace.rows[block.rows as usize + a][b] = -compliance;
                if self.warm {
                    // SAFETY: passed on to the caller.
                    right[a] -= compliance * unsafe { pass.lambda[row].get(slot) };
                }
            }
        }
        workspace.right[constraint.block as usize] = right;
        for &(row, axis, output) in &linear.jacobian {
            let Some((node, tie)) = constraint.nodes[usize::from(axis.0)] else { continue };
            let Some(column) = self.free_row(node, axis, workspace) else { continue };
            let (first, second) = if tie.is_transposed { (column, row.into()) } else { (row.into(), column) };
            workspace.rows[tie.rows as usize + first][second] = record[usize::from(output)];
        }
        for &(a, b, output) in &linear.stiffness {
            let (Some((i, _)), Some((j, _))) = (constraint.nodes[usize::from(a.0)], constraint.nodes[usize::from(b.0)])
            else {
                continue;
            };
            let (Some(row), Some(column)) = (self.free_row(i, a, workspace), self.free_row(j, b, workspace)) else {
                continue;
            };
            let place = if a.0 == b.0 {
                let node = &self.component.nodes[i as usize];
                Some((self.component.blocks[node.block as usize].rows as usize + row, column))
            } else {
                let coupled = constraint.couplings.iter().find(|(slots, _)| *slots == [a.0, b.0]);
                coupled.map(|(_, tie)| {
                    let (first, second) = if tie.is_transposed { (column, row) } else { (row, column) };
                    (tie.rows as usize + first, second)
                })
            };
            if let Some((row, column)) = place {
                workspace.rows[row][column] += record[usize::from(output)];
            }
        }
    }

    /// Returns the row of an axis of a node that is free to move along or about it.
    fn free_row(&self, node: u32, axis: (u8, u8), workspace: &Workspace) -> Option<usize> {
        let block = &self.component.nodes[node as usize];
        let size = self.component.blocks[block.block as usize].size;
        let is_free = workspace.masks[node as usize] >> axis.1 & 1 == 1;
        row_of_axis(block, size, axis).filter(|_| is_free)
    }

    /// Takes the multipliers of a constraint from the solution; rows that are not solved directly begin with none.
    ///
    /// # Safety
    /// The same as for [`Solve::run`].
    unsafe fn set_multipliers(&self, constraint: &ConstraintBlock, workspace: &Workspace) {
        let pass = &self.passes[constraint.pass as usize];
        let solution = &workspace.right[constraint.block as usize];
        let slot = constraint.slot as usize;
        for (row, lambda) in pass.lambda.iter().enumerate() {
            let solved = pass.linear.rows.iter().position(|&equation| equation == row);
            // SAFETY: passed on to the caller.
            unsafe {
                let before = if self.warm { lambda.get(slot) } else { 0.0 };
                lambda.set(slot, solved.map_or(before, |k| before - solution[k]));
            }
        }
    }

    /// Returns the largest rotation of a body \[rad\] by the solution.
    fn largest_rotation(&self, workspace: &Workspace) -> f32 {
        let bodies = self.component.nodes.iter().filter(|node| node.kind == NodeKind::Body);
        let squares = bodies.map(|node| self.motion(node, workspace)[1].length_squared());
        squares.fold(0.0, f32::max).sqrt()
    }

    /// Returns the translation and the rotation of a node.
    fn motion(&self, node: &NodeBlock, workspace: &Workspace) -> [Vec4; 2] {
        let size = self.component.blocks[node.block as usize].size;
        let solution = &workspace.right[node.block as usize];
        let along = |axis: u8| row_of_axis(node, size, (0, axis)).map_or(0.0, |row| solution[row]);
        [Vec4::new(along(0), along(1), along(2), 0.0), Vec4::new(along(3), along(4), along(5), 0.0)]
    }

    /// Moves a node by the solution.
    ///
    /// # Safety
    /// The same as for [`Solve::run`].
    unsafe fn move_node(&self, node: &NodeBlock, mask: u8, workspace: &Workspace) {
        if mask != 0 {
            let [shift, rotate] = self.motion(node, workspace);
            // SAFETY: passed on to the caller.
            unsafe { self.nodes.shift(false, node.kind, node.node as usize, shift, rotate) };
        }
    }
}

/// Returns R I Rᵀ \[kg m²\] from the rotation of the principal axes and the inverse moments about them.
fn inertia(rotation: Quat, inverse: Vec4) -> [[f32; 3]; 3] {
    let [x, y, z, w] = rotation.to_array();
    let columns = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let moments = [1.0 / inverse.x, 1.0 / inverse.y, 1.0 / inverse.z];
    let entry = |a: usize, b: usize| {
        let term = |k: usize| columns[k][a] * moments[k] * columns[k][b];
        term(0) + term(1) + term(2)
    };
    std::array::from_fn(|a| std::array::from_fn(|b| entry(a.max(b), a.min(b))))
}
