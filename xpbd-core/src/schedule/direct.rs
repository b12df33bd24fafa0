//! The constraints that are solved directly: which of them are connected, and the order in which they are eliminated.
//!
//! Nodes and constraints are the blocks of a symmetric system,
//!
//! ```text
//! ⎡ K   Jᵀ ⎤ ⎡  Δ ⎤   ⎡  0 ⎤
//! ⎣ J   −ã ⎦ ⎣ −λ ⎦ = ⎣ −e ⎦      K = M + H
//! ```
//!
//! of which K is positive. Blocks are eliminated in the order of their remaining neighbours, a constraint only when it is
//! tied to no more than one node that is left, the ground included: its own block is then negative. In a tree this is the
//! order from the leaves to the root, in which elimination ties no blocks together that were not before. The plan lists every operation on blocks, and back ends follow
//! the list.
//!
//! Components of the same structure, such as the ragdolls of a crowd, share one list. Up to [`LANES`] of them form a group,
//! whose systems are solved at once, one in each lane.

mod collector;
mod elimination;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{PassSlot, TracedPass};
use crate::connector::NodeKind;
use crate::constraint::update::linearization::SlotAxis;
use collector::{Collector, Part};
use elimination::Elimination;

/// Largest number of components that are solved at once.
pub const LANES: usize = 8;
/// Number of components of one structure from which they are solved at once.
const WORTH_LANES: usize = 3;

/// The most degrees of freedom that a node may be tied to while a component is taken apart, for the plan to choose a direct
/// solve: those of four bodies, or of eight particles. It is 6 for trees of bodies, ropes and rods, and 12 for a bridge of
/// planks on two ropes. The time of a solution grows with its square.
pub const MOST_TIES: u32 = 24;
/// The most nodes of a component where the plan chooses the solver: a device eliminates it by one thread.
pub const MAX_NODES: usize = 10_000;

/// The largest rotation of a body \[rad\] by which a solution is taken; above it the directions in which constraints push
/// have changed too much, and the system is solved again with the stiffness of the new multipliers.
pub const LARGEST_ROTATION: f32 = 0.25;
/// The largest rotation \[rad\] that needs no further step: the error of a step is half its square, of the arm.
pub const SMALL_ROTATION: f32 = 0.02;
/// Number of times that a system is solved again.
const REPEATS: usize = 3;
/// Number of times that it is solved again where something has moved the nodes since its last solution.
const REPEATS_OF_MOVED: usize = 1;
/// Number of times that a solution is refused for the multipliers of rows with bounds: once so that some rows are held at
/// their bounds, and once so that all are left out.
const REFUSALS: usize = 2;
/// The greatest way to a stop \[rad or m\] of a row that may be at it.
pub const NEAR_STOP: f32 = 0.1;
/// The part of a bound by which a multiplier at it may lie beyond, by rounding.
pub const BEYOND_BOUND: f32 = 1e-5;
/// The mass that a particle has besides its own along the normal of a collider that pushes it, in its own masses. An `f32` of
/// this size is rounded by less than a thousandth of the particle's own mass, which the other directions have.
pub const HELD_MASS: f32 = 1e4;
/// The gap up to which a particle counts as touched, in its radii: what the last substep has pressed may be that far away.
pub const HELD_REACH: f32 = 0.03;
/// Least push of a contact on a particle that counts as an impact, in its radii. Friction of impacts is that of contacts alone.
pub const IMPACT: f32 = 0.1;
/// The friction coefficient that says that a particle is in an impact \[1\].
pub const IS_IMPACT: f32 = -1.0;
/// The greatest mass with which friction drags a particle, in its own masses.
pub const LARGEST_DRAG: f32 = 1e7;
/// The friction that stands for none that could stop a slip \[kg m\].
pub const UNSTOPPABLE: f32 = 1e30;
/// The slip that friction must be able to stop where a particle sticks, in its slip in the substep.
pub const STICKING_MARGIN: f32 = 2.0;
/// The mass in a traction that says that the particle sticks \[kg\].
pub const STICKING: f32 = -1.0;
/// The square of the length \[1\] of a sum of unit normals up to which it has no direction: those of opposite walls cancel.
pub const LEAST_NORMAL_SQUARED: f32 = 1e-4;
/// The smallest pivot, as a part of the diagonal element that it was reduced from: below it a row says what rows before
/// it have said already, and is skipped.
pub const SMALLEST_PIVOT: f32 = 1e-7;

/// A node that direct solves can move, as told by the world when a plan is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreeAxes {
    /// True if it can move along any axis.
    pub translation: bool,
    /// True if it can rotate about any axis.
    pub rotation: bool,
}

