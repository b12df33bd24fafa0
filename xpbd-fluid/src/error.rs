//! The reasons why a fluid, an emitter, a sink or a conversion is refused.

use thiserror::Error;
use xpbd_core::world::{StepError, WorldError};

/// The reason why a fluid is refused.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FluidError {
    /// A number is out of its range.
    #[error("{what} of a fluid is {value}; it must be {must}")]
    Number {
        /// Name of the number.
        what: &'static str,
        /// The value that was refused.
        value: f32,
        /// The range that is allowed.
        must: &'static str,
    },
    /// A block whose corners are not finite, or that is too small or too large to fill.
    #[error("a block from {low} to {high} cannot be filled with particles {spacing} m apart: {reason}")]
    Block {
        /// Lower corner \[m\].
        low: glam::Vec3,
        /// Upper corner \[m\].
        high: glam::Vec3,
        /// Distance between particles \[m\].
        spacing: f32,
        /// Reason of the refusal.
        reason: &'static str,
    },
    /// A constraint type of the fluid is not valid.
    #[error(transparent)]
    Constraint(#[from] xpbd_core::constraint::ConstraintError),
    /// The world refuses the fluid.
    #[error(transparent)]
    World(#[from] WorldError),
}

/// The reason why an emitter, a sink or a conversion is refused.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SpawnError {
    /// A number is out of its range.
    #[error("{what} is {value}; it must be {must}")]
    Number {
        /// Name of the number.
        what: &'static str,
        /// The value that was refused.
        value: f32,
        /// The range that is allowed.
        must: &'static str,
    },
    /// A vector or a rotation is not valid.
    #[error("{what} is {value}; it must be {must}")]
    Vector {
        /// Name of the vector.
        what: &'static str,
        /// The value that was refused.
        value: String,
        /// The range that is allowed.
        must: &'static str,
    },
    /// Particles of the two objects of a conversion differ in mass.
    #[error("a particle of object `{from}` has {before} kg and one of object `{to}` {after} kg: they must be equal")]
    Mass {
        /// Name of the object that they leave.
        from: String,
        /// Mass of a particle of that object \[kg\].
        before: f32,
        /// Name of the object that they join.
        to: String,
        /// Mass of a particle of that object \[kg\].
        after: f32,
    },
    /// A conversion is from an object to itself.
    #[error("a conversion from object `{0}` to itself; name two objects")]
    SameObject(String),
    /// An object is neither the solid nor the liquid of a phase change.
    #[error("object `{0}` is neither the solid nor the liquid of the phase change; name one of the two")]
    OtherObject(String),
    /// The length of a list is not the number of particles.
    #[error("object `{object}` has {count} particles, but there are {found} {what}; give one for each")]
    Length {
        /// Name of the object.
        object: String,
        /// Contents of the list.
        what: &'static str,
        /// Length of the list.
        found: usize,
        /// Number of particles.
        count: usize,
    },
    /// The world refuses the change.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The device of the world is lost.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// Refuses a number that is not finite or for which `holds` is false.
pub(crate) fn check(what: &'static str, value: f32, must: &'static str, holds: bool) -> Result<(), SpawnError> {
    if holds && value.is_finite() { Ok(()) } else { Err(SpawnError::Number { what, value, must }) }
}

/// Refuses the length \[s\] of a frame that is negative or not finite.
pub(crate) fn check_frame(dt: f32) -> Result<(), SpawnError> {
    check("the frame's length", dt, "finite and not negative", dt >= 0.0)
}
