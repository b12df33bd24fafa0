//! The components of the constraints that are solved directly.

use std::collections::{BTreeMap, BTreeSet};

use super::FreeAxes;
use crate::connector::NodeKind;
use crate::disjoint_sets::DisjointSets;
use crate::schedule::TracedPass;

/// A node that can move.
#[derive(Debug, Clone, Copy)]
pub struct PartNode {
    /// Particle or body.
    pub kind: NodeKind,
    /// World index.
    pub index: u32,
    /// The axes along and about which it can move.
    pub axes: FreeAxes,
}

impl PartNode {
    /// Returns how many degrees of freedom it has in a system.
    pub fn size(&self) -> u32 {
        if self.axes.translation && self.axes.rotation { 6 } else { 3 }
    }
}

/// A constraint of a component.
#[derive(Debug, Clone)]
pub struct PartConstraint {
    /// Its pass, among the direct ones.
    pub pass: u32,
    /// The node of each of its slots among those of the component; none for one that cannot move.
    pub nodes: Vec<Option<u32>>,
    /// Its slot in the pass.
    pub slot: u32,
}

/// A component before its elimination: nodes in the order of their world indices, and constraints in that of their passes
/// and nodes.
#[derive(Debug, Default)]
pub struct Part {
    /// Nodes that can move.
    pub nodes: Vec<PartNode>,
    /// Constraints.
    pub constraints: Vec<PartConstraint>,
}

impl Part {
    /// Returns numbers that tell its structure from others.
    pub fn structure(&self) -> Vec<u32> {
        let node = |node: &PartNode| {
            u32::from(node.kind == NodeKind::Body)
                | u32::from(node.axes.translation) << 1
                | u32::from(node.axes.rotation) << 2
        };
        let constraint = |constraint: &PartConstraint| {
            let nodes = constraint.nodes.iter().map(|node| node.map_or(0, |node| node + 1));
            std::iter::once(constraint.pass).chain(nodes).collect::<Vec<_>>()
        };
        let count = std::iter::once(self.nodes.len() as u32);
        count.chain(self.nodes.iter().map(node)).chain(self.constraints.iter().flat_map(constraint)).collect()
    }

    /// Returns whether constraints close loops among nodes and what cannot move.
    pub fn closes_loops(&self) -> bool {
        let is_held = |constraint: &PartConstraint| constraint.nodes.contains(&None);
        // All that cannot move is one node more.
        let nodes = self.nodes.len() + usize::from(self.constraints.iter().any(is_held));
        let ties = |constraint: &PartConstraint| {
            constraint.nodes.iter().flatten().count() + usize::from(is_held(constraint)) - 1
        };
        self.constraints.iter().map(ties).sum::<usize>() >= nodes
    }

    /// Returns whether a constraint ties a body that only rotates: the segments of a rod close loops with its particles,
    /// but their elastic rows repeat nothing.
    pub fn has_segments(&self, constraint: &PartConstraint) -> bool {
        constraint.nodes.iter().flatten().any(|&node| !self.nodes[node as usize].axes.translation)
    }

    /// Returns whether the nodes can be taken away one after the other so that each is tied to at most `most` degrees of
    /// freedom of those that are left. What is tied to a node that is taken away is tied together from then on.
    pub fn falls_apart(&self, most: u32) -> bool {
        let mut adjacent = vec![BTreeSet::new(); self.nodes.len()];
        for [a, b] in self.constraints.iter().flat_map(|constraint| pairs(&constraint.nodes)) {
            adjacent[a as usize].insert(b);
            adjacent[b as usize].insert(a);
        }
        let tied = |adjacent: &BTreeSet<u32>| adjacent.iter().map(|&other| self.nodes[other as usize].size()).sum();
        let mut left: BTreeSet<(u32, u32)> = adjacent.iter().map(tied).zip(0..).collect();
        while let Some((ties, node)) = left.pop_first() {
            if ties > most {
                return false;
            }
            let others: Vec<u32> = std::mem::take(&mut adjacent[node as usize]).into_iter().collect();
            for &other in &others {
                left.remove(&(tied(&adjacent[other as usize]), other));
                adjacent[other as usize].remove(&node);
                adjacent[other as usize].extend(others.iter().filter(|&&third| third != other));
                left.insert((tied(&adjacent[other as usize]), other));
            }
        }
        true
    }

