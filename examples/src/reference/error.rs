//! What can be wrong with a system or a step.

use thiserror::Error;

/// Why a system was refused, or a step failed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ReferenceError {
    /// A mass that is not a positive number.
    #[error("particle {particle}: its mass is {mass} kg; it must be positive and finite")]
    Mass {
        /// Particle.
        particle: usize,
        /// Its mass \[kg\].
        mass: f64,
    },
    /// A particle that does not exist.
    #[error("{what} names particle {particle}, but there are {particles}")]
    Particle {
        /// What names it.
        what: String,
        /// The particle named.
        particle: usize,
        /// How many there are.
        particles: usize,
    },
    /// A number that is not finite, or a negative compliance.
    #[error("constraint {constraint}: {what} is {value}; it must be {must}")]
    Number {
        /// Constraint.
        constraint: usize,
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// A method of springs met a constraint without compliance.
    #[error("constraint {0} has compliance 0, which is no spring; solve it with multipliers")]
    Rigid(usize),
    /// A method of velocities met a constraint with compliance.
    #[error("constraint {0} has compliance {1}; velocity time stepping takes rigid constraints alone")]
    Compliant(usize, f64),
    /// The linear system of a step is singular or not finite.
    #[error("{0}: the linear system has no solution")]
    Singular(&'static str),
    /// Newton's method did not converge.
    #[error("{method}: after {steps} steps the last one is still {length:e} m long")]
    NotConverged {
        /// Method.
        method: &'static str,
        /// How many steps were taken.
        steps: usize,
        /// Largest component of the last one \[m\].
        length: f64,
    },
}
