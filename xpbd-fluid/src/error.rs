//! Why a fluid was refused.

use thiserror::Error;
use xpbd_core::world::WorldError;

/// Why a fluid was refused.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum FluidError {
    /// A number is not one that it may be.
    #[error("{what} of a fluid is {value}; it must be {must}")]
    Number {
        /// Which number.
        what: &'static str,
        /// The number.
        value: f32,
        /// What it must be.
        must: &'static str,
    },
    /// A block whose corners are not finite, or that is too small or too large to fill.
    #[error("a block from {low} to {high} cannot be filled with particles {spacing} m apart: {reason}")]
    Block {
        /// One corner \[m\].
        low: glam::Vec3,
        /// The other \[m\].
        high: glam::Vec3,
        /// Distance between particles \[m\].
        spacing: f32,
        /// Why not.
        reason: &'static str,
    },
    /// The registry of a world.
    #[error(transparent)]
    Constraint(#[from] xpbd_core::constraint::ConstraintError),
    /// The world.
    #[error(transparent)]
    World(#[from] WorldError),
}
