//! The systems of a plan as words that kernels follow.

use bytemuck::{Pod, Zeroable};
use xpbd_core::connector::NodeKind;
use xpbd_core::schedule::direct::{Block, Group, NodeBlock, Structure};
use xpbd_core::schedule::{Plan, TracedPass};

use super::DirectPass;
use crate::layout::{BODY_BIT, PassRange};
use crate::passes::PassTable;

/// The row of an entry that is not one of J.
pub const NO_ROW: u8 = u8::MAX;

/// The uniform of the kernels; see `wgsl/direct/tables.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct System {
    pub components: u32,
    pub component_count: u32,
    pub nodes: u32,
    pub node_count: u32,
    pub constraints: u32,
    pub constraint_count: u32,
    pub numbers: u32,
    pub number_count: u32,
    pub places: u32,
    pub first: u32,
    pub end: u32,
    pub unused: u32,
}

/// The systems as words of the table of passes, and as places in the memory of corrections.
pub struct Layout {
    /// The uniform of all dispatches.
    pub system: System,
    /// First record of each direct pass in the memory.
    pub records: Vec<u32>,
}

/// Takes room for numbers in the memory, and returns the place of the first.
fn take(end: &mut usize, count: usize) -> u32 {
    *end += count;
    (*end - count) as u32
}

