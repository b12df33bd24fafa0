//! Direct solves on the device: the elimination that the plan lists, laid out as words that kernels follow.
//!
//! A round of a solution is a few dispatches, with one thread for each node, constraint or component. Lists that are
//! followed one after another are divided among dispatches, because some devices end loops that are too long.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use xpbd_core::connector::NodeKind;
use xpbd_core::schedule::direct::{
    Block, Group, LARGEST_ROTATION, NodeBlock, REPEATS, SMALL_ROTATION, SMALLEST_PIVOT, Structure,
};
use xpbd_core::schedule::{Plan, TracedPass};

use crate::device::Device;
use crate::layout::{BODY_BIT, PassRange, wgsl_constants};
use crate::pass_kernel::{linearization_text, shift_text};
use crate::passes::{Dispatch, PassTable};
use crate::pipelines::{Family, Pipelines};
use crate::wgsl;

/// Turns of loops that a thread takes at most in a dispatch: some devices leave a loop after 65,535.
const MAX_TURNS: usize = 40_000;
/// Nodes of a component, of which a thread visits all in a dispatch.
const MAX_NODES: usize = 10_000;

/// The uniform of the kernels; see `direct.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct System {
    components: u32,
    component_count: u32,
    nodes: u32,
    node_count: u32,
    constraints: u32,
    constraint_count: u32,
    numbers: u32,
    number_count: u32,
    places: u32,
    first: u32,
    end: u32,
    is_last: u32,
}

/// The dispatches of direct solves.
#[derive(Debug)]
pub struct DirectSolve {
    /// Dispatches that solve from predicted positions.
    pub cold: Vec<Dispatch>,
    /// Dispatches that solve again what has been moved since.
    pub warm: Vec<Dispatch>,
    /// Dispatches that scale the multipliers to another length of a substep.
    pub rescale: Vec<Dispatch>,
    /// Dispatches that add the multipliers of a substep to their sums.
    pub sums: Vec<Dispatch>,
}

/// Prints the kernels that follow the elimination.
pub fn direct_text() -> String {
    let constants = wgsl_constants!(
        LARGEST_SQUARE = LARGEST_ROTATION * LARGEST_ROTATION,
        SMALL_SQUARE = SMALL_ROTATION * SMALL_ROTATION,
        SMALLEST_PIVOT = SMALLEST_PIVOT,
    );
    wgsl::kernel(&[&constants, &shift_text(false), include_str!("wgsl/direct.wgsl")])
}

/// Prints the kernels that change the multipliers of a pass.
pub fn multipliers_text() -> String {
    wgsl::kernel(&[wgsl::RANGE, include_str!("wgsl/direct_multipliers.wgsl")])
}

impl DirectSolve {
    /// Lays out the systems of a plan, behind its passes with their columns; none if nothing is solved directly.
    ///
    /// # Errors
    /// The device refuses a kernel, or a component has too many nodes.
    pub fn new(
        plan: &Plan,
        columns: &[Vec<u16>],
        table: &mut PassTable,
        device: &Device,
        pipelines: &mut Pipelines,
    ) -> Result<Option<Self>, String> {
        if plan.direct.is_empty() {
            return Ok(None);
        }
        let longest = plan.direct.structures.iter().map(|structure| structure.nodes.len()).max().unwrap_or(0);
        if longest > MAX_NODES {
            return Err(format!(
                "{longest} connected nodes are solved directly, of which a device takes {MAX_NODES}; take \
                 `ConstraintSolver::Sweep`, or the CPU"
            ));
        }
        let passes = direct_passes(plan, columns, table);
        let layout = Layout::new(plan, &passes, table);
        let mut recorder = Recorder { plan, passes: &passes, layout, table, device, pipelines };
        recorder.record().map(Some)
    }
}

/// A direct pass, its columns, and its range among all passes.
struct DirectPass<'a> {
    pass: &'a TracedPass,
    columns: &'a [u16],
    range: PassRange,
}

