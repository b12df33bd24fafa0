//! Break limits of the constraints of a batch, and the constraints that have broken.

use serde::{Deserialize, Serialize};

/// The largest forces and torques that the constraints of a batch carry. They are the norm of λ/h²
/// over its first rows \[N\], and over the rows that follow \[N m\].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BreakLimits {
    /// Number of rows, from the first, that are forces; the others are torques.
    pub force_rows: usize,
    /// The largest force \[N\] and torque \[N m\] of each constraint; empty where none breaks.
    pub(super) limits: Vec<[f32; 2]>,
    /// True for each constraint that has broken; empty if none has.
    pub(super) broken: Vec<bool>,
}

impl BreakLimits {
    /// Returns whether the lists fit a batch of this many constraints.
    pub(crate) fn matches_len(&self, len: usize) -> bool {
        [self.limits.len(), self.broken.len()].into_iter().all(|found| found == 0 || found == len)
    }

    /// Returns the first limit that is not valid.
    pub(super) fn first_invalid(&self) -> Option<(usize, f32)> {
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
