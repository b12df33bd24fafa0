//! A pass over the traced constraints of one type, laid out for blocks and kernels.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use glam::Vec3;
use smallvec::SmallVec;

use super::colouring::Colouring;
use super::patches::{PatchStage, Strips};
use super::scheduled_batch::{CollectedConstraints, PassSlot, ScheduledBatch};
use crate::batch::traced::NumberColumn;
use crate::connector::{Connectors, NodeKind};
use crate::constraint::layout::ProgramLayout;
use crate::constraint::update::linearization::Linearization;
use crate::constraint::update::reaction_program;
use crate::constraint::{ConstraintType, Parameters};
use crate::program::Program;
use crate::program::interpret::WIDE_LANES;
use crate::scalar;
use crate::settings::ScheduleSettings;

/// A node that the Jacobi remainder moves, and the corrections it sums up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemainderNode {
    /// Type of the node: a particle or a body.
    pub kind: NodeKind,
    /// The index of the node in the world.
    pub node: u32,
    /// Range in [`TracedPass::remainder_entries`].
    pub entries: Range<u32>,
}

/// The constraints of one type in the order in which they are solved, structure of arrays.
#[derive(Debug, Clone)]
pub struct TracedPass {
    /// Type of the constraints.
    pub kind: Arc<ConstraintType>,
    /// The connectors of every constraint.
    pub connectors: Connectors,
    /// The columns and inputs of its programs.
    pub layout: ProgramLayout,
    /// Number of constraints that are damped.
    damped_count: usize,
    /// Which constraint is where.
    pub slots: Vec<PassSlot>,
    /// For each node slot the world index of the node, one for each constraint; padded by a block.
    pub nodes: Vec<Vec<u32>>,
    /// The columns of [`ProgramLayout`], one number for each constraint; padded.
    pub columns: Vec<Vec<f32>>,
    /// The multipliers λ of each row in the last substep; padded.
    pub lambda: Vec<Vec<f32>>,
    /// The mean multipliers of each row over the last frame, which are sums in the course of it; padded. Empty in a pass
    /// over particles alone, and in one that the host lays out anew every frame.
    pub mean_lambda: Vec<Vec<f32>>,
    /// The multipliers of impacts in this substep; padded. Empty where nothing rebounds.
    pub impacts: Vec<Vec<f32>>,
    /// The groups solved one after the other, each without a shared movable node.
    pub colours: Vec<Range<usize>>,
    /// The stages into which the first of the colours are divided, if they are.
    pub stages: Vec<PatchStage>,
    /// Constraints that are solved at once from the same positions, after the colours.
    pub remainder: Range<usize>,
    /// The nodes of the remainder.
    pub remainder_nodes: Vec<RemainderNode>,
    /// For each gathered correction: slot in the remainder × node slots + node slot.
    pub remainder_entries: Vec<u32>,
    /// For each column the range of slots that have changed since a device was last given the column.
    pub changed: Vec<Range<usize>>,
    /// The linearization of its constraints, if they are solved directly.
    pub linearization: Option<Arc<Linearization>>,
    /// See [`TracedPass::reaction_program`].
    reaction_program: OnceLock<Arc<Program>>,
}

impl TracedPass {
    /// Creates a pass without constraints, to be filled slot by slot.
    pub fn empty(kind: Arc<ConstraintType>, connectors: Connectors) -> Self {
        let layout = ProgramLayout::new(&kind, &connectors);
        Self {
            damped_count: 0,
            slots: Vec::new(),
            nodes: vec![Vec::new(); connectors.nodes().len()],
            columns: vec![Vec::new(); layout.columns],
            lambda: vec![Vec::new(); kind.row_count()],
            mean_lambda: Vec::new(),
            impacts: Vec::new(),
            colours: Vec::new(),
            stages: Vec::new(),
            remainder: 0..0,
            remainder_nodes: Vec::new(),
            remainder_entries: Vec::new(),
            changed: vec![0..0; layout.columns],
            linearization: None,
            reaction_program: OnceLock::new(),
            kind,
            connectors,
            layout,
        }
    }

