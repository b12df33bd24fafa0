//! The world: everything that is simulated, and the edits and queries of a game.

pub mod error;
pub mod object;
pub mod settings;

pub use error::{StepError, WorldError};
pub use object::{Filter, Friction, Object};
pub use settings::{Integrator, Method, Settings};

use crate::constraint::Registry;

/// Particles, bodies, colliders and constraints, with the rules that move them.
///
/// All edits take effect at once and may be made between any two steps.
#[derive(Debug, Default)]
pub struct World {
    pub(crate) registry: Registry,
}