    /// Sorts nodes and constraints, so that components of the same structure are numbered alike.
    fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|&k| (self.nodes[k].kind == NodeKind::Body, self.nodes[k].index));
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &k)| places[k] = place as u32);
        self.nodes = order.iter().map(|&k| self.nodes[k]).collect();
        for constraint in &mut self.constraints {
            constraint.nodes.iter_mut().flatten().for_each(|node| *node = places[*node as usize]);
        }
        self.constraints.sort_by(|a, b| (a.pass, &a.nodes, a.slot).cmp(&(b.pass, &b.nodes, b.slot)));
    }
}

/// Returns the pairs of nodes that can move.
pub fn pairs(nodes: &[Option<u32>]) -> impl Iterator<Item = [u32; 2]> + '_ {
    let all = (0..nodes.len()).flat_map(move |a| (a + 1..nodes.len()).map(move |b| (a, b)));
    all.filter_map(|(a, b)| Some([nodes[a]?, nodes[b]?]))
}

/// Nodes and constraints on their way into components.
pub struct Collector<'a> {
    free_axes: &'a dyn Fn(NodeKind, u32) -> Option<FreeAxes>,
    numbers: BTreeMap<(bool, u32), u32>,
    nodes: Vec<PartNode>,
    /// Nodes that constraints connect.
    components: DisjointSets,
    constraints: Vec<PartConstraint>,
}

impl<'a> Collector<'a> {
    /// Creates a collector without nodes. `free_axes` returns how a node can move, none if it cannot.
    pub fn new(free_axes: &'a dyn Fn(NodeKind, u32) -> Option<FreeAxes>) -> Self {
        Self {
            free_axes,
            numbers: BTreeMap::new(),
            nodes: Vec::new(),
            components: DisjointSets::default(),
            constraints: Vec::new(),
        }
    }

    /// Takes up a constraint, unless none of its nodes can move, and returns whether it did.
    pub fn join(&mut self, number: u32, pass: &TracedPass, slot: usize) -> bool {
        let kinds = pass.connectors.nodes();
        let nodes: Vec<Option<u32>> =
            kinds.iter().zip(&pass.nodes).map(|(&kind, column)| self.node(kind, column[slot])).collect();
        let mut movable = nodes.iter().flatten();
        let Some(&first) = movable.next() else { return false };
        for &other in movable {
            self.components.join(first, other);
        }
        self.constraints.push(PartConstraint { pass: number, slot: slot as u32, nodes });
        true
    }

    /// Returns the number of a node that can move.
    fn node(&mut self, kind: NodeKind, index: u32) -> Option<u32> {
        let axes = (self.free_axes)(kind, index)?;
        let next = self.nodes.len() as u32;
        let number = *self.numbers.entry((kind == NodeKind::Body, index)).or_insert(next);
        if number == next {
            self.nodes.push(PartNode { kind, index, axes });
            self.components.push();
        }
        Some(number)
    }

    /// Returns the components in the order of their first nodes.
    pub fn components(mut self) -> Vec<Part> {
        let mut parts: BTreeMap<u32, Part> = BTreeMap::new();
        let mut local = Vec::with_capacity(self.nodes.len());
        for number in 0..self.nodes.len() as u32 {
            let root = self.components.root(number);
            let part = parts.entry(root).or_default();
            local.push(part.nodes.len() as u32);
            part.nodes.push(self.nodes[number as usize]);
        }
        for mut constraint in std::mem::take(&mut self.constraints) {
            let Some(&first) = constraint.nodes.iter().flatten().next() else { continue };
            let root = self.components.root(first);
            constraint.nodes.iter_mut().flatten().for_each(|node| *node = local[*node as usize]);
            parts.entry(root).or_default().constraints.push(constraint);
        }
        let mut parts: Vec<Part> = parts.into_values().filter(|part| !part.constraints.is_empty()).collect();
        parts.iter_mut().for_each(Part::sort);
        parts
    }
}
