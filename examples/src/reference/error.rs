//! Errors of systems and of steps.

use thiserror::Error;

/// An error in building a system or in solving a step.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ReferenceError {
    /// A mass that is not a positive number.
    #[error("particle {particle}: its mass is {mass} kg; it must be positive and finite")]
    Mass {
        /// Particle.
        particle: usize,
        /// Mass of the particle \[kg\].
        mass: f64,
    },
    /// A particle that does not exist.
    #[error("{what} names particle {particle}, but there are {particles}")]
    Particle {
        /// Description of the element that names the particle.
        what: String,
        /// The particle named.
        particle: usize,
        /// Number of particles in the system.
        particles: usize,
    },
    /// A number that is not finite, or a negative compliance.
    #[error("constraint {constraint}: {what} is {value}; it must be {must}")]
    Number {
        /// Constraint.
        constraint: usize,
        /// Name of the number.
        what: &'static str,
        /// Value of the number.
        value: f64,
        /// Requirement that the number violates.
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
        /// Number of steps taken.
        steps: usize,
        /// Largest component of the last one \[m\].
        length: f64,
    },
}
