//! The components of the constraints that are solved directly.

use std::collections::BTreeMap;

use super::FreeAxes;
use crate::connector::NodeKind;
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

/// Nodes and constraints on their way into components.
pub struct Collector<'a> {
    free_axes: &'a dyn Fn(NodeKind, u32) -> Option<FreeAxes>,
    numbers: BTreeMap<(bool, u32), u32>,
    nodes: Vec<PartNode>,
    /// Union-find forest of nodes.
    parents: Vec<u32>,
    constraints: Vec<PartConstraint>,
}

impl<'a> Collector<'a> {
    /// Creates a collector without nodes. `free_axes` returns how a node can move, none if it cannot.
    pub fn new(free_axes: &'a dyn Fn(NodeKind, u32) -> Option<FreeAxes>) -> Self {
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
    pub fn join(&mut self, number: u32, pass: &TracedPass, slot: usize) {
        let kinds = pass.connectors.nodes();
        let nodes: Vec<Option<u32>> =
            kinds.iter().zip(&pass.nodes).map(|(&kind, column)| self.node(kind, column[slot])).collect();
        let mut movable = nodes.iter().flatten();
        let Some(&first) = movable.next() else { return };
        for &other in movable {
            let (a, b) = (self.root(first), self.root(other));
            self.parents[a.max(b) as usize] = a.min(b);
        }
        self.constraints.push(PartConstraint { pass: number, slot: slot as u32, nodes });
    }

    /// Returns the number of a node that can move.
    fn node(&mut self, kind: NodeKind, index: u32) -> Option<u32> {
        let axes = (self.free_axes)(kind, index)?;
        let next = self.nodes.len() as u32;
        let number = *self.numbers.entry((kind == NodeKind::Body, index)).or_insert(next);
        if number == next {
            self.nodes.push(PartNode { kind, index, axes });
            self.parents.push(number);
        }
        Some(number)
    }

    /// Returns the components in the order of their first nodes.
    pub fn components(mut self) -> Vec<Part> {
        let mut parts: BTreeMap<u32, Part> = BTreeMap::new();
        let mut local = Vec::with_capacity(self.nodes.len());
        for number in 0..self.nodes.len() as u32 {
            let root = self.root(number);
            let part = parts.entry(root).or_default();
            local.push(part.nodes.len() as u32);
            part.nodes.push(self.nodes[number as usize]);
        }
        for mut constraint in std::mem::take(&mut self.constraints) {
            let Some(&first) = constraint.nodes.iter().flatten().next() else { continue };
            let root = self.root(first);
            constraint.nodes.iter_mut().flatten().for_each(|node| *node = local[*node as usize]);
            parts.entry(root).or_default().constraints.push(constraint);
        }
        let mut parts: Vec<Part> = parts.into_values().filter(|part| !part.constraints.is_empty()).collect();
        parts.iter_mut().for_each(Part::sort);
        parts
    }
}
