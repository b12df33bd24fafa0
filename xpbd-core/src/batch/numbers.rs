//! Numbers of a batch that change while a world runs.

use std::ops::Range;

use smallvec::SmallVec;

use super::traced::NumberColumn;
use super::{Batch, BatchError, BreakLimits, ConstraintBatch, NodeCounts};
use crate::constraint::Parameters;

/// The numbers of a batch, as [`World::edit_parameters`](crate::world::World::edit_parameters) lets them be changed.
///
/// Constraints are named by their number in the batch. A constraint that does not exist has no parameters, and
/// setting its other numbers changes nothing. All numbers are checked once the edit is over.
#[derive(Debug)]
pub struct BatchNumbers<'a> {
    batch: &'a mut dyn ConstraintBatch,
    pub(crate) changes: ChangedNumbers,
    /// The break limits before the first of them changed.
    previous_limits: Option<BreakLimits>,
    /// The inputs of a hand-written batch before the edit.
    previous_inputs: Option<Vec<f32>>,
}

/// Numbers of a traced batch that an edit has set, in its order.
#[derive(Debug, Default)]
pub(crate) struct ChangedNumbers {
    ranges: SmallVec<[ChangedRange; 2]>,
    /// The numbers before the edit, range by range.
    previous: SmallVec<[f32; 16]>,
    /// True if break limits or the inputs of a hand-written batch may have changed too.
    pub(crate) others: bool,
}

/// Numbers of neighbouring constraints.
#[derive(Debug)]
struct ChangedRange {
    column: NumberColumn,
    constraints: Range<usize>,
    /// The index of the first of its numbers among those before the edit.
    previous: usize,
}

impl ChangedNumbers {
    /// Remembers numbers that are about to change. Numbers that continue the last range lengthen it, and numbers that
    /// it contains are remembered already.
    fn remember(&mut self, batch: &Batch, column: NumberColumn, constraints: Range<usize>) {
        match self.ranges.last_mut().filter(|last| last.column == column) {
            Some(last) if last.constraints.start <= constraints.start && constraints.end <= last.constraints.end => {
                return;
            }
            Some(last) if last.constraints.end == constraints.start => last.constraints.end = constraints.end,
            _ => {
                let (previous, constraints) = (self.previous.len(), constraints.clone());
                self.ranges.push(ChangedRange { column, constraints, previous });
            }
        }
        self.previous.extend_from_slice(batch.numbers(column, constraints));
    }

    /// Returns the ranges: the column, the constraints, and the numbers from those of the first constraint before the
    /// edit on.
    pub(crate) fn ranges(&self) -> impl DoubleEndedIterator<Item = (NumberColumn, Range<usize>, &[f32])> {
        self.ranges.iter().map(|range| (range.column, range.constraints.clone(), &self.previous[range.previous..]))
    }
}

impl<'a> BatchNumbers<'a> {
    pub(crate) fn new(batch: &'a mut dyn ConstraintBatch) -> Self {
        Self { batch, changes: ChangedNumbers::default(), previous_limits: None, previous_inputs: None }
    }

    /// Returns how many constraints the batch has.
    pub fn len(&self) -> usize {
        self.batch.len()
    }

    /// Returns whether the batch has no constraints.
    pub fn is_empty(&self) -> bool {
        self.batch.is_empty()
    }

    /// Returns the batch as it is now, with the changes made so far, if it is traced.
    pub fn traced(&self) -> Option<&Batch> {
        self.batch.traced()
    }

    /// Returns the parameters of a constraint, to be changed one by one.
    pub fn parameters_mut(&mut self, constraint: usize) -> &mut [f32] {
        self.change(NumberColumn::Parameters, constraint..constraint + 1)
    }

    /// Calls `edit` with the number and the parameters of every constraint.
    pub fn for_each_parameters(&mut self, mut edit: impl FnMut(usize, &mut [f32])) {
        let width = self.batch.traced().map_or(1, |batch| batch.kind().parameter_count().max(1));
        let parameters = self.change(NumberColumn::Parameters, 0..self.len());
        parameters.chunks_exact_mut(width).enumerate().for_each(|(constraint, own)| edit(constraint, own));
    }

