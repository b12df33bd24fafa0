//! Motors on free axes.
//!
//! A motor is to move the coordinate q of its axis by Δ in a substep from where it began, q⁰, with no
//! more than its greatest force F (\[Rigid20\] §3.4 for the target, \[XPBD16\] for the bound on λ):
//!
//! ```text
//! C = q − q⁰ − Δ,   |λ| ≤ F h²
//! Δ = v h                                    to keep a speed v
//! Δ = clamp(q* − q⁰, −s h, s h)              to reach a target q* no faster than s
//! ```
//!
//! A motor of speed 0 is friction. One with a stiffness is a spring to its target.

pub mod angular;
pub mod linear;

use serde::{Deserialize, Serialize};
use xpbd_core::constraint::Constraint;
use xpbd_core::scalar::Real;

use super::part::{Attachment, JointRole};
use super::{JointAxis, JointError, JointPart};

/// The largest number that a motor holds in place of infinity: its products with h² are finite.
const UNBOUNDED: f32 = 1e30;

/// What drives a free axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct JointMotor {
    /// True if it is to reach the target; otherwise it keeps its speed.
    pub reaches: bool,
    /// Target \[rad or m\].
    pub target: f32,
    /// Speed to keep, or the greatest on the way to the target \[rad/s or m/s\].
    pub speed: f32,
    /// Greatest torque \[N m\] or force \[N\].
    pub max_force: f32,
    /// Compliance \[rad/(N m) or m/N\]; 0 for a motor that only its strength bounds.
    pub compliance: f32,
    /// Damping \[N m s/rad or N s/m\] of the compliance.
    pub damping_coefficient: f32,
}

impl JointMotor {
    /// Creates a motor that keeps a speed \[rad/s or m/s\].
    pub fn velocity(speed: f32) -> Self {
        let strength = f32::INFINITY;
        Self { reaches: false, target: 0.0, speed, max_force: strength, compliance: 0.0, damping_coefficient: 0.0 }
    }

    /// Creates a motor that goes to a target \[rad or m\]; of an angle it takes the shorter way round.
    pub fn position(target: f32) -> Self {
        Self { reaches: true, target, speed: f32::INFINITY, ..Self::velocity(0.0) }
    }

    /// Creates a motor that does nothing, to be set later.
    pub fn off() -> Self {
        Self::velocity(0.0).max_force(0.0)
    }

    /// With this greatest torque \[N m\].
    #[must_use]
    pub fn max_torque(self, torque: f32) -> Self {
        Self { max_force: torque, ..self }
    }

    /// With this greatest force \[N\].
    #[must_use]
    pub fn max_force(self, force: f32) -> Self {
        Self { max_force: force, ..self }
    }

    /// With this greatest speed \[rad/s or m/s\] on the way to a target.
    #[must_use]
    pub fn max_speed(self, speed: f32) -> Self {
        Self { speed, ..self }
    }

    /// As a spring of this stiffness \[N m/rad or N/m\] and damping \[N m s/rad or N s/m\].
    #[must_use]
    pub fn spring(self, stiffness: f32, damping: f32) -> Self {
        Self { compliance: 1.0 / stiffness, damping_coefficient: damping, ..self }
    }

    /// This motor as a constraint.
    pub(super) fn part<K: Constraint<N, 1, Parameters<f32> = [f32; 4]>, const N: usize>(
        &self,
        joint: usize,
        what: JointAxis,
        constraint: K,
        ties: [Attachment; N],
    ) -> Result<JointPart, JointError> {
        let part = JointPart::new(JointRole::Motor(what), constraint, ties, self.params(joint)?, what.force_rows())?;
        Ok(part.soft(self.compliance, self.damping_coefficient))
    }

    /// Returns whether it reaches, target, speed and strength.
    pub(super) fn params(&self, joint: usize) -> Result<[f32; 4], JointError> {
        let refuse = |what, value, must| Err(JointError::Number { joint, what, value, must });
        if !self.target.is_finite() {
            return refuse("motor's target", self.target, "finite");
        }
        if self.speed.is_nan() || (self.reaches && self.speed < 0.0) {
            return refuse("motor's speed", self.speed, "a number, and not negative on the way to a target");
        }
        if !self.reaches && !self.speed.is_finite() {
            return refuse("motor's speed", self.speed, "finite");
        }
        if self.max_force.is_nan() || self.max_force < 0.0 {
            return refuse("motor's greatest force", self.max_force, "not negative");
        }
        for (what, value) in [("motor's compliance", self.compliance), ("motor's damping", self.damping_coefficient)] {
            if !(value.is_finite() && value >= 0.0) {
                return refuse(what, value, "finite and not negative");
            }
        }
        let reaches = f32::from(u8::from(self.reaches));
        Ok([reaches, self.target, self.speed.min(UNBOUNDED), self.max_force.min(UNBOUNDED)])
    }
}

/// Δ, given the way that is left to the target.
fn target_displacement<S: Real>(way: S, [reaches, _, speed, _]: [S; 4], dt: S) -> S {
    let most = speed * dt;
    reaches.select_lt(S::literal(0.5), most, way.clamp(-most, most))
}

/// |λ| ≤ F h².
fn clamp_force<S: Real>(lambda: S, [_, _, _, strength]: [S; 4], per_force: S) -> S {
    let most = strength * per_force;
    lambda.clamp(-most, most)
}
