//! Numbers of a batch that change while a world runs.

use smallvec::SmallVec;

use super::{Batch, BatchError, ConstraintBatch, NodeCounts};
use crate::constraint::Parameters;

/// The numbers of a batch, as [`World::edit_parameters`](crate::world::World::edit_parameters) lets them be changed.
///
/// Constraints are named by their number in the batch. A constraint that does not exist has no parameters, and
/// setting its other numbers changes nothing. All numbers are checked once the edit is over.
#[derive(Debug)]
pub struct BatchNumbers<'a> {
    batch: &'a mut dyn ConstraintBatch,
    previous: Vec<PreviousNumber>,
}

/// A number as it was before an edit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PreviousNumber {
    /// The parameters of a constraint.
    Parameters(usize, SmallVec<[f32; 8]>),
    /// The compliance of a constraint.
    Compliance(usize, f32),
    /// The damping coefficient of a constraint.
    Damping(usize, f32),
    /// The break limits of all constraints, before the first of them was limited.
    Unlimited,
    /// The break limits of a constraint.
    BreakLimits(usize, [f32; 2]),
    /// The inputs of a hand-written batch.
    Inputs(Vec<f32>),
}

impl<'a> BatchNumbers<'a> {
    pub(crate) fn new(batch: &'a mut dyn ConstraintBatch) -> Self {
        Self { batch, previous: Vec::new() }
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
        let Some(batch) = self.batch.traced_mut().filter(|batch| constraint < batch.len()) else { return &mut [] };
        self.previous.push(PreviousNumber::Parameters(constraint, batch.parameters(constraint).into()));
        batch.parameters_mut(constraint)
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
        let numbers = parameters.to_numbers();
        if let Some(batch) = self.batch.traced()
            && batch.kind().parameter_count() != numbers.len()
        {
            let (name, found, each) = (batch.name().into(), numbers.len(), batch.kind().parameter_count());
            return Err(BatchError::Length { name, what: "parameters", found, count: 1, each });
        }
        self.parameters_mut(constraint).iter_mut().zip(numbers).for_each(|(old, new)| *old = new);
        Ok(())
    }

    /// Sets the compliance of a constraint, for a distance in \[m/N\].
    pub fn set_compliance(&mut self, constraint: usize, compliance: f32) {
        if let Some(batch) = self.batch.traced_mut().filter(|batch| constraint < batch.len()) {
            self.previous.push(PreviousNumber::Compliance(constraint, batch.compliance_of(constraint)));
            batch.set_compliance(constraint, compliance);
        }
    }

    /// Sets the damping coefficient β of a constraint, for a distance in \[N s/m\].
    pub fn set_damping(&mut self, constraint: usize, damping: f32) {
        if let Some(batch) = self.batch.traced_mut().filter(|batch| constraint < batch.len()) {
            self.previous.push(PreviousNumber::Damping(constraint, batch.damping_of(constraint)));
            batch.set_damping(constraint, damping);
        }
    }

    /// Sets the greatest force \[N\] and torque \[N m\] that a constraint bears; which of its rows are forces says
    /// [`Batch::force_rows`]. In a batch whose constraints did not break, the others still do not.
    pub fn set_break_limits(&mut self, constraint: usize, limits: [f32; 2]) {
        if let Some(batch) = self.batch.traced_mut().filter(|batch| constraint < batch.len()) {
            self.previous.push(match batch.break_limits_of(constraint) {
                Some(limits) => PreviousNumber::BreakLimits(constraint, limits),
                None => PreviousNumber::Unlimited,
            });
            batch.set_break_limits(constraint, limits);
        }
    }

    /// Returns the [inputs](ConstraintBatch::inputs) of a hand-written batch, to be changed one by one.
    pub fn inputs_mut(&mut self) -> &mut [f32] {
        self.previous.push(PreviousNumber::Inputs(self.batch.inputs().to_vec()));
        self.batch.inputs_mut()
    }

    /// Checks what has changed, and returns the numbers as they were.
    ///
    /// # Errors
    /// The first number that is not valid; the batch is then as it was before the edit.
    pub(crate) fn finish(self, counts: NodeCounts) -> Result<Vec<PreviousNumber>, BatchError> {
        let Self { batch, previous } = self;
        let checked = match batch.traced() {
            Some(batch) => previous.iter().try_for_each(|number| number.check(batch)),
            None if previous.is_empty() => Ok(()),
            None => batch.validate(counts),
        };
        if let Err(error) = checked {
            previous.into_iter().rev().for_each(|number| number.restore(batch));
            return Err(error);
        }
        Ok(previous)
    }
}

impl PreviousNumber {
    /// Refuses a number that is now not valid.
    fn check(&self, batch: &Batch) -> Result<(), BatchError> {
        match *self {
            Self::Parameters(constraint, _) => batch.check_parameters(constraint),
            Self::Compliance(constraint, _) => batch.check_compliance(constraint),
            Self::Damping(constraint, _) => batch.check_damping(constraint),
            Self::Unlimited | Self::BreakLimits(..) => batch.check_break_limits(),
            Self::Inputs(_) => Ok(()),
        }
    }

    /// Gives a batch this number back.
    fn restore(self, batch: &mut dyn ConstraintBatch) {
        if let Self::Inputs(inputs) = &self {
            batch.inputs_mut().copy_from_slice(inputs);
        }
        let Some(batch) = batch.traced_mut() else { return };
        match self {
            Self::Parameters(constraint, numbers) => batch.parameters_mut(constraint).copy_from_slice(&numbers),
            Self::Compliance(constraint, compliance) => batch.set_compliance(constraint, compliance),
            Self::Damping(constraint, damping) => batch.set_damping(constraint, damping),
            Self::Unlimited => batch.remove_break_limits(),
            Self::BreakLimits(constraint, limits) => batch.set_break_limits(constraint, limits),
            Self::Inputs(_) => {}
        }
    }
}