    /// Sets the parameters of a constraint from the struct that its type declares.
    ///
    /// # Errors
    /// The struct has another number of parameters than the type of the batch.
    pub fn set_parameters<P: Parameters<f32>>(&mut self, constraint: usize, parameters: P) -> Result<(), BatchError> {
        if let Some(batch) = self.batch.traced()
            && batch.kind().parameter_count() != P::COUNT
        {
            let (name, found, each) = (batch.name().into(), P::COUNT, batch.kind().parameter_count());
            return Err(BatchError::Length { name, what: "parameters", found, count: 1, each });
        }
        let numbers = self.parameters_mut(constraint);
        if !numbers.is_empty() {
            parameters.write_to(numbers);
        }
        Ok(())
    }

    /// Sets the compliance of a constraint, for a distance in \[m/N\].
    pub fn set_compliance(&mut self, constraint: usize, compliance: f32) {
        self.change(NumberColumn::Compliance, constraint..constraint + 1).fill(compliance);
    }

    /// Returns the compliances of all constraints, for distances in \[m/N\], to be changed. Changing many at once costs
    /// less than one by one.
    pub fn compliances_mut(&mut self) -> &mut [f32] {
        self.change(NumberColumn::Compliance, 0..self.len())
    }

    /// Sets the damping coefficient β of a constraint, for a distance in \[N s/m\].
    pub fn set_damping(&mut self, constraint: usize, damping: f32) {
        self.change(NumberColumn::Damping, constraint..constraint + 1).fill(damping);
    }

    /// Returns the damping coefficients β of all constraints, for distances in \[N s/m\], to be changed.
    pub fn dampings_mut(&mut self) -> &mut [f32] {
        self.change(NumberColumn::Damping, 0..self.len())
    }

    /// Sets the greatest force \[N\] and torque \[N m\] that a constraint bears; which of its rows are forces says
    /// [`Batch::force_rows`]. In a batch whose constraints did not break, the others still do not.
    pub fn set_break_limits(&mut self, constraint: usize, limits: [f32; 2]) {
        if let Some(batch) = self.batch.traced_mut().filter(|batch| constraint < batch.len()) {
            self.changes.others = true;
            self.previous_limits.get_or_insert_with(|| batch.break_limits().clone());
            batch.set_break_limits(constraint, limits);
        }
    }

    /// Returns the [inputs](ConstraintBatch::inputs) of a hand-written batch, to be changed one by one.
    pub fn inputs_mut(&mut self) -> &mut [f32] {
        self.changes.others = true;
        self.previous_inputs.get_or_insert_with(|| self.batch.inputs().to_vec());
        self.batch.inputs_mut()
    }

    /// Returns numbers of constraints, to be changed; none if there are no such constraints.
    fn change(&mut self, column: NumberColumn, constraints: Range<usize>) -> &mut [f32] {
        let Some(batch) = self.batch.traced_mut().filter(|batch| constraints.end <= batch.len()) else {
            return &mut [];
        };
        self.changes.remember(batch, column, constraints.clone());
        batch.numbers_mut(column, constraints)
    }

    /// Checks what has changed.
    ///
    /// # Errors
    /// The first number that is not valid; the batch is then as it was before the edit.
    pub(crate) fn finish(&mut self, counts: NodeCounts) -> Result<(), BatchError> {
        self.check(counts).inspect_err(|_| self.undo())
    }

    /// Refuses numbers that are not valid.
    fn check(&self, counts: NodeCounts) -> Result<(), BatchError> {
        let Some(batch) = self.batch.traced() else {
            return if self.previous_inputs.is_some() { self.batch.validate(counts) } else { Ok(()) };
        };
        for (column, constraints, _) in self.changes.ranges() {
            batch.check_numbers(column, constraints)?;
        }
        if self.previous_limits.is_some() { batch.check_break_limits() } else { Ok(()) }
    }

    /// Gives the batch the numbers that it had.
    fn undo(&mut self) {
        if let Some(inputs) = &self.previous_inputs {
            self.batch.inputs_mut().copy_from_slice(inputs);
        }
        let Some(batch) = self.batch.traced_mut() else { return };
        if let Some(limits) = self.previous_limits.take() {
            batch.break_limits = limits;
        }
        for (column, constraints, previous) in self.changes.ranges().rev() {
            let numbers = batch.numbers_mut(column, constraints);
            numbers.copy_from_slice(&previous[..numbers.len()]);
        }
    }
}