/// A node as a block of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeBlock {
    /// Particle or body.
    pub kind: NodeKind,
    /// The first of its axes in the block: 0, or 3 for a body that only rotates.
    pub first_axis: u8,
    /// The block.
    pub block: u32,
}

/// A number of a linearization, and the number of the system that it is added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Output of the linearization.
    pub output: u16,
    /// Row of J with bounds that it is in, counted among those that are solved directly; none for any other.
    pub row: Option<u8>,
    /// The degrees of freedom that it couples, twice the same in J; it is left out where one of them is locked.
    pub axes: [SlotAxis; 2],
    /// Number of the system.
    pub target: u32,
}

/// A constraint as a block of a system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConstraintBlock {
    /// The block.
    pub block: u32,
    /// The node of each slot among those of the component; none for a node that cannot move.
    pub nodes: Vec<Option<u32>>,
    /// The numbers of its linearization but for e and ã.
    pub entries: Vec<Entry>,
    /// Its first row with bounds among those of the component.
    pub first_bounded: u32,
    /// True if its rows may say what others have said.
    pub may_repeat: bool,
}

/// A row of a constraint whose multiplier has bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowWithBounds {
    /// Number of the direct pass.
    pub pass: u32,
    /// The constraint among those of the structure.
    pub constraint: u32,
    /// The row among those of the pass.
    pub row: u32,
    /// The row in the right-hand side.
    pub solution: u32,
}

/// A block of a system, in the order of elimination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Number of rows.
    pub size: u32,
    /// True for a constraint, whose diagonal is negative.
    pub is_constraint: bool,
    /// First number of its diagonal block, whose upper triangle is used.
    pub first: u32,
    /// Its first row in the right-hand side.
    pub row: u32,
    /// Blocks that are eliminated later and share entries with this one.
    pub neighbours: Vec<Neighbour>,
    /// The changes of other blocks by its elimination.
    pub updates: Vec<BlockUpdate>,
}

/// A block that shares entries with one that is eliminated before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbour {
    /// The block.
    pub block: u32,
    /// Number of its rows.
    pub size: u32,
    /// Its first row in the right-hand side.
    pub row: u32,
    /// First of the shared numbers: a row for each row of the earlier block, a column for each of this one.
    pub first: u32,
}

/// A change of a block by the elimination of another: `target −= firstᵀ D⁻¹ second` for two neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockUpdate {
    /// Neighbour that gives the rows.
    pub first: u32,
    /// Neighbour that gives the columns.
    pub second: u32,
    /// First number of the target.
    pub target: u32,
}

/// The structure of a component: nodes and constraints that are connected, and the elimination of their system.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Structure {
    /// Nodes that can move.
    pub nodes: Vec<NodeBlock>,
    /// Constraints, those of one pass after another.
    pub constraints: Vec<ConstraintBlock>,
    /// The constraints of each direct pass, where there are any.
    pub passes: Vec<(usize, Range<usize>)>,
    /// Blocks in the order of elimination.
    pub blocks: Vec<Block>,
    /// Numbers of all blocks.
    pub numbers: u32,
    /// Rows of all blocks.
    pub rows: u32,
    /// Rows with bounds, those of one constraint after another.
    pub bounded: Vec<RowWithBounds>,
    /// True if rows of any constraint may say what others have said.
    pub may_repeat: bool,
}

impl Structure {
    /// Returns the row of the right-hand side that belongs to a degree of freedom of a constraint, which has an entry in J.
    pub fn row_of(&self, constraint: &ConstraintBlock, (slot, axis): SlotAxis) -> usize {
        let node = &self.nodes[constraint.nodes[usize::from(slot)].unwrap_or(0) as usize];
        let block = &self.blocks[node.block as usize];
        block.row as usize + row_of_axis(node, block.size, axis).unwrap_or(0)
    }
}

/// Components of one structure that are solved at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// Their structure.
    pub structure: u32,
    /// Number of components.
    pub count: u32,
    /// Number of lanes: 1 or [`LANES`]. Lanes without a component repeat the last one.
    pub lanes: u32,
    /// Index in [`DirectSystem::nodes`] of the first node in the first lane.
    pub first_node: u32,
    /// Index in [`DirectSystem::slots`] of the first constraint in the first lane.
    pub first_slot: u32,
}

/// The systems of a plan.
#[derive(Debug, Clone, Default)]
pub struct DirectSystem {
    /// The direct passes, by their index in the plan.
    pub passes: Vec<usize>,
    /// The structures of components.
    pub structures: Vec<Structure>,
    /// The components.
    pub groups: Vec<Group>,
    /// World indices of the nodes of each group: those of all lanes for one node of the structure after another.
    pub nodes: Vec<u32>,
    /// Slots of the constraints of each group, in the same order.
    pub slots: Vec<u32>,
}

