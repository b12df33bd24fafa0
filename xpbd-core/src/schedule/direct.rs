//! The constraints that are solved directly: which of them are connected, and the order in which they are eliminated.
//!
//! Nodes and constraints are the blocks of a symmetric system,
//!
//! ```text
//! ⎡ K   Jᵀ ⎤ ⎡  Δ ⎤   ⎡  0 ⎤
//! ⎣ J   −ã ⎦ ⎣ −λ ⎦ = ⎣ −e ⎦      K = M + H
//! ```
//!
//! of which K is positive. Blocks are eliminated in the order of their remaining neighbours, a constraint only when all of
//! its nodes but one are: its own block is then negative. In a tree this is the order from the leaves to the root, in which
//! elimination ties no blocks together that were not before. The plan lists every operation on blocks, and back ends follow
//! the list.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::TracedPass;
use crate::connector::NodeKind;
use crate::constraint::update::linearization::SlotAxis;

/// A node that direct solves can move, as told by the world when a plan is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreeAxes {
    /// True if it can move along any axis.
    pub translation: bool,
    /// True if it can rotate about any axis.
    pub rotation: bool,
}

/// A node as a block of a system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeBlock {
    /// Particle or body.
    pub kind: NodeKind,
    /// World index.
    pub node: u32,
    /// The first of its axes in the block: 0, or 3 for a body that only rotates.
    pub first_axis: u8,
    /// The block.
    pub block: u32,
}

/// The location of the blocks that tie a constraint to its nodes, or two of its nodes to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tie {
    /// First row of the block.
    pub rows: u32,
    /// True if its rows are those of the second of the two.
    pub is_transposed: bool,
}

/// A constraint as a block of a system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConstraintBlock {
    /// The pass, among the direct ones.
    pub pass: u32,
    /// Its slot there.
    pub slot: u32,
    /// The block.
    pub block: u32,
    /// The node of each slot among those of the component, and the tie to it; none for a node that cannot move.
    pub nodes: Vec<Option<(u32, Tie)>>,
    /// The ties between its nodes, by their slots, where its geometric stiffness couples them.
    pub couplings: Vec<([u8; 2], Tie)>,
}

/// A block of a system, in the order of elimination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Number of rows.
    pub size: u32,
    /// True for a constraint, whose diagonal is negative.
    pub is_constraint: bool,
    /// First row of its diagonal block.
    pub rows: u32,
    /// Blocks that are eliminated later and share entries with this one.
    pub neighbours: Vec<Neighbour>,
    /// The changes of other blocks by its elimination.
    pub updates: Vec<BlockUpdate>,
}

/// A block that shares entries with one that is eliminated before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// The block.
    pub block: u32,
    /// First row of the shared entries, as many rows as the earlier block has.
    pub rows: u32,
}

/// A change of a block by the elimination of another: `target −= firstᵀ D⁻¹ second` for two neighbours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockUpdate {
    /// Neighbour that gives the rows.
    pub first: u32,
    /// Neighbour that gives the columns.
    pub second: u32,
    /// First row of the target.
    pub target: u32,
}

/// Nodes and constraints that are connected: a linear system of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Component {
    /// Nodes that can move.
    pub nodes: Vec<NodeBlock>,
    /// Constraints.
    pub constraints: Vec<ConstraintBlock>,
    /// Blocks in the order of elimination.
    pub blocks: Vec<Block>,
    /// Number of rows of all blocks that are stored.
    pub rows: u32,
}

/// The systems of a plan.
#[derive(Debug, Clone, Default)]
pub struct DirectSystem {
    /// The direct passes, by their index in the plan.
    pub passes: Vec<usize>,
    /// The systems.
    pub components: Vec<Component>,
}

