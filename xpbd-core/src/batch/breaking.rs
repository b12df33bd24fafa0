//! Access to the break limits of a traced batch.

use super::{Batch, BatchError, BreakLimits};

impl Batch {
    /// Lets constraints break: for each the largest norm of λ/h² over its first `force_rows` rows, and
    /// over the rows that follow; `f32::INFINITY` for what does not break. A constraint that bears more
    /// in a frame, in the mean that [`World::reaction`](crate::world::World::reaction) tells, is left out from the next
    /// frame on ([`World::broken`](crate::world::World::broken)).
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