fn direct_passes<'a>(plan: &'a Plan, columns: &'a [Vec<u16>], table: &PassTable) -> Vec<DirectPass<'a>> {
    let traced = plan.traced().zip(columns).zip(&table.bases);
    let direct = traced.filter(|((pass, _), _)| pass.linearization.is_some());
    direct.map(|((pass, columns), &range)| DirectPass { pass, columns, range }).collect()
}

/// The systems as words of the table of passes, and as places in the memory of corrections.
struct Layout {
    system: System,
    /// First record of each direct pass in the memory.
    records: Vec<u32>,
}

/// Takes room for numbers in the memory, and returns the place of the first.
fn take(end: &mut usize, count: usize) -> u32 {
    *end += count;
    (*end - count) as u32
}

impl Layout {
    /// Appends the systems to a table.
    fn new(plan: &Plan, passes: &[DirectPass<'_>], table: &mut PassTable) -> Self {
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
        let places = [take(&mut end, components), take(&mut end, nodes), take(&mut end, 8 * nodes)];
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

/// Words of the components, of their nodes and of their constraints; see `direct.wgsl`.
#[derive(Default)]
struct Instances {
    components: Vec<u32>,
    nodes: Vec<u32>,
    constraints: Vec<u32>,
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
            take(end, structure.rows as usize),
            (self.nodes.len() / 4) as u32,
            nodes as u32,
            (self.constraints.len() / 4) as u32,
            constraints as u32,
            0,
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
    data.extend([range.lambda, range.stride, solved.len() as u32, others.len() as u32]);
    data.extend(solved.iter().chain(&others).map(|&row| row as u32));
    place
}

/// Where the words of a structure are.
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
    data.extend([first_block, blocks.len() as u32]);
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
        data.extend([u32::from(entry.output), entry.target, first | second << 16]);
    }
    let place = data.len() as u32;
    let block = &structure.blocks[constraint.block as usize];
    data.extend([block.first, block.row, pass, entries, constraint.entries.len() as u32]);
    // No entry names a node that cannot move.
    data.extend(constraint.nodes.iter().map(|node| node.unwrap_or(0)));
    place
}

/// The dispatches on their way into a plan.
struct Recorder<'a> {
    plan: &'a Plan,
    passes: &'a [DirectPass<'a>],
    layout: Layout,
    table: &'a mut PassTable,
    device: &'a Device,
    pipelines: &'a mut Pipelines,
}

