//! Motors on free axes.
//!
//! A motor moves the coordinate q of its axis by Δ in a substep from where it began, q⁰, with no
//! more than its greatest force F (\[Rigid20\] §3.4 for the target, \[XPBD16\] for the bound on λ):
//!
//! ```text
//! C = q − q⁰ − Δ,   |λ| ≤ F h²,   limits: λ beyond F h² where C would pass them
//! Δ = v h                                    to keep a velocity v
//! Δ = clamp(q* − q⁰, −s h, s h)              to reach a position q* no faster than s
//! ```
//!
//! A motor of velocity 0 is friction. One with a stiffness is a spring to its target. The row of a motor and of the
//! hard limits of its axis is one, in the [block](super::lock) that locks the joint: solved apart from what holds the
//! joint, a motor that drives a load off its axis would reach its speed only after seconds. Differences of angles are
//! taken within ±π, so that a motor passes through the half turn.

pub mod rotation;

use serde::{Deserialize, Serialize};
use xpbd_core::parameters;
use xpbd_core::scalar::Real;

use super::geometry::wrap_angle;
use super::settings::{check_soft, check_threshold};
use super::{JointAxis, JointError};

/// The largest number that a motor's constraint is given in place of infinity: its products with h² are finite.
const UNBOUNDED: f32 = 1e30;

parameters! {
    /// Parameters of the motors on `L` axes.
    pub struct MotorParameters<S, const L: usize> {
        /// 1 for a motor that reaches a position, 0 for one that keeps a velocity \[1\].
        pub reaches_position: [S; L],
        /// Position to reach \[rad or m\].
        pub position: [S; L],
        /// Velocity to keep, or the greatest speed on the way to the position \[rad/s or m/s\].
        pub velocity: [S; L],
        /// Greatest torque \[N m\] or force \[N\].
        pub max_force: [S; L],
        /// Compliance \[rad/(N m) or m/N\].
        pub compliance: [S; L],
        /// Damping coefficient \[N m s/rad or N s/m\].
        pub damping_coefficient: [S; L],
    }
}

impl<S: Real, const L: usize> MotorParameters<S, L> {
    /// Returns C of the motor of the k-th axis for a coordinate now and at the start of a substep of `dt` \[s\].
    pub(super) fn value(&self, k: usize, axis: JointAxis, now: S, before: S, dt: S) -> S {
        let apart = |from: S, to: S| if axis.wraps() { wrap_angle(to - from) } else { to - from };
        let most = self.velocity[k] * dt;
        let way = apart(before, self.position[k]).clamp(-most, most);
        apart(before, now) - self.reaches_position[k].select_lt(S::literal(0.5), most, way)
    }

    /// Returns the multiplier nearest to `lambda` that the motor of the k-th axis can have.
    pub(super) fn admissible(&self, k: usize, lambda: S, per_force: S) -> S {
        let most = self.max_force[k] * per_force;
        lambda.clamp(-most, most)
    }
}

impl MotorParameters<f32, 1> {
    /// A motor that stays at 0 whatever this takes.
    pub(super) const LOCKED: Self =
        Self { reaches_position: [1.0], velocity: [UNBOUNDED], max_force: [UNBOUNDED], ..Self::OFF };
}

impl<const L: usize> MotorParameters<f32, L> {
    /// Motors without force.
    pub(super) const OFF: Self = Self {
        reaches_position: [0.0; L],
        position: [0.0; L],
        velocity: [0.0; L],
        max_force: [0.0; L],
        compliance: [0.0; L],
        damping_coefficient: [0.0; L],
    };

    /// Sets the motor of the k-th axis.
    pub(super) fn set(&mut self, k: usize, motor: MotorParameters<f32, 1>) {
        self.reaches_position[k] = motor.reaches_position[0];
        self.position[k] = motor.position[0];
        self.velocity[k] = motor.velocity[0];
        self.max_force[k] = motor.max_force[0];
        self.compliance[k] = motor.compliance[0];
        self.damping_coefficient[k] = motor.damping_coefficient[0];
    }

    /// Returns whether the motor of any axis is damped.
    pub(super) fn is_damped(&self) -> bool {
        (0..L).any(|k| self.compliance[k] * self.damping_coefficient[k] > 0.0)
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

    /// Returns its parameters.
    pub(super) fn parameters(&self, joint: usize) -> Result<MotorParameters<f32, 1>, JointError> {
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
        Ok(MotorParameters {
            reaches_position: [reaches_position],
            position: [position],
            velocity: [velocity],
            max_force: [self.max_force.min(UNBOUNDED)],
            compliance: [self.compliance],
            damping_coefficient: [self.damping_coefficient],
        })
    }
}
