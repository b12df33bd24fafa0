//! What the two doors of a world refuse: building and stepping.

use thiserror::Error;

use crate::batch::BatchError;
use crate::bodies::MassError;
use crate::constraint::ConstraintError;
use crate::number::NumberError;

/// Why an edit or a query was refused. The world is as it was before.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum WorldError {
    /// A number is not one that it may be.
    #[error(transparent)]
    InvalidSetting(#[from] NumberError),
    /// The handle's object, batch, collider or body has been removed.
    #[error("this {0} handle is stale: what it named has been removed, or belongs to another world")]
    StaleHandle(&'static str),
    /// A batch is added to one object or body twice, which would give its nodes two numbers.
    #[error("the batch names one {0} handle twice")]
    DuplicateHandle(&'static str),
    /// An object has no particle of this number.
    #[error("object `{object}` has no particle {index}; it has {count}")]
    NoParticle {
        /// Name of the object.
        object: String,
        /// The index that was named.
        index: usize,
        /// Number of particles that it has.
        count: usize,
    },
    /// An edit needs a particle that is there, or one that is not; or it names one twice.
    #[error("object `{object}`: particle {index} must be {must}")]
    ParticleActivity {
        /// Name of the object.
        object: String,
        /// The index that was named.
        index: usize,
        /// Requirement that the value violates.
        must: &'static str,
    },
    /// A particle's number is not one that it may be.
    #[error("object `{object}`: {what} of particle {index} is {value}; it must be {must}")]
    InvalidNumber {
        /// Name of the object.
        object: String,
        /// Name of the number.
        what: &'static str,
        /// Index of the particle.
        index: usize,
        /// The value that was refused.
        value: String,
        /// Requirement that the value violates.
        must: &'static str,
    },
    /// A triangle of a surface is not one.
    #[error("object `{object}`: triangle {number} of the surface is {triangle:?}; it must be {must}")]
    InvalidTriangle {
        /// Name of the object.
        object: String,
        /// Number of the triangle.
        number: usize,
        /// Particles of the triangle.
        triangle: [u32; 3],
        /// Requirement that the value violates.
        must: &'static str,
    },
    /// A list of an object has another length than its positions.
    #[error("object `{object}` has {found} {what} for {count} particles")]
    LengthMismatch {
        /// Name of the object.
        object: String,
        /// Description of the list's entries.
        what: &'static str,
        /// Length of the list.
        found: usize,
        /// Number of particles.
        count: usize,
    },
    /// A batch does not fit.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// A constraint type is not valid.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// A number of a collider or body is not one that it may be.
    #[error("{what} is {value}; it must be {must}")]
    InvalidValue {
        /// Name of the number.
        what: &'static str,
        /// The value that was refused.
        value: String,
        /// Requirement that the value violates.
        must: &'static str,
    },
    /// The mass of a body is not valid.
    #[error(transparent)]
    Mass(#[from] MassError),
    /// A batch has no constraint of this number.
    #[error("batch `{batch}` has no constraint {index}; it has {count}")]
    NoConstraint {
        /// The name of the constraint type.
        batch: String,
        /// The index that was named.
        index: usize,
        /// The number of those that exist.
        count: usize,
    },
    /// The device that the world is on cannot give its state back.
    #[error("the world cannot be synchronized: {0}")]
    Device(String),
    /// A snapshot cannot be restored.
    #[error("the snapshot cannot be restored: {0}")]
    Snapshot(String),
}

/// Why a step was not taken.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StepError {
    /// The length of the frame is not one that can be stepped.
    #[error("the frame's length is {0} s; it must be finite and not negative")]
    Dt(f32),
    /// The settings have been changed to what no step could honour.
    #[error(transparent)]
    Settings(#[from] NumberError),
    /// The back end cannot go on; the world is as it was before the step.
    #[error("back end `{name}`: {reason}")]
    Backend {
        /// Name of the back end.
        name: String,
        /// Reason of the refusal.
        reason: String,
    },
}