impl DirectSystem {
    /// Finds the components of these passes of a plan. `free_axes` returns how a node can move, none if it cannot.
    pub fn new(passes: Vec<(usize, &TracedPass)>, free_axes: &dyn Fn(NodeKind, u32) -> Option<FreeAxes>) -> Self {
        let mut collector = Collector::new(free_axes);
        for (number, (_, pass)) in passes.iter().enumerate() {
            for slot in 0..pass.len() {
                collector.join(number as u32, pass, slot);
            }
        }
        let traced: Vec<&TracedPass> = passes.iter().map(|(_, pass)| *pass).collect();
        let components = collector.components().iter().map(|part| Elimination::new(part, &traced).run()).collect();
        Self { passes: passes.into_iter().map(|(index, _)| index).collect(), components }
    }

    /// Returns whether nothing is solved directly.
    pub fn is_empty(&self) -> bool {
        self.passes.is_empty()
    }
}

/// Nodes and constraints on their way into components.
struct Collector<'a> {
    free_axes: &'a dyn Fn(NodeKind, u32) -> Option<FreeAxes>,
    numbers: BTreeMap<(bool, u32), u32>,
    nodes: Vec<(NodeKind, u32, FreeAxes)>,
    /// Union-find forest of nodes.
    parents: Vec<u32>,
    /// Pass, slot, and the node of each slot that can move.
    constraints: Vec<(u32, u32, Vec<Option<u32>>)>,
}

/// A component before its elimination.
#[derive(Default)]
struct Part {
    nodes: Vec<(NodeKind, u32, FreeAxes)>,
    constraints: Vec<(u32, u32, Vec<Option<u32>>)>,
}

impl<'a> Collector<'a> {
    fn new(free_axes: &'a dyn Fn(NodeKind, u32) -> Option<FreeAxes>) -> Self {
        Self { free_axes, numbers: BTreeMap::new(), nodes: Vec::new(), parents: Vec::new(), constraints: Vec::new() }
    }

    /// Returns the root of the tree that a node is in.
    fn root(&mut self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            let above = self.parents[self.parents[node as usize] as usize];
            self.parents[node as usize] = above;
            node = above;
        }
        node
    }

    /// Takes up a constraint, unless none of its nodes can move.
    fn join(&mut self, number: u32, pass: &TracedPass, slot: usize) {
        let kinds = pass.connectors.nodes();
        let nodes: Vec<Option<u32>> =
            kinds.iter().zip(&pass.nodes).map(|(&kind, column)| self.node(kind, column[slot])).collect();
        let mut movable = nodes.iter().flatten();
        let Some(&first) = movable.next() else { return };
        for &other in movable {
            let (a, b) = (self.root(first), self.root(other));
            self.parents[a.max(b) as usize] = a.min(b);
        }
        self.constraints.push((number, slot as u32, nodes));
    }

    /// Returns the number of a node that can move.
    fn node(&mut self, kind: NodeKind, node: u32) -> Option<u32> {
        let axes = (self.free_axes)(kind, node)?;
        let next = self.nodes.len() as u32;
        let number = *self.numbers.entry((kind == NodeKind::Body, node)).or_insert(next);
        if number == next {
            self.nodes.push((kind, node, axes));
            self.parents.push(number);
        }
        Some(number)
    }

    /// Returns the components in the order of their first nodes.
    fn components(mut self) -> Vec<Part> {
        let mut parts: BTreeMap<u32, Part> = BTreeMap::new();
        let mut local = Vec::with_capacity(self.nodes.len());
        for number in 0..self.nodes.len() as u32 {
            let root = self.root(number);
            let part = parts.entry(root).or_default();
            local.push(part.nodes.len() as u32);
            part.nodes.push(self.nodes[number as usize]);
        }
        for (pass, slot, nodes) in std::mem::take(&mut self.constraints) {
            let Some(&first) = nodes.iter().flatten().next() else { continue };
            let root = self.root(first);
            let nodes = nodes.iter().map(|node| node.map(|node| local[node as usize])).collect();
            parts.entry(root).or_default().constraints.push((pass, slot, nodes));
        }
        parts.into_values().filter(|part| !part.constraints.is_empty()).collect()
    }
}

