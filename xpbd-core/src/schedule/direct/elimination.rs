//! The elimination of a component, symbolically.

use std::collections::BTreeSet;

use super::collector::{Part, PartConstraint, PartNode, pairs};
use super::{Block, BlockUpdate, ConstraintBlock, Entry, Neighbour, NodeBlock, RowWithBounds, Structure, row_of_axis};
use crate::connector::NodeKind;
use crate::constraint::update::linearization::{Linearization, SlotAxis};
use crate::schedule::TracedPass;

/// The elimination of a component. Blocks are numbered nodes first until their order is known.
pub struct Elimination<'a> {
    part: &'a Part,
    /// The linearizations of the passes.
    passes: Vec<Option<&'a Linearization>>,
    sizes: Vec<u32>,
    adjacent: Vec<BTreeSet<u32>>,
    /// Blocks that may be eliminated, by their number of neighbours.
    queue: BTreeSet<(u32, u32)>,
    /// Eliminated blocks with their neighbours.
    order: Vec<(u32, Vec<u32>)>,
}

impl<'a> Elimination<'a> {
    /// Prepares the elimination of a component whose constraints are in these passes.
    pub fn new(part: &'a Part, passes: &[&'a TracedPass]) -> Self {
        let count = part.nodes.len();
        let passes: Vec<_> = passes.iter().map(|pass| pass.linearization.as_deref()).collect();
        let linear = |constraint: &PartConstraint| passes[constraint.pass as usize];
        let rows = |constraint: &PartConstraint| linear(constraint).map_or(0, |linear| linear.rows.len() as u32);
        let sizes: Vec<u32> = part.nodes.iter().map(PartNode::size).chain(part.constraints.iter().map(rows)).collect();
        let ground = sizes.len() as u32;
        let mut adjacent = vec![BTreeSet::new(); sizes.len() + 1];
        let mut tie = |a: u32, b: u32| {
            adjacent[a as usize].insert(b);
            adjacent[b as usize].insert(a);
        };
        for (number, constraint) in (count as u32..).zip(&part.constraints) {
            constraint.nodes.iter().for_each(|node| tie(node.unwrap_or(ground), number));
            if linear(constraint).is_some_and(Linearization::couples_nodes) {
                pairs(&constraint.nodes).for_each(|[a, b]| tie(a, b));
            }
        }
        Self { part, passes, sizes, adjacent, queue: BTreeSet::new(), order: Vec::new() }
    }

    /// Returns the structure with its list of operations.
    pub fn run(mut self) -> Structure {
        let nodes = self.part.nodes.len() as u32;
        self.queue.extend((0..nodes).map(|node| (self.adjacent[node as usize].len() as u32, node)));
        while let Some((_, block)) = self.queue.pop_first() {
            self.eliminate(block);
        }
        self.structure()
    }

    /// Returns the number that stands for all nodes that cannot move. It is no block.
    fn ground(&self) -> u32 {
        self.sizes.len() as u32
    }

    /// Returns whether a block may be eliminated: a node at any time, and a constraint when it is tied to at most one node,
    /// what cannot move included. Earlier it may hold up what cannot give way.
    fn is_ready(&self, block: u32) -> bool {
        let nodes = self.part.nodes.len() as u32;
        let is_node = |&&other: &&u32| other < nodes || other == self.ground();
        block < nodes || self.adjacent[block as usize].iter().filter(is_node).count() <= 1
    }

    fn eliminate(&mut self, block: u32) {
        let neighbours: Vec<u32> = std::mem::take(&mut self.adjacent[block as usize]).into_iter().collect();
        for &other in &neighbours {
            self.queue.remove(&(self.adjacent[other as usize].len() as u32, other));
        }
        for (k, &other) in neighbours.iter().enumerate() {
            self.adjacent[other as usize].remove(&block);
            for &third in &neighbours[..k] {
                self.adjacent[other as usize].insert(third);
                self.adjacent[third as usize].insert(other);
            }
        }
        let ground = self.ground();
        for &other in neighbours.iter().filter(|&&other| other != ground) {
            if self.is_ready(other) {
                self.queue.insert((self.adjacent[other as usize].len() as u32, other));
            }
        }
        self.order.push((block, neighbours.into_iter().filter(|&other| other != ground).collect()));
    }

    fn structure(self) -> Structure {
        let mut places = vec![0u32; self.sizes.len()];
        self.order.iter().enumerate().for_each(|(place, (block, _))| places[*block as usize] = place as u32);
        let first = self.part.nodes.len();
        let (blocks, numbers, rows) = self.blocks(&places);
        let node = |(node, &block): (&PartNode, &u32)| {
            let only_rotates = node.kind == NodeKind::Body && !node.axes.translation;
            NodeBlock { kind: node.kind, first_axis: if only_rotates { 3 } else { 0 }, block }
        };
        let nodes: Vec<NodeBlock> = self.part.nodes.iter().zip(&places).map(node).collect();
        let mut structure = Structure { nodes, blocks, numbers, rows, ..Structure::default() };
        let closes_loops = self.part.closes_loops();
        for (constraint, &block) in self.part.constraints.iter().zip(&places[first..]) {
            let Some(linear) = self.passes[constraint.pass as usize] else { continue };
            let entries = Entries { structure: &structure, nodes: &constraint.nodes, block }.all(linear);
            let number = structure.constraints.len();
            match structure.passes.last_mut() {
                Some((pass, range)) if *pass == constraint.pass as usize => range.end = number + 1,
                _ => structure.passes.push((constraint.pass as usize, number..number + 1)),
            }
            let (nodes, first_bounded) = (constraint.nodes.clone(), structure.bounded.len() as u32);
            let may_repeat = closes_loops && !self.part.has_segments(constraint);
            structure.may_repeat |= may_repeat;
            structure.constraints.push(ConstraintBlock { block, nodes, entries, first_bounded, may_repeat });
            let first_row = structure.blocks[block as usize].row;
            let bounded = linear.rows.iter().enumerate().skip(linear.equations).map(|(a, &row)| RowWithBounds {
                pass: constraint.pass,
                constraint: number as u32,
                row: row as u32,
                solution: first_row + a as u32,
            });
            structure.bounded.extend(bounded);
        }
        structure
    }

    /// Lays out the blocks, and returns how many numbers and rows they have.
    fn blocks(&self, places: &[u32]) -> (Vec<Block>, u32, u32) {
        let (mut numbers, mut rows) = (0, 0);
        let take = |from: &mut u32, count: u32| {
            *from += count;
            *from - count
        };
        let first_constraint = self.part.nodes.len() as u32;
        let mut blocks: Vec<Block> = Vec::with_capacity(self.order.len());
        for (block, neighbours) in &self.order {
            let size = self.sizes[*block as usize];
            let (first, row) = (take(&mut numbers, size * size), take(&mut rows, size));
            let mut later: Vec<(u32, u32)> =
                neighbours.iter().map(|&other| (places[other as usize], self.sizes[other as usize])).collect();
            later.sort_unstable();
            let share = |(block, other): (u32, u32)| {
                let first = take(&mut numbers, size * other);
                Neighbour { block, size: other, row: 0, first }
            };
            let neighbours = later.into_iter().map(share).collect();
            let is_constraint = *block >= first_constraint;
            blocks.push(Block { size, is_constraint, first, row, neighbours, updates: Vec::new() });
        }
        let first_rows: Vec<u32> = blocks.iter().map(|block| block.row).collect();
        let updates: Vec<Vec<BlockUpdate>> = blocks.iter().map(|block| updates(&blocks, block)).collect();
        for (block, updates) in blocks.iter_mut().zip(updates) {
            block.updates = updates;
            block.neighbours.iter_mut().for_each(|other| other.row = first_rows[other.block as usize]);
        }
        (blocks, numbers, rows)
    }
}