impl DirectSystem {
    /// Finds the components of these passes of a plan, and the constraints that are better swept: those that the plan
    /// `chooses` the solver for, where they tie nothing that can move, are alone, or form a
    /// [wide net](crate::settings::ConstraintSolver::Automatic). If there are any, the system is to be made again without
    /// them. `free_axes` returns how a node can move, none if it cannot.
    pub fn new(
        passes: &[(usize, &TracedPass)],
        free_axes: &dyn Fn(NodeKind, u32) -> Option<FreeAxes>,
        chooses: &dyn Fn(PassSlot) -> bool,
    ) -> (Self, BTreeSet<PassSlot>) {
        let mut collector = Collector::new(free_axes);
        let mut swept = BTreeSet::new();
        for (number, (_, pass)) in passes.iter().enumerate() {
            for slot in 0..pass.len() {
                let is_in = collector.join(number as u32, pass, slot);
                swept.extend((!is_in && chooses(pass.slots[slot])).then_some(pass.slots[slot]));
            }
        }
        let traced: Vec<&TracedPass> = passes.iter().map(|(_, pass)| *pass).collect();
        let mut system = Self { passes: passes.iter().map(|&(index, _)| index).collect(), ..Self::default() };
        for mut parts in alike(collector.components()) {
            let is_narrow = |part: &Part| {
                part.constraints.len() > 1 && part.nodes.len() <= MAX_NODES && part.falls_apart(MOST_TIES)
            };
            if !is_narrow(&parts[0]) {
                parts.retain(|part| {
                    let slots = part.constraints.iter().map(|of| traced[of.pass as usize].slots[of.slot as usize]);
                    let chosen: Vec<PassSlot> = slots.filter(|&slot| chooses(slot)).collect();
                    swept.extend(&chosen);
                    chosen.is_empty()
                });
            }
            if let Some(first) = parts.first() {
                let structure = Elimination::new(first, &traced).run();
                system.add_alike(structure, &parts);
            }
        }
        (system, swept)
    }

    /// Appends all components of a structure.
    fn add_alike(&mut self, structure: Structure, parts: &[Part]) {
        let number = self.structures.len() as u32;
        self.structures.push(structure);
        let lanes = if parts.len() < WORTH_LANES { 1 } else { LANES };
        parts.chunks(lanes).for_each(|parts| self.add(number, parts, lanes));
    }

    /// Appends components of a structure.
    fn add(&mut self, structure: u32, parts: &[Part], lanes: usize) {
        self.groups.push(Group {
            structure,
            count: parts.len() as u32,
            lanes: lanes as u32,
            first_node: self.nodes.len() as u32,
            first_slot: self.slots.len() as u32,
        });
        let of_lane = |lane: usize| &parts[lane.min(parts.len() - 1)];
        for k in 0..parts[0].nodes.len() {
            self.nodes.extend((0..lanes).map(|lane| of_lane(lane).nodes[k].index));
        }
        for k in 0..parts[0].constraints.len() {
            self.slots.extend((0..lanes).map(|lane| of_lane(lane).constraints[k].slot));
        }
    }

    /// Returns the number of times that positions are solved again, of components that have been `moved` or of others.
    pub fn repeats(&self, moved: bool) -> usize {
        if moved { REPEATS_OF_MOVED.max(self.repeats_of_velocities()) } else { REPEATS }
    }

    /// Returns the number of times that velocities are solved again.
    pub fn repeats_of_velocities(&self) -> usize {
        if self.structures.iter().any(|structure| !structure.bounded.is_empty()) { REFUSALS } else { 0 }
    }

    /// Returns whether particles are solved directly.
    pub fn moves_particles(&self) -> bool {
        let is_particle = |node: &NodeBlock| node.kind == NodeKind::Particle;
        self.structures.iter().any(|structure| structure.nodes.iter().any(is_particle))
    }

    /// Returns whether nothing is solved directly.
    pub fn is_empty(&self) -> bool {
        self.passes.is_empty()
    }
}

/// Sorts components by their structure, in the order of the first of each.
fn alike(parts: Vec<Part>) -> Vec<Vec<Part>> {
    let mut known: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    let mut sorted: Vec<Vec<Part>> = Vec::new();
    for part in parts {
        let number = *known.entry(part.structure()).or_insert(sorted.len());
        if number == sorted.len() {
            sorted.push(Vec::new());
        }
        sorted[number].push(part);
    }
    sorted
}

/// Returns the row of an axis of a node in its block, none for one that the block does not have.
pub fn row_of_axis(node: &NodeBlock, size: u32, axis: u8) -> Option<usize> {
    let row = axis.checked_sub(node.first_axis)?;
    (u32::from(row) < size).then_some(usize::from(row))
}
