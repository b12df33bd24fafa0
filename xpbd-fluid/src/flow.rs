//! What emitters, sinks and conversions share: where they act, and what they refuse.

pub mod region;

pub use region::Region;

use thiserror::Error;
use xpbd_core::world::{StepError, WorldError};

/// Why particles did not come, go or change.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SpawnError {
    /// A number is not one that it may be.
    #[error("{what} is {value}; it must be {must}")]
    Number {
        /// Which number.
        what: &'static str,
        /// The number.
        value: f32,
        /// What it must be.
        must: &'static str,
    },
    /// A vector or a rotation is not one that it may be.
    #[error("{what} is {value}; it must be {must}")]
    Vector {
        /// Which one.
        what: &'static str,
        /// It.
        value: String,
        /// What it must be.
        must: &'static str,
    },
    /// Particles that change from one object to another would change their mass.
    #[error("a particle of object `{from}` has {before} kg and one of object `{to}` {after} kg: they must be equal")]
    Mass {
        /// Object that they leave.
        from: String,
        /// Its mass \[kg\].
        before: f32,
        /// Object that they come to.
        to: String,
        /// Its mass \[kg\].
        after: f32,
    },
    /// Particles are to change from an object to itself.
    #[error("particles of object `{0}` cannot change to the same object")]
    SameObject(String),
    /// An object that has no part in it.
    #[error("object `{0}` is neither the solid nor the liquid")]
    OtherObject(String),
    /// A list has not one entry for each particle.
    #[error("object `{object}` has {count} particles, but there are {found} {what}")]
    Length {
        /// Object.
        object: String,
        /// What the list holds.
        what: &'static str,
        /// Its length.
        found: usize,
        /// Particles.
        count: usize,
    },
    /// The world has refused.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The device that the world is on cannot tell where particles are.
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
