//! What the constraints of a batch bear before they break, and which have broken.

use serde::{Deserialize, Serialize};

use super::{Batch, BatchError};

/// The largest forces and torques that the constraints of a batch carry. They are the norm of λ/h²
/// over its first rows \[N\], and over the rows that follow \[N m\].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BreakLimits {
    /// Number of rows, from the first, that are forces; the others are torques.
    pub force_rows: usize,
    /// The largest force \[N\] and torque \[N m\] of each constraint; empty where none breaks.
    limits: Vec<[f32; 2]>,
    /// Whether a constraint has broken; empty where none has.
    broken: Vec<bool>,
}

impl BreakLimits {
    /// Returns whether the lists fit a batch of this many constraints.
    pub(crate) fn matches_len(&self, len: usize) -> bool {
        [self.limits.len(), self.broken.len()].into_iter().all(|found| found == 0 || found == len)
    }

    /// Returns the first limit that is not valid.
    fn first_invalid(&self) -> Option<(usize, f32)> {
        let numbers = self.limits.iter().enumerate().flat_map(|(constraint, limits)| limits.map(|x| (constraint, x)));
        numbers.into_iter().find(|(_, limit)| limit.is_nan() || *limit < 0.0)
    }

    /// Returns whether the same constraints are broken, and the same rows are forces.
    pub(super) fn has_same_topology(&self, other: &Self) -> bool {
        let is_comparable = self.is_limited() && other.is_limited();
        self.broken == other.broken && (!is_comparable || self.force_rows == other.force_rows)
    }

    /// Adds one more constraint that bears as much as another one.
    pub(super) fn push_like(&mut self, constraint: usize) {
        self.limits.extend(self.limits.get(constraint).copied());
        self.broken.extend(self.broken.get(constraint).copied());
    }

    /// Returns whether any constraint can break.
    pub(crate) fn is_limited(&self) -> bool {
        !self.limits.is_empty()
    }

    /// Returns the force \[N\] and the torque \[N m\] of a constraint with these λ/h², if it does not bear them.
    pub(crate) fn overload(&self, constraint: usize, rows: impl Iterator<Item = f32>) -> Option<[f32; 2]> {
        let mut squares = [0.0; 2];
        rows.enumerate().for_each(|(row, force)| squares[usize::from(row >= self.force_rows)] += force * force);
        let load = squares.map(f32::sqrt);
        let limits = self.limits[constraint];
        (load[0] > limits[0] || load[1] > limits[1]).then_some(load)
    }
}

impl Batch {
    /// Lets constraints break: for each the largest norm of λ/h² over its first `force_rows` rows, and
    /// over the rows that follow; `f32::INFINITY` for what does not break. A constraint that bears more
    /// at the end of a frame is left out from the next frame on
    /// ([`World::broken`](crate::world::World::broken)).
    ///
    /// # Errors
    /// The list has another length than the batch.
    pub fn break_forces(mut self, force_rows: usize, limits: Vec<[f32; 2]>) -> Result<Self, BatchError> {
        self.check_length("break forces", limits.len())?;
        self.break_limits = BreakLimits { force_rows, limits, ..self.break_limits };
        Ok(self)
    }

    /// Sets how many rows of a constraint, counted from its first, are forces, for limits that are set later; all rows
    /// are forces by default.
    #[must_use]
    pub fn force_rows(mut self, force_rows: usize) -> Self {
        self.break_limits.force_rows = force_rows;
        self
    }

    /// Returns what its constraints bear.
    pub fn break_limits(&self) -> &BreakLimits {
        &self.break_limits
    }

    /// Returns the greatest force \[N\] and torque \[N m\] that a constraint bears, if any of the batch can break.
    pub fn break_limits_of(&self, constraint: usize) -> Option<[f32; 2]> {
        self.break_limits.limits.get(constraint).copied()
    }

    /// Sets the greatest force \[N\] and torque \[N m\] that a constraint bears.
    pub(super) fn set_break_limits(&mut self, constraint: usize, limits: [f32; 2]) {
        if !self.break_limits.is_limited() {
            self.break_limits.limits = vec![[f32::INFINITY; 2]; self.len];
        }
        self.break_limits.limits[constraint] = limits;
    }

    /// Lets no constraint break.
    pub(super) fn remove_break_limits(&mut self) {
        self.break_limits.limits = Vec::new();
    }

    /// Refuses limits that are NaN or negative.
    pub(super) fn check_break_limits(&self) -> Result<(), BatchError> {
        match self.break_limits.first_invalid() {
            Some((constraint, limit)) => Err(self.number_error("the break force", constraint, limit, "not negative")),
            None => Ok(()),
        }
    }

    /// The same batch with this strength, which must fit its length.
    pub(crate) fn with_break_limits(mut self, strength: BreakLimits) -> Self {
        self.break_limits = strength;
        self
    }

    /// Returns whether a constraint has broken, and is solved no longer.
    pub fn is_broken(&self, constraint: usize) -> bool {
        self.break_limits.broken.get(constraint).copied().unwrap_or(false)
    }

    /// Breaks a constraint, or makes it whole again.
    pub fn set_broken(&mut self, constraint: usize, broken: bool) {
        self.break_limits.broken.resize(self.len, false);
        if let Some(flag) = self.break_limits.broken.get_mut(constraint) {
            *flag = broken;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ConstraintBatch;
    use super::super::NodeCounts;
    use super::*;
    use crate::constraint::{Constraint, Points};
    use crate::scalar::Real;

    struct Apart;

    impl Constraint<2, 3> for Apart {
        type Parameters<S: Copy> = [S; 0];

        const NAME: &'static str = "strength-test";

        fn value<S: Real>(x: &Points<S, 2>, []: [S; 0]) -> [S; 3] {
            (x.now[0] - x.now[1]).to_array()
        }
    }

    fn pairs() -> Batch {
        Batch::new(Apart, &[[0, 1], [1, 2]], &[[], []]).unwrap()
    }

    #[test]
    fn forces_and_torques_are_weighed_apart() {
        let batch = pairs().break_forces(2, vec![[5.0, f32::INFINITY], [f32::INFINITY, 1.0]]).unwrap();
        let overload = |constraint, rows: [f32; 3]| batch.break_limits().overload(constraint, rows.into_iter());
        assert_eq!(overload(0, [3.0, 4.0, 9.0]), None);
        assert_eq!(overload(0, [6.0, -8.0, 9.0]), Some([10.0, 9.0]));
        assert_eq!(overload(1, [6.0, 8.0, 1.0]), None);
        assert_eq!(overload(1, [0.0, 0.0, -1.5]), Some([0.0, 1.5]));
    }

    #[test]
    fn limits_that_are_none_are_refused() {
        let counts = NodeCounts { particles: 3, bodies: 0 };
        for limit in [-1.0, f32::NAN] {
            let batch = pairs().break_forces(3, vec![[1.0, 1.0], [limit, 1.0]]).unwrap();
            let error = batch.validate(counts).unwrap_err();
            assert!(matches!(error, BatchError::Number { constraint: 1, what: "the break force", .. }), "{error}");
        }
        assert!(matches!(
            pairs().break_forces(3, vec![[1.0, 1.0]]),
            Err(BatchError::Length { found: 1, count: 2, .. })
        ));
    }
}