impl Recorder<'_> {
    fn record(&mut self) -> Result<DirectSolve, String> {
        let mut cold = vec![self.dispatch("begin_cold", self.components(), self.layout.system)?];
        for round in 0..=REPEATS {
            cold.extend(self.round(round == REPEATS)?);
        }
        let mut warm = vec![self.dispatch("begin_warm", self.components(), self.layout.system)?];
        warm.extend(self.round(true)?);
        let [rescale, sums] = self.multipliers()?;
        Ok(DirectSolve { cold, warm, rescale, sums })
    }

    fn components(&self) -> usize {
        self.layout.system.component_count as usize
    }

    /// Returns the dispatches of one solution.
    fn round(&mut self, is_last: bool) -> Result<Vec<Dispatch>, String> {
        let system = System { is_last: u32::from(is_last), ..self.layout.system };
        let [components, nodes, constraints] =
            [system.component_count, system.node_count, system.constraint_count].map(|count| count as usize);
        let mut round = vec![
            self.dispatch("clear", system.number_count as usize, system)?,
            self.dispatch("add_masses", nodes, system)?,
        ];
        for number in 0..self.passes.len() {
            round.push(self.linearization(number)?);
        }
        let part = |part: &Range<usize>| System { first: part.start as u32, end: part.end as u32, ..system };
        for range in parts(&self.plan.direct.structures, constraint_turns) {
            round.push(self.dispatch("assemble", components, part(&range))?);
        }
        let blocks = parts(&self.plan.direct.structures, block_turns);
        for range in &blocks {
            round.push(self.dispatch("eliminate", components, part(range))?);
        }
        for range in blocks.iter().rev() {
            round.push(self.dispatch("substitute", components, part(range))?);
        }
        round.push(self.dispatch("decide", components, system)?);
        round.push(self.dispatch("set_multipliers", constraints, system)?);
        round.push(self.dispatch("move_nodes", nodes, system)?);
        Ok(round)
    }

    fn dispatch(&mut self, entry: &'static str, threads: usize, system: System) -> Result<Dispatch, String> {
        let pipeline = self.pipelines.get(self.device, Family::Pass, &direct_text(), entry)?;
        Ok(self.table.dispatch(bytemuck::cast(system), &pipeline, threads))
    }

    /// Returns the dispatch that linearizes the constraints of a pass.
    fn linearization(&mut self, number: usize) -> Result<Dispatch, String> {
        let DirectPass { pass, columns, range } = &self.passes[number];
        let text = linearization_text(pass, columns);
        let pipeline = self.pipelines.get(self.device, Family::Pass, &text, "linearize_all")?;
        let range = PassRange { entries: self.layout.records[number], ..*range };
        Ok(self.table.dispatch(range, &pipeline, pass.len()))
    }

    /// Returns the dispatches that scale multipliers, and those that add them up.
    fn multipliers(&mut self) -> Result<[Vec<Dispatch>; 2], String> {
        let text = multipliers_text();
        let mut lists = [Vec::new(), Vec::new()];
        for (list, entry) in lists.iter_mut().zip(["rescale_multipliers", "sum_multipliers"]) {
            let pipeline = self.pipelines.get(self.device, Family::Pass, &text, entry)?;
            for DirectPass { pass, range, .. } in self.passes {
                if entry == "rescale_multipliers" || !pass.mean_lambda.is_empty() {
                    let count = pass.lambda.len() * pass.len();
                    let range = PassRange { count: count as u32, ..*range };
                    list.push(self.table.dispatch(range, &pipeline, count));
                }
            }
        }
        Ok(lists)
    }
}

/// Returns about how many turns of loops each constraint of a structure takes.
fn constraint_turns(structure: &Structure) -> Vec<usize> {
    let of_block = |block: u32| structure.blocks[block as usize].size as usize;
    let turns = structure.constraints.iter().map(|constraint| {
        let size = of_block(constraint.block);
        1 + size + size * size + constraint.entries.len()
    });
    turns.collect()
}

/// Returns the number of turns of loops, or more, that each block of a structure takes.
fn block_turns(structure: &Structure) -> Vec<usize> {
    let turns = structure.blocks.iter().map(|block| {
        let size = block.size as usize;
        let width = |k: u32| block.neighbours[k as usize].size as usize;
        let neighbours = block.neighbours.iter().map(|other| 1 + other.size as usize * (1 + 3 * size + size * size));
        let updates =
            block.updates.iter().map(|update| 1 + width(update.first) * (1 + size + width(update.second) * (1 + size)));
        10 * size + 3 * size * size + size * size * size + neighbours.sum::<usize>() + updates.sum::<usize>()
    });
    turns.collect()
}

/// Divides lists that are followed one after another, one of each structure, so that no part takes too many turns.
fn parts(structures: &[Structure], turns: fn(&Structure) -> Vec<usize>) -> Vec<Range<usize>> {
    let lists: Vec<Vec<usize>> = structures.iter().map(turns).collect();
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let (mut parts, mut start, mut sum) = (Vec::new(), 0, 0);
    for k in 0..longest {
        let most = lists.iter().filter_map(|list| list.get(k)).max().copied().unwrap_or(0);
        if sum + most > MAX_TURNS && k > start {
            parts.push(start..k);
            (start, sum) = (k, 0);
        }
        sum += most;
    }
    parts.push(start..longest);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_hold_every_number_once_and_none_takes_too_many_turns() {
        let turns = |structure: &Structure| vec![MAX_TURNS / 4; structure.numbers as usize];
        let of = |numbers: u32| Structure { numbers, ..Structure::default() };
        assert_eq!(parts(&[of(3), of(10)], turns), [0..4, 4..8, 8..10]);
    }
}