/// The elimination of a component, symbolically. Blocks are numbered nodes first until their order is known.
struct Elimination<'a> {
    part: &'a Part,
    passes: &'a [&'a TracedPass],
    sizes: Vec<u32>,
    adjacent: Vec<BTreeSet<u32>>,
    /// Nodes of each constraint that are not eliminated.
    left: Vec<u32>,
    /// Blocks that may be eliminated, by their number of neighbours.
    queue: BTreeSet<(u32, u32)>,
    /// Eliminated blocks with their neighbours.
    order: Vec<(u32, Vec<u32>)>,
}

impl<'a> Elimination<'a> {
    fn new(part: &'a Part, passes: &'a [&'a TracedPass]) -> Self {
        let count = part.nodes.len();
        let axes = |&(kind, _, axes): &(NodeKind, u32, FreeAxes)| match kind {
            NodeKind::Body if axes.translation && axes.rotation => 6,
            _ => 3,
        };
        let rows = |&(pass, ..): &(u32, u32, Vec<Option<u32>>)| {
            passes[pass as usize].linearization.as_ref().map_or(0, |linear| linear.rows.len() as u32)
        };
        let sizes = part.nodes.iter().map(axes).chain(part.constraints.iter().map(rows)).collect();
        let mut adjacent = vec![BTreeSet::new(); count + part.constraints.len()];
        let mut tie = |a: u32, b: u32| {
            adjacent[a as usize].insert(b);
            adjacent[b as usize].insert(a);
        };
        for (number, (pass, _, nodes)) in (count as u32..).zip(&part.constraints) {
            nodes.iter().flatten().for_each(|&node| tie(node, number));
            if passes[*pass as usize].linearization.as_ref().is_some_and(|linear| linear.couples_nodes()) {
                pairs(nodes).for_each(|(_, [a, b])| tie(a, b));
            }
        }
        let left = part.constraints.iter().map(|(_, _, nodes)| nodes.iter().flatten().count() as u32).collect();
        Self { part, passes, sizes, adjacent, left, queue: BTreeSet::new(), order: Vec::new() }
    }

    /// Returns the component with its list of operations.
    fn run(mut self) -> Component {
        let nodes = self.part.nodes.len() as u32;
        self.queue.extend((0..nodes).map(|node| (self.adjacent[node as usize].len() as u32, node)));
        while let Some((_, block)) = self.queue.pop_first() {
            self.eliminate(block);
        }
        self.component()
    }

    /// Returns whether a block may be eliminated.
    fn is_ready(&self, block: u32) -> bool {
        let first = self.part.nodes.len() as u32;
        // A constraint waits until one node is left, and one that has a single node until none is.
        block < first || self.left[(block - first) as usize] <= u32::from(self.node_count(block - first) > 1)
    }

    fn node_count(&self, constraint: u32) -> usize {
        self.part.constraints[constraint as usize].2.iter().flatten().count()
    }

    fn eliminate(&mut self, block: u32) {
        let neighbours: Vec<u32> = std::mem::take(&mut self.adjacent[block as usize]).into_iter().collect();
        for &other in &neighbours {
            self.queue.remove(&(self.adjacent[other as usize].len() as u32, other));
        }
        let first = self.part.nodes.len() as u32;
        for (k, &other) in neighbours.iter().enumerate() {
            self.adjacent[other as usize].remove(&block);
            for &third in &neighbours[..k] {
                self.adjacent[other as usize].insert(third);
                self.adjacent[third as usize].insert(other);
            }
        }
        if block < first {
            for &other in neighbours.iter().filter(|&&other| other >= first) {
                if self.part.constraints[(other - first) as usize].2.contains(&Some(block)) {
                    self.left[(other - first) as usize] -= 1;
                }
            }
        }
        for &other in &neighbours {
            if self.is_ready(other) {
                self.queue.insert((self.adjacent[other as usize].len() as u32, other));
            }
        }
        self.order.push((block, neighbours));
    }

    fn component(self) -> Component {
        let mut places = vec![0u32; self.sizes.len()];
        self.order.iter().enumerate().for_each(|(place, (block, _))| places[*block as usize] = place as u32);
        let mut rows = 0;
        let mut take = |count: u32| {
            rows += count;
            rows - count
        };
        let first = self.part.nodes.len() as u32;
        let mut blocks: Vec<Block> = Vec::with_capacity(self.order.len());
        for (block, neighbours) in &self.order {
            let size = self.sizes[*block as usize];
            let own = take(size);
            let mut later: Vec<u32> = neighbours.iter().map(|&other| places[other as usize]).collect();
            later.sort_unstable();
            let neighbours = later.into_iter().map(|block| Neighbour { block, rows: take(size) }).collect();
            blocks.push(Block { size, is_constraint: *block >= first, rows: own, neighbours, updates: Vec::new() });
        }
        let updates: Vec<Vec<BlockUpdate>> = blocks.iter().map(|block| updates(&blocks, block)).collect();
        blocks.iter_mut().zip(updates).for_each(|(block, updates)| block.updates = updates);
        let nodes: Vec<NodeBlock> = self.part.nodes.iter().zip(&places).map(node_block).collect();
        let constraints = self.part.constraints.iter().zip(&places[first as usize..]);
        let constraints = constraints
            .map(|((pass, slot, slots), &block)| {
                let node = |node: u32| (node, tie(&blocks, block, nodes[node as usize].block));
                let coupled = |(slots, [a, b]): ([u8; 2], [u32; 2])| {
                    (slots, tie(&blocks, nodes[a as usize].block, nodes[b as usize].block))
                };
                let linear = self.passes[*pass as usize].linearization.as_ref();
                let is_coupled = linear.is_some_and(|linear| linear.couples_nodes());
                let couplings = if is_coupled { pairs(slots).map(coupled).collect() } else { Vec::new() };
                let nodes = slots.iter().map(|slot| slot.map(node)).collect();
                ConstraintBlock { pass: *pass, slot: *slot, block, nodes, couplings }
            })
            .collect();
        Component { nodes, constraints, blocks, rows }
    }
}

fn node_block((&(kind, node, axes), &block): (&(NodeKind, u32, FreeAxes), &u32)) -> NodeBlock {
    NodeBlock { kind, node, first_axis: if kind == NodeKind::Body && !axes.translation { 3 } else { 0 }, block }
}

/// Returns the pairs of nodes that can move, with their slots.
fn pairs(nodes: &[Option<u32>]) -> impl Iterator<Item = ([u8; 2], [u32; 2])> + '_ {
    let second = |a: usize| move |b: usize| ([a as u8, b as u8], a, b);
    let all = (0..nodes.len()).flat_map(move |a| (a + 1..nodes.len()).map(second(a)));
    all.filter_map(|(slots, a, b)| Some((slots, [nodes[a]?, nodes[b]?])))
}