/// Returns the number that a row of a block and a row of another one share.
fn shared(blocks: &[Block], (a, row): (u32, usize), (b, other): (u32, usize)) -> Option<u32> {
    if a > b {
        return shared(blocks, (b, other), (a, row));
    }
    let neighbour = blocks[a as usize].neighbours.iter().find(|neighbour| neighbour.block == b)?;
    Some(neighbour.first + row as u32 * neighbour.size + other as u32)
}

/// Returns what the elimination of a block changes.
fn updates(blocks: &[Block], block: &Block) -> Vec<BlockUpdate> {
    let mut updates = Vec::new();
    for (second, late) in block.neighbours.iter().enumerate() {
        for (first, early) in block.neighbours[..=second].iter().enumerate() {
            let target = if first == second {
                blocks[early.block as usize].first
            } else {
                shared(blocks, (early.block, 0), (late.block, 0)).unwrap_or(0)
            };
            updates.push(BlockUpdate { first: first as u32, second: second as u32, target });
        }
    }
    updates
}

/// The numbers of a system that a constraint adds to.
struct Entries<'a> {
    structure: &'a Structure,
    nodes: &'a [Option<u32>],
    block: u32,
}

impl Entries<'_> {
    /// Returns all numbers of J and H, of which the upper triangle is stored.
    fn all(&self, linear: &Linearization) -> Vec<Entry> {
        let blocks = &self.structure.blocks;
        let slope = |&(row, axis, output): &(u8, SlotAxis, u16)| {
            let target = shared(blocks, (self.block, row.into()), self.row(axis)?)?;
            let row = (usize::from(row) >= linear.equations).then_some(row);
            Some(Entry { output, row, axes: [axis; 2], target })
        };
        let stiffness = |&(a, b, output): &(SlotAxis, SlotAxis, u16)| {
            let ((first, row), (second, column)) = (self.row(a)?, self.row(b)?);
            let target = if a.0 != b.0 {
                (a.0 < b.0).then(|| shared(blocks, (first, row), (second, column)))??
            } else {
                let block = &blocks[first as usize];
                (row <= column).then(|| block.first + row as u32 * block.size + column as u32)?
            };
            Some(Entry { output, row: None, axes: [a, b], target })
        };
        let slopes = linear.jacobian.iter().filter_map(slope);
        slopes.chain(linear.stiffness.iter().filter_map(stiffness)).collect()
    }

    /// Returns the block and the row of a degree of freedom.
    fn row(&self, (slot, axis): SlotAxis) -> Option<(u32, usize)> {
        let node = &self.structure.nodes[self.nodes[usize::from(slot)]? as usize];
        Some((node.block, row_of_axis(node, self.structure.blocks[node.block as usize].size, axis)?))
    }
}
