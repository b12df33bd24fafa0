//! Motors on free axes.
//!
//! A motor moves the coordinate q of its axis by Δ in a substep from where it began, q⁰, with no
//! more than its greatest force F (\[Rigid20\] §3.4 for the target, \[XPBD16\] for the bound on λ):
//!
//! ```text
//! C = q − q⁰ − Δ,   |λ| ≤ F h²
//! Δ = v h                                    to keep a velocity v
//! Δ = clamp(q* − q⁰, −s h, s h)              to reach a position q* no faster than s
//! ```
//!
//! A motor of velocity 0 is friction. One with a stiffness is a spring to its target.

pub mod rows;

use serde::{Deserialize, Serialize};
use xpbd_core::constraint::Constraint;
use xpbd_core::parameters;

use super::part::{Attachment, JointRole, ParameterLayout};
use super::settings::{check_soft, check_threshold};
use super::{JointAxis, JointError, JointPart};

/// The largest number that a motor's constraint is given in place of infinity: its products with h² are finite.
const UNBOUNDED: f32 = 1e30;

parameters! {
    /// Parameters of a motor's constraint.
    pub struct MotorParameters<S> {
        /// 1 for a motor that reaches a position, 0 for one that keeps a velocity \[1\].
        pub reaches_position: S,
        /// Position to reach \[rad or m\].
        pub position: S,
        /// Velocity to keep, or the greatest speed on the way to the position \[rad/s or m/s\].
        pub velocity: S,
        /// Greatest torque \[N m\] or force \[N\].
        pub max_force: S,
    }
}

/// The motion that a motor aims at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum MotorTarget {
    /// Keeps a velocity \[rad/s or m/s\].
    Velocity(f32),
    /// Reaches a position; of an angle it takes the shorter way round.
    Position {
        /// Position \[rad or m\].
        position: f32,
        /// Greatest speed on the way \[rad/s or m/s\], not negative.
        max_speed: f32,
    },
}

/// A motor that drives a free axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct JointMotor {
    /// The motion that it aims at.
    pub target: MotorTarget,
    /// Greatest torque \[N m\] or force \[N\].
    pub max_force: f32,
    /// Compliance \[rad/(N m) or m/N\]; 0 for a motor that is limited by its greatest force alone.
    pub compliance: f32,
    /// Damping coefficient of the compliance \[N m s/rad or N s/m\].
    pub damping_coefficient: f32,
}

impl JointMotor {
    /// Returns a motor that keeps a velocity \[rad/s or m/s\].
    pub fn velocity(velocity: f32) -> Self {
        Self::new(MotorTarget::Velocity(velocity))
    }

    /// Returns a motor that reaches a position \[rad or m\]; of an angle it takes the shorter way round.
    pub fn position(position: f32) -> Self {
        Self::new(MotorTarget::Position { position, max_speed: f32::INFINITY })
    }

    /// Returns a motor without force, to be set later.
    pub fn off() -> Self {
        Self::velocity(0.0).max_force(0.0)
    }

    fn new(target: MotorTarget) -> Self {
        Self { target, max_force: f32::INFINITY, compliance: 0.0, damping_coefficient: 0.0 }
    }

    /// Sets the greatest torque \[N m\].
    #[must_use]
    pub fn max_torque(self, torque: f32) -> Self {
        self.max_force(torque)
    }

    /// Sets the greatest force \[N\].
    #[must_use]
    pub fn max_force(self, force: f32) -> Self {
        Self { max_force: force, ..self }
    }

    /// Sets the greatest speed \[rad/s or m/s\] on the way to a position; a motor that keeps a velocity has none.
    #[must_use]
    pub fn max_speed(mut self, speed: f32) -> Self {
        if let MotorTarget::Position { max_speed, .. } = &mut self.target {
            *max_speed = speed;
        }
        self
    }

    /// Makes the motor a spring of this stiffness \[N m/rad or N/m\] and damping coefficient \[N m s/rad or N s/m\].
    #[must_use]
    pub fn spring(self, stiffness: f32, damping_coefficient: f32) -> Self {
        Self { compliance: 1.0 / stiffness, damping_coefficient, ..self }
    }

    /// Returns this motor as a constraint.
    pub(super) fn part<K, const N: usize>(
        &self,
        joint: usize,
        axis: JointAxis,
        constraint: K,
        attachments: [Attachment; N],
    ) -> Result<JointPart, JointError>
    where
        K: Constraint<N, 1, Parameters<f32> = MotorParameters>,
    {
        let (role, parameters) = (JointRole::Motor(axis), self.parameters(joint)?);
        let part = JointPart::new(role, constraint, attachments, parameters, usize::from(axis.is_linear()))?;
        Ok(part.soft(self.compliance, self.damping_coefficient).layout(ParameterLayout::Motor(axis)))
    }

    /// Returns the parameters of the constraint.
    pub(super) fn parameters(&self, joint: usize) -> Result<MotorParameters, JointError> {
        let refuse = |what, value, must| Err(JointError::Number { joint, what, value, must });
        let (reaches_position, position, velocity) = match self.target {
            MotorTarget::Velocity(velocity) if !velocity.is_finite() => {
                return refuse("motor's velocity", velocity, "finite");
            }
            MotorTarget::Velocity(velocity) => (0.0, 0.0, velocity),
            MotorTarget::Position { position, .. } if !position.is_finite() => {
                return refuse("motor's position", position, "finite");
            }
            MotorTarget::Position { position, max_speed } => {
                check_threshold(joint, "motor's greatest speed", max_speed)?;
                (1.0, position, max_speed.min(UNBOUNDED))
            }
        };
        check_threshold(joint, "motor's greatest force", self.max_force)?;
        check_soft(joint, "motor's compliance", self.compliance)?;
        check_soft(joint, "motor's damping coefficient", self.damping_coefficient)?;
        Ok(MotorParameters { reaches_position, position, velocity, max_force: self.max_force.min(UNBOUNDED) })
    }
}