/// Returns the location of the entries that two blocks share, with the rows of the first unless it is eliminated later.
fn tie(blocks: &[Block], a: u32, b: u32) -> Tie {
    let (early, late) = (a.min(b), a.max(b));
    let shared = blocks[early as usize].neighbours.iter().find(|other| other.block == late);
    Tie { rows: shared.map_or(0, |other| other.rows), is_transposed: a > b }
}

/// Returns what the elimination of a block changes.
fn updates(blocks: &[Block], block: &Block) -> Vec<BlockUpdate> {
    let mut updates = Vec::new();
    for (second, late) in block.neighbours.iter().enumerate() {
        for (first, early) in block.neighbours[..=second].iter().enumerate() {
            let target = if first == second {
                blocks[early.block as usize].rows
            } else {
                tie(blocks, early.block, late.block).rows
            };
            updates.push(BlockUpdate { first: first as u32, second: second as u32, target });
        }
    }
    updates
}

/// Returns the row of an axis of a node in its block, none for one that the block does not have.
pub fn row_of_axis(node: &NodeBlock, size: u32, (_, axis): SlotAxis) -> Option<usize> {
    let row = axis.checked_sub(node.first_axis)?;
    (u32::from(row) < size).then_some(usize::from(row))
}

/// Returns the range of the rows of a block.
pub fn rows(first: u32, size: u32) -> Range<usize> {
    first as usize..(first + size) as usize
}