impl Layout {
    /// Appends the systems to a table.
    pub fn new(plan: &Plan, passes: &[DirectPass<'_>], table: &mut PassTable) -> Self {
        let mut end = 4 * table.corrections;
        let data = &mut table.data;
        let (mut headers, mut records) = (Vec::new(), Vec::new());
        for DirectPass { pass, range, .. } in passes {
            let width = pass.linearization.as_ref().map_or(0, |linear| linear.program.outputs.len());
            let first = take(&mut end, pass.len() * width);
            headers.push(add_pass(pass, range, [first, width as u32], data));
            records.push(first);
        }
        let structures: Vec<StructurePlaces> =
            plan.direct.structures.iter().map(|structure| add_structure(structure, &headers, data)).collect();
        let numbers = end;
        let mut instances = Instances::default();
        for group in &plan.direct.groups {
            let number = group.structure as usize;
            let structure = &plan.direct.structures[number];
            for lane in 0..group.count {
                instances.add(plan, group, lane as usize, (structure, &structures[number]), &mut end);
            }
        }
        let number_count = (end - numbers) as u32;
        let (components, nodes) = (instances.components.len() / 8, instances.nodes.len() / 4);
        let places =
            [components, nodes, 8 * nodes, 8 * nodes, instances.bounded, 12 * nodes].map(|count| take(&mut end, count));
        let mut append = |words: &[u32]| {
            data.extend(words);
            (data.len() - words.len()) as u32
        };
        let system = System {
            components: append(&instances.components),
            component_count: components as u32,
            nodes: append(&instances.nodes),
            node_count: nodes as u32,
            constraints: append(&instances.constraints),
            constraint_count: (instances.constraints.len() / 4) as u32,
            numbers: numbers as u32,
            number_count,
            places: append(&places),
            ..System::default()
        };
        table.corrections = end.div_ceil(4);
        Self { system, records }
    }
}

/// Words of the components, of their nodes and of their constraints; see `wgsl/direct/tables.wgsl`.
#[derive(Default)]
struct Instances {
    components: Vec<u32>,
    nodes: Vec<u32>,
    constraints: Vec<u32>,
    /// Words in the memory for rows with bounds.
    bounded: usize,
}

impl Instances {
    /// Adds a component of a group.
    fn add(
        &mut self,
        plan: &Plan,
        group: &Group,
        lane: usize,
        (structure, places): (&Structure, &StructurePlaces),
        end: &mut usize,
    ) {
        let number = (self.components.len() / 8) as u32;
        let (nodes, constraints) = (structure.nodes.len(), structure.constraints.len());
        self.components.extend([
            places.header,
            take(end, structure.numbers as usize),
            // Right-hand sides, then least pivots.
            take(end, structure.rows as usize * if structure.may_repeat { 2 } else { 1 }),
            (self.nodes.len() / 4) as u32,
            nodes as u32,
            (self.constraints.len() / 4) as u32,
            constraints as u32,
            take(&mut self.bounded, 3 * structure.bounded.len()),
        ]);
        let of = |list: &[u32], first: u32, k: usize| list[first as usize + k * group.lanes as usize + lane];
        for (k, node) in structure.nodes.iter().enumerate() {
            let index = of(&plan.direct.nodes, group.first_node, k);
            let mark = if node.kind == NodeKind::Body { BODY_BIT } else { 0 };
            self.nodes.extend([index | mark, number, places.nodes[k], 0]);
        }
        for k in 0..constraints {
            let slot = of(&plan.direct.slots, group.first_slot, k);
            self.constraints.extend([slot, number, places.constraints[k], 0]);
        }
    }
}

/// Appends a pass, and returns its place.
fn add_pass(pass: &TracedPass, range: &PassRange, records: [u32; 2], data: &mut Vec<u32>) -> u32 {
    let place = data.len() as u32;
    let solved = pass.linearization.as_ref().map_or(&[][..], |linear| &linear.rows);
    let others: Vec<usize> = (0..pass.lambda.len()).filter(|row| !solved.contains(row)).collect();
    data.extend(records);
    let equations = pass.linearization.as_ref().map_or(0, |linear| linear.equations);
    data.extend([range.lambda, range.stride, solved.len() as u32, others.len() as u32, equations as u32]);
    data.extend(solved.iter().chain(&others).map(|&row| row as u32));
    place
}

/// The places of the words of a structure.
struct StructurePlaces {
    header: u32,
    nodes: Vec<u32>,
    constraints: Vec<u32>,
}

/// Appends a structure whose constraints are in passes with these places.
fn add_structure(structure: &Structure, passes: &[u32], data: &mut Vec<u32>) -> StructurePlaces {
    let blocks: Vec<[u32; 8]> = structure.blocks.iter().map(|block| add_block(block, data)).collect();
    let first_block = data.len() as u32;
    data.extend(blocks.as_flattened());
    let header = data.len() as u32;
    let may_repeat = u32::from(structure.may_repeat);
    data.extend([first_block, blocks.len() as u32, structure.bounded.len() as u32, may_repeat, structure.rows]);
    let nodes = structure.nodes.iter().map(|node| add_node(node, structure, data)).collect();
    let mut constraints = Vec::new();
    for (pass, range) in &structure.passes {
        constraints.extend(range.clone().map(|k| add_constraint(structure, k, passes[*pass], data)));
    }
    StructurePlaces { header, nodes, constraints }
}

/// Appends the neighbours and updates of a block, and returns the words of the block.
fn add_block(block: &Block, data: &mut Vec<u32>) -> [u32; 8] {
    let neighbours = data.len() as u32;
    data.extend(block.neighbours.iter().flat_map(|other| [other.size, other.row, other.first, other.block]));
    let updates = data.len() as u32;
    data.extend(block.updates.iter().flat_map(|update| [update.first, update.second, update.target]));
    let counts = [block.neighbours.len() as u32, block.updates.len() as u32];
    [block.size, u32::from(block.is_constraint), block.first, block.row, neighbours, counts[0], updates, counts[1]]
}

fn add_node(node: &NodeBlock, structure: &Structure, data: &mut Vec<u32>) -> u32 {
    let block = &structure.blocks[node.block as usize];
    data.extend([block.first, block.row, block.size, u32::from(node.first_axis)]);
    (data.len() - 4) as u32
}

fn add_constraint(structure: &Structure, number: usize, pass: u32, data: &mut Vec<u32>) -> u32 {
    let constraint = &structure.constraints[number];
    let entries = data.len() as u32;
    for entry in &constraint.entries {
        let [first, second] = entry.axes.map(|(slot, axis)| u32::from(slot) | u32::from(axis) << 8);
        let row = u32::from(entry.row.unwrap_or(NO_ROW));
        data.extend([u32::from(entry.output) | row << 16, entry.target, first | second << 16]);
    }
    let place = data.len() as u32;
    let block = &structure.blocks[constraint.block as usize];
    let count = constraint.entries.len() as u32;
    let may_repeat = u32::from(constraint.may_repeat);
    data.extend([block.first, block.row, pass, entries, count, constraint.first_bounded, may_repeat]);
    // No entry names a node that cannot move.
    data.extend(constraint.nodes.iter().map(|node| node.unwrap_or(0)));
    place
}
