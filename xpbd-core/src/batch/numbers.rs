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
    changes: ChangedNumbers,
    /// The numbers before the edit, in the order of the changes.
    previous: SmallVec<[f32; 16]>,
    /// The break limits before the first of them changed.
    previous_limits: Option<BreakLimits>,
    /// The inputs of a hand-written batch before the edit.
    previous_inputs: Option<Vec<f32>>,
}

/// Numbers that an edit has set, in its order; neighbours in a batch that are set one after another are one entry.
pub(crate) type ChangedNumbers = SmallVec<[(NumberColumn, Range<usize>); 4]>;

impl<'a> BatchNumbers<'a> {
    pub(crate) fn new(batch: &'a mut dyn ConstraintBatch) -> Self {
        let (changes, previous) = (SmallVec::new(), SmallVec::new());
        Self { batch, changes, previous, previous_limits: None, previous_inputs: None }
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
        self.change(NumberColumn::Parameters, constraint)
    }

    /// Calls `edit` with the number and the parameters of every constraint.
    pub fn for_each_parameters(&mut self, mut edit: impl FnMut(usize, &mut [f32])) {
        (0..self.len()).for_each(|constraint| edit(constraint, self.parameters_mut(constraint)));
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
        self.change(NumberColumn::Compliance, constraint).fill(compliance);
    }

    /// Sets the damping coefficient β of a constraint, for a distance in \[N s/m\].
    pub fn set_damping(&mut self, constraint: usize, damping: f32) {
        self.change(NumberColumn::Damping, constraint).fill(damping);
    }

    /// Sets the greatest force \[N\] and torque \[N m\] that a constraint bears; which of its rows are forces says
    /// [`Batch::force_rows`]. In a batch whose constraints did not break, the others still do not.
    pub fn set_break_limits(&mut self, constraint: usize, limits: [f32; 2]) {
        if let Some(batch) = self.batch.traced_mut().filter(|batch| constraint < batch.len()) {
            self.previous_limits.get_or_insert_with(|| batch.break_limits().clone());
            batch.set_break_limits(constraint, limits);
        }
    }

    /// Returns the [inputs](ConstraintBatch::inputs) of a hand-written batch, to be changed one by one.
    pub fn inputs_mut(&mut self) -> &mut [f32] {
        self.previous_inputs.get_or_insert_with(|| self.batch.inputs().to_vec());
        self.batch.inputs_mut()
    }

    /// Returns the numbers of a constraint, to be changed; none if there is no such constraint.
    fn change(&mut self, column: NumberColumn, constraint: usize) -> &mut [f32] {
        let Some(batch) = self.batch.traced_mut().filter(|batch| constraint < batch.len()) else { return &mut [] };
        match self.changes.last_mut() {
            Some((last, constraints)) if *last == column && constraints.end == constraint => constraints.end += 1,
            _ => self.changes.push((column, constraint..constraint + 1)),
        }
        let numbers = batch.numbers_mut(column, constraint..constraint + 1);
        self.previous.extend_from_slice(numbers);
        numbers
    }

    /// Checks what has changed, and returns which numbers these are.
    ///
    /// # Errors
    /// The first number that is not valid; the batch is then as it was before the edit.
    pub(crate) fn finish(self, counts: NodeCounts) -> Result<ChangedNumbers, BatchError> {
        match self.check(counts) {
            Ok(()) => Ok(self.changes),
            Err(error) => {
                self.undo();
                Err(error)
            }
        }
    }

    /// Refuses numbers that are not valid.
    fn check(&self, counts: NodeCounts) -> Result<(), BatchError> {
        let Some(batch) = self.batch.traced() else {
            return if self.previous_inputs.is_some() { self.batch.validate(counts) } else { Ok(()) };
        };
        for (column, constraints) in &self.changes {
            batch.check_numbers(*column, constraints.clone())?;
        }
        if self.previous_limits.is_some() { batch.check_break_limits() } else { Ok(()) }
    }

    /// Gives the batch the numbers that it had.
    fn undo(self) {
        if let Some(inputs) = &self.previous_inputs {
            self.batch.inputs_mut().copy_from_slice(inputs);
        }
        let Some(batch) = self.batch.traced_mut() else { return };
        if let Some(limits) = self.previous_limits {
            batch.break_limits = limits;
        }
        let mut rest = self.previous.as_slice();
        for (column, constraints) in self.changes.into_iter().rev() {
            let numbers = batch.numbers_mut(column, constraints);
            let (before, own) = rest.split_at(rest.len() - numbers.len());
            numbers.copy_from_slice(own);
            rest = before;
        }
    }
}
