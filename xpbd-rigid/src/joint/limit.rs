//! Limits of a free axis.
//!
//! Hard limits q₀ and q₁ of a coordinate q are [stops](Constraint::stops) of the row of the axis, q₀ − q and q₁ − q, in
//! the block that locks the joint: solved apart, a body that hangs far from its hinge would rebound from a limit with
//! half its speed. Soft limits, written as a middle m and half a range r, are constraints of their own, with their own
//! damping:
//!
//! ```text
//! C = r − |q − m| ≥ 0,   λ ≥ 0
//! ```
//!
//! one row that pushes away from the nearer limit. Angles are compared within ±π of the middle, so that a range may
//! lie across the half turn; one of a whole turn or more limits nothing.

pub mod rows;

use std::f32::consts::TAU;

use serde::{Deserialize, Serialize};
use xpbd_core::constraint::Constraint;
use xpbd_core::parameters;

use super::part::{Attachment, JointRole, ParameterLayout};
use super::settings::check_soft;
use super::{JointAxis, JointError, JointPart};

/// The bounds \[m or rad\] of an axis without limits: their quotients by the smallest mass are finite.
pub(super) const UNLIMITED: [f32; 2] = [-1e9, 1e9];

parameters! {
    /// The range of a free axis.
    pub struct LimitRange<S> {
        /// Middle of the range \[rad or m\].
        pub middle: S,
        /// Half of the width of the range \[rad or m\].
        pub half: S,
    }
}

/// Limits of a free axis \[rad or m\].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct JointLimits {
    /// Lower limit \[rad or m\].
    pub min: f32,
    /// Upper limit \[rad or m\], not below the lower one.
    pub max: f32,
    /// Compliance \[rad/(N m) or m/N\]; 0 for hard limits.
    pub compliance: f32,
    /// Damping coefficient of the compliance \[N m s/rad or N s/m\].
    pub damping_coefficient: f32,
}

impl JointLimits {
    /// Returns hard limits.
    pub fn new(min: f32, max: f32) -> Self {
        Self { min, max, compliance: 0.0, damping_coefficient: 0.0 }
    }

    /// Returns the same limits with a compliance \[rad/(N m) or m/N\] and a damping coefficient \[N m s/rad or N s/m\].
    #[must_use]
    pub fn soft(self, compliance: f32, damping_coefficient: f32) -> Self {
        Self { compliance, damping_coefficient, ..self }
    }

    /// Returns whether the limits are hard.
    pub fn is_hard(&self) -> bool {
        self.compliance == 0.0
    }

    /// Returns these limits as a constraint of their own, if they are soft.
    pub(super) fn part<K, const N: usize>(
        &self,
        joint: usize,
        axis: JointAxis,
        constraint: K,
        attachments: [Attachment; N],
    ) -> Result<Option<JointPart>, JointError>
    where
        K: Constraint<N, 1, Parameters<f32> = LimitRange>,
    {
        if self.is_hard() {
            return Ok(None);
        }
        let (role, range) = (JointRole::Limit(axis), self.range(joint, axis)?);
        let part = JointPart::new(role, constraint, attachments, range, usize::from(axis.is_linear()))?;
        Ok(Some(part.soft(self.compliance, self.damping_coefficient).layout(ParameterLayout::Range(axis))))
    }

    /// Returns middle and half of the range. A swing has no lower limit: its range reaches as far below 0 as above.
    pub(super) fn range(&self, joint: usize, axis: JointAxis) -> Result<LimitRange, JointError> {
        let Self { min, max, .. } = *self;
        let middle = 0.5 * (min + max);
        if !(min <= max && middle.is_finite() && (max - min).is_finite()) {
            return Err(JointError::Limits { joint, axis, min, max });
        }
        check_soft(joint, "limit's compliance", self.compliance)?;
        check_soft(joint, "limit's damping coefficient", self.damping_coefficient)?;
        if axis == JointAxis::Swing {
            return Ok(LimitRange { middle: 0.0, half: max });
        }
        Ok(LimitRange { middle: middle - self.whole_turns(axis), half: 0.5 * (max - min) })
    }

    /// Returns the least and the greatest coordinate, which is the same range without the rounding of its middle.
    pub(super) fn bounds(&self, joint: usize, axis: JointAxis) -> Result<[f32; 2], JointError> {
        self.range(joint, axis)?;
        if axis == JointAxis::Swing {
            return Ok([-self.max, self.max]);
        }
        let turns = self.whole_turns(axis);
        Ok([self.min - turns, self.max - turns])
    }

    /// Returns the whole turns \[rad\] nearest to the middle of the range of an angle.
    fn whole_turns(&self, axis: JointAxis) -> f32 {
        if axis.wraps() { (0.5 * (self.min + self.max) / TAU).round() * TAU } else { 0.0 }
    }
}