    /// Builds the pass over those constraints of `batches` that it `has`, which are of one type and have the same
    /// connectors, and are solved directly if there is a `linearization`. If there are strips, it is divided by them.
    /// `inverse_mass` tells that of a node of the world, 0 if it cannot move.
    pub fn build(
        batches: &[ScheduledBatch<'_>],
        has: &dyn Fn(PassSlot) -> bool,
        linearization: Option<Arc<Linearization>>,
        (settings, strips): (&ScheduleSettings, Option<&mut Strips>),
        inverse_mass: &dyn Fn(NodeKind, u32) -> f32,
    ) -> Self {
        let first = batches[0].batch;
        let mut pass = Self::empty(first.kind().clone(), first.connectors().clone());
        if !pass.connectors.only_particles() {
            pass.mean_lambda.clone_from(&pass.lambda);
        }
        pass.linearization = linearization;
        let unordered = CollectedConstraints::collect(batches, has, inverse_mass);
        let colouring = unordered.colour(settings, strips);
        let order = pass.order(&unordered, &colouring);
        pass.fill(&order, &unordered, batches);
        pass.list_remainder_nodes(&|kind, node| inverse_mass(kind, node) > 0.0);
        pass
    }

    /// Adds the multipliers of a substep to their sums, or begins the sums with those of the first substep.
    pub(crate) fn sum_multipliers(&mut self, is_first: bool) {
        for (sums, row) in self.mean_lambda.iter_mut().zip(&self.lambda) {
            if is_first {
                sums.copy_from_slice(row);
            } else {
                sums.iter_mut().zip(row).for_each(|(sum, &lambda)| *sum += lambda);
            }
        }
    }

    /// Turns the sums of multipliers over a frame of so many substeps into means.
    pub fn average_multipliers(&mut self, substeps: u32) {
        let part = 1.0 / substeps as f32;
        self.mean_lambda.iter_mut().flatten().for_each(|sum| *sum *= part);
    }

    /// Returns the multipliers of each row from which reactions are told: their means over the last frame, in a pass over
    /// particles alone those of its last substep.
    pub fn reaction_multipliers(&self) -> &[Vec<f32>] {
        if self.mean_lambda.is_empty() { &self.lambda } else { &self.mean_lambda }
    }

    /// Returns the program that [loads](crate::world::World::reaction) are queried with, made when it is asked for.
    pub(crate) fn reaction_program(&self) -> Arc<Program> {
        self.reaction_program.get_or_init(|| Arc::new(reaction_program(&self.kind, &self.connectors))).clone()
    }

    /// Sets the numbers of constraints, those of one after another, in their slots ([`PlanPlacement::NONE`] for one that
    /// is not solved), and marks as changed what differs from the numbers before.
    ///
    /// [`PlanPlacement::NONE`]: crate::world::PlanPlacement::NONE
    pub(crate) fn set_numbers(&mut self, column: NumberColumn, slots: &[u32], numbers: &[f32], previous: &[f32]) {
        let (first, width) = match column {
            NumberColumn::Parameters => (self.layout.parameters, self.kind.parameter_count()),
            NumberColumn::Compliance => (self.layout.compliance, 1),
            NumberColumn::Damping => (self.layout.damping, 1),
        };
        for (constraint, &slot) in slots.iter().enumerate() {
            let own = constraint * width..(constraint + 1) * width;
            for (k, (number, previous)) in numbers[own.clone()].iter().zip(&previous[own]).enumerate() {
                if number.to_bits() != previous.to_bits() {
                    self.set_number(usize::from(first) + k, slot as usize, *number);
                }
            }
        }
    }

    /// Sets a number of a column, in a slot if there is one, and marks it as changed.
    fn set_number(&mut self, column: usize, slot: usize, number: f32) {
        let Some(current) = self.columns[column][..self.slots.len()].get_mut(slot) else { return };
        if column == usize::from(self.layout.damping) {
            self.damped_count += usize::from(number > 0.0);
            self.damped_count -= usize::from(*current > 0.0);
        }
        *current = number;
        let changed = &mut self.changed[column];
        *changed = if changed.start == changed.end {
            slot..slot + 1
        } else {
            changed.start.min(slot)..changed.end.max(slot + 1)
        };
    }

    /// Returns whether any of its rows is swept.
    pub fn is_swept(&self) -> bool {
        self.linearization.as_ref().is_none_or(|linear| !linear.is_complete(self.kind.row_count()))
    }

    /// Returns whether its programs damp: where any constraint is damped, and in direct solves, which keep their
    /// multipliers while damping comes and goes.
    pub fn is_damped(&self) -> bool {
        self.damped_count > 0 || self.linearization.is_some()
    }

    /// Returns the parameters with the index of its column in place of each number.
    pub fn columns_of<P: Parameters<usize>>(&self) -> P {
        self.layout.columns_of()
    }

    /// Returns the vector of one constraint that stands in these columns.
    pub fn vector_at(&self, columns: scalar::Vec3<usize>, slot: usize) -> Vec3 {
        Vec3::from([columns.x, columns.y, columns.z].map(|column| self.columns[column][slot]))
    }

    /// Returns how many constraints there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Sorts constraints by colour, within a colour by movable node, and marks where colours begin.
    fn order(&mut self, unordered: &CollectedConstraints, colouring: &Colouring) -> Vec<usize> {
        let mut order: Vec<usize> = (0..unordered.slots.len()).collect();
        let lowest = |k: usize| unordered.lowest(k);
        let Some(patches) = &colouring.patches else {
            order.sort_by_key(|&k| (colouring.colour[k], lowest(k)));
            self.mark_colours(&order, colouring, 0);
            return order;
        };
        let group = |k: usize| match colouring.colour[k] {
            Colouring::REMAINDER => (usize::MAX, Colouring::REMAINDER, 0),
            colour => (patches.stage(k), colour, patches.patch[k]),
        };
        order.sort_by_key(|&k| (group(k), lowest(k)));
        let mut start = 0;
        for number in 0..patches.stages.len() {
            let members = order[start..].partition_point(|&k| group(k).0 <= number);
            let of_stage = &order[start..start + members];
            self.stages.push(patches.mark(number, start, of_stage, &colouring.colour, &mut self.colours));
            start += members;
        }
        self.mark_colours(&order, colouring, start);
        order
    }

    /// Marks where the colours of constraints begin that are sorted by colour from a slot on; `order` has the index of each.
    pub(crate) fn mark_colours(&mut self, order: &[usize], colouring: &Colouring, mut start: usize) {
        for colour in 0..colouring.colour_count {
            let end = start + order[start..].partition_point(|&k| colouring.colour[k] == colour);
            if start < end {
                self.colours.push(start..end);
            }
            start = end;
        }
        self.remainder = start..order.len();
    }

    /// Returns the colours that are in no stage.
    pub fn colours_after_stages(&self) -> Range<usize> {
        self.stages.last().map_or(0, |stage| stage.colours.end)..self.colours.len()
    }

    fn fill(&mut self, order: &[usize], unordered: &CollectedConstraints, batches: &[ScheduledBatch<'_>]) {
        let (compliance, damping) = (usize::from(self.layout.compliance), usize::from(self.layout.damping));
        for &k in order {
            let slot = unordered.slots[k];
            let entry = &batches[unordered.entries[k] as usize];
            let (batch, constraint) = (entry.batch, slot.constraint as usize);
            for (column, &node) in self.nodes.iter_mut().zip(&unordered.nodes[k * unordered.width..]) {
                column.push(node);
            }
            let on_bodies = self.connectors.points().iter().filter(|point| point.kind() == NodeKind::Body);
            let locals = on_bodies.zip(batch.locals(constraint)).flat_map(|(&point, &local)| {
                let body = unordered.nodes[k * unordered.width + point.node()];
                (entry.central)(point, body, local).to_array()
            });
            let numbers = locals.chain(batch.parameters(constraint).iter().copied());
            for (column, number) in self.columns.iter_mut().zip(numbers) {
                column.push(number);
            }
            self.columns[compliance].push(batch.compliance_of(constraint));
            self.columns[damping].push(batch.damping_of(constraint));
            self.damped_count += usize::from(batch.damping_of(constraint) > 0.0);
            self.slots.push(slot);
        }
        let shares = usize::from(self.layout.mass_shares);
        self.columns[shares..].iter_mut().for_each(|column| column.resize(order.len(), 1.0));
        self.pad();
    }

    /// Lengthens every column so that a block may be read from any slot.
    pub fn pad(&mut self) {
        let length = self.slots.len() + WIDE_LANES;
        self.nodes.iter_mut().for_each(|column| column.resize(length, 0));
        self.columns.iter_mut().for_each(|column| column.resize(length, 0.0));
        self.lambda.iter_mut().chain(&mut self.mean_lambda).for_each(|column| column.resize(length, 0.0));
    }

    /// Removes what [`TracedPass::pad`] has added, so that constraints can be appended.
    pub(crate) fn remove_padding(&mut self) {
        let length = self.slots.len();
        let columns = self.columns.iter_mut().chain(&mut self.lambda).chain(&mut self.mean_lambda);
        columns.for_each(|column| column.truncate(length));
        self.nodes.iter_mut().for_each(|column| column.truncate(length));
    }

    /// Makes room for the multipliers of impacts, or removes it; after [`TracedPass::pad`].
    pub(crate) fn has_impacts(&mut self, has_impacts: bool) {
        let (rows, length) = (if has_impacts { self.lambda.len() } else { 0 }, self.slots.len() + WIDE_LANES);
        self.impacts.clear();
        self.impacts.resize(rows, vec![0.0; length]);
    }

    /// Returns whether anything has hit in this substep.
    pub(crate) fn has_hit(&self) -> bool {
        self.impacts.iter().flatten().any(|&impulse| impulse > 0.0)
    }

    /// Returns the slots of each colour, and those of the remainder.
    pub(crate) fn slot_ranges(&self) -> SmallVec<[Range<usize>; 16]> {
        self.colours.iter().chain([&self.remainder]).cloned().collect()
    }

    /// Moves the numbers and multipliers of constraints to new slots: those of slot k come from slot `from[k]`, or are 0
    /// where there was no such slot. The nodes, the colours and the remainder are to be filled in again, and the pass is
    /// to be [padded](Self::pad).
    pub(crate) fn rearrange(&mut self, from: &[u32]) {
        let mut moved = Vec::new();
        for column in self.columns.iter_mut().chain(&mut self.lambda) {
            moved.clear();
            moved.extend(from.iter().map(|&slot| column.get(slot as usize).copied().unwrap_or(0.0)));
            std::mem::swap(column, &mut moved);
        }
        self.slots.clear();
        self.nodes.iter_mut().for_each(Vec::clear);
        self.colours.clear();
        self.stages.clear();
        self.remainder_nodes.clear();
        self.remainder_entries.clear();
        self.remainder = 0..0;
    }

    /// Removes all constraints but keeps the memory.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.nodes.iter_mut().for_each(Vec::clear);
        self.columns.iter_mut().for_each(Vec::clear);
        self.lambda.iter_mut().for_each(Vec::clear);
        self.impacts.clear();
        self.colours.clear();
        self.stages.clear();
        self.remainder_nodes.clear();
        self.remainder_entries.clear();
        self.remainder = 0..0;
    }

    /// Lists for each movable node of the remainder its corrections, and counts them as its shares.
    pub fn list_remainder_nodes(&mut self, movable: &dyn Fn(NodeKind, u32) -> bool) {
        let width = self.nodes.len();
        let kinds = self.connectors.nodes();
        let mut touched: Vec<(u8, u32, u32)> = Vec::new();
        for slot in self.remainder.clone() {
            for (k, &kind) in kinds.iter().enumerate() {
                let node = self.nodes[k][slot];
                if movable(kind, node) {
                    let entry = (slot - self.remainder.start) * width + k;
                    touched.push((u8::from(kind == NodeKind::Body), node, entry as u32));
                }
            }
        }
        touched.sort_unstable();
        let shares = usize::from(self.layout.mass_shares);
        for group in touched.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let start = self.remainder_entries.len() as u32;
            for &(_, _, entry) in group {
                let (slot, k) = (self.remainder.start + entry as usize / width, entry as usize % width);
                self.columns[shares + k][slot] = group.len() as f32;
                self.remainder_entries.push(entry);
            }
            let kind = if group[0].0 == 1 { NodeKind::Body } else { NodeKind::Particle };
            self.remainder_nodes.push(RemainderNode {
                kind,
                node: group[0].1,
                entries: start..self.remainder_entries.len() as u32,
            });
        }
    }
}

