//! Bounds of a free axis.
//!
//! With q the coordinate of the axis and its bounds written as a middle m and half a range r,
//!
//! ```text
//! C = r − |q − m| ≥ 0,   λ ≥ 0
//! ```
//!
//! one row that pushes away from the nearer bound. Hard stops are rows of what holds the joint, solved
//! in its block: solved apart, a body that hangs far from its hinge would rebound from a stop with half
//! its speed. Soft stops are constraints of their own, with their own damping. Angles are compared
//! within ±π of the middle, so that a range may lie across the half turn; one of a whole turn or more
//! bounds nothing.

pub mod angular;
pub mod linear;
pub mod swing;
pub mod twist;

use serde::{Deserialize, Serialize};
use std::f32::consts::TAU;

use xpbd_core::constraint::Constraint;
use xpbd_core::scalar::Real;

use super::geometry::wrap_angle;
use super::part::{Attachment, JointRole};
use super::{JointAxis, JointError, JointPart};

/// Half of a range that bounds nothing.
const UNBOUNDED: f32 = 1e30;

/// r − |q − m|.
pub(super) fn limit_row<S: Real>(q: S, [middle, half]: [S; 2]) -> S {
    half - (q - middle).abs()
}

/// Returns the same for an angle.
pub(super) fn angular_limit_row<S: Real>(q: S, [middle, half]: [S; 2]) -> S {
    half - wrap_angle(q - middle).abs()
}

/// Bounds \[rad or m\].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct JointLimits {
    /// Lower bound.
    pub min: f32,
    /// Upper bound, not below the lower one.
    pub max: f32,
    /// Compliance \[rad/(N m) or m/N\]; 0 for a hard stop.
    pub compliance: f32,
    /// Damping of the compliance \[N m s/rad or N s/m\].
    pub damping_coefficient: f32,
}

impl JointLimits {
    /// Hard stops.
    pub fn new(low: f32, high: f32) -> Self {
        Self { min: low, max: high, compliance: 0.0, damping_coefficient: 0.0 }
    }

    /// Stops that yield.
    #[must_use]
    pub fn soft(self, compliance: f32, damping: f32) -> Self {
        Self { compliance, damping_coefficient: damping, ..self }
    }

    /// Returns whether it is a hard stop.
    fn is_hard(&self) -> bool {
        self.compliance == 0.0
    }

    /// These bounds as a constraint of their own, if they are soft.
    pub(super) fn part<K: Constraint<N, 1, Parameters<f32> = [f32; 2]>, const N: usize>(
        &self,
        joint: usize,
        what: JointAxis,
        constraint: K,
        ties: [Attachment; N],
    ) -> Result<Option<JointPart>, JointError> {
        if self.is_hard() {
            return Ok(None);
        }
        let part =
            JointPart::new(JointRole::Limit(what), constraint, ties, self.params(joint, what)?, what.force_rows())?;
        Ok(Some(part.soft(self.compliance, self.damping_coefficient).limited([(what, 0)])))
    }

    /// Middle and half of the range of hard stops, for a row of what holds; no bounds for others.
    pub(super) fn locked_range(limits: Option<Self>, joint: usize, what: JointAxis) -> Result<[f32; 2], JointError> {
        match limits {
            Some(limits) if limits.is_hard() => limits.params(joint, what),
            _ => Ok([0.0, UNBOUNDED]),
        }
    }

    /// Returns whether any of these are hard stops.
    pub(super) fn any_hard<const L: usize>(limits: [Option<Self>; L]) -> bool {
        limits.iter().flatten().any(Self::is_hard)
    }

    /// Middle and half of the range.
    pub(super) fn params(&self, joint: usize, what: JointAxis) -> Result<[f32; 2], JointError> {
        let Self { min: low, max: high, .. } = *self;
        let middle = 0.5 * (low + high);
        if !(low <= high && middle.is_finite() && (high - low).is_finite()) {
            return Err(JointError::Limits { joint, what, min: low, max: high });
        }
        for (name, value) in [("limit's compliance", self.compliance), ("limit's damping", self.damping_coefficient)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(JointError::Number { joint, what: name, value, must: "finite and not negative" });
            }
        }
        let wraps = matches!(what, JointAxis::Angular | JointAxis::SecondAngular | JointAxis::Twist);
        let turns = if wraps { (middle / TAU).round() * TAU } else { 0.0 };
        Ok([middle - turns, 0.5 * (high - low)])
    }

    /// Returns the bounds of a cone, which has no lower one: the range reaches as far below 0 as above.
    pub(super) fn cone(limits: Option<Self>, joint: usize) -> Result<Option<Self>, JointError> {
        limits
            .map(|limits| limits.params(joint, JointAxis::Swing).map(|_| Self { min: -limits.max, ..limits }))
            .transpose()
    }
}
