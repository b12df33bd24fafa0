//! The reasons why a character cannot move.

use thiserror::Error;
use xpbd_core::number::NumberError;
use xpbd_core::query::QueryError;
use xpbd_core::world::WorldError;

/// The reason why a character cannot move.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CharacterError {
    /// A number is out of range.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// A vector is not one that it may be.
    #[error("the {what} of a character must be {must}")]
    Vector {
        /// Name of the vector.
        what: &'static str,
        /// Requirement that it violates.
        must: &'static str,
    },
    /// Its collider has a shape that cannot be moved through the world, or is not at a finite pose.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// A stale handle, or a force region that is not valid.
    #[error(transparent)]
    World(#[from] WorldError),
    /// Its collider is on no body, or on one of another kind.
    #[error("the collider of this character must be on a {0} body")]
    NotOnBody(&'static str),
}