/// Appends the parameters of one constraint after the other to the columns of a pass.
///
/// Numbers of several constraints are gathered before each column takes its own, since a number for each of two dozen columns
/// in turn touches as many lines of the cache.
#[derive(Debug)]
#[must_use = "`finish` writes what has been appended last"]
pub struct ParameterAppender {
    columns: Range<usize>,
    numbers: Vec<f32>,
}

/// Number of constraints whose parameters are gathered.
const GATHERED: usize = 64;

impl ParameterAppender {
    /// Creates an appender for a pass.
    pub fn new(pass: &TracedPass) -> Self {
        let first = usize::from(pass.layout.parameters);
        Self { columns: first..first + pass.kind.parameter_count(), numbers: Vec::new() }
    }

    /// Appends the parameters of one constraint to the pass that the appender was created for.
    #[inline]
    pub fn append(&mut self, pass: &mut TracedPass, parameters: impl Parameters<f32>) {
        parameters.append_to(&mut self.numbers);
        if self.numbers.len() == GATHERED * self.columns.len() {
            self.write(pass);
        }
    }

    /// Writes what has been appended to that pass.
    pub fn finish(mut self, pass: &mut TracedPass) {
        self.write(pass);
    }

    fn write(&mut self, pass: &mut TracedPass) {
        let Self { columns, numbers } = self;
        for (k, column) in pass.columns[columns.clone()].iter_mut().enumerate() {
            column.extend(numbers.chunks_exact(columns.len()).map(|numbers| numbers[k]));
        }
        numbers.clear();
    }

    /// Replaces the parameters of the constraint in a slot of a pass.
    pub(crate) fn replace(pass: &mut TracedPass, slot: usize, parameters: impl Parameters<f32>) {
        let Self { columns, mut numbers } = Self::new(pass);
        parameters.append_to(&mut numbers);
        pass.columns[columns].iter_mut().zip(numbers).for_each(|(column, number)| column[slot] = number);
    }
}
