//! The world: everything that is simulated, and the edits and queries of a game.

mod add;
mod bodies;
pub mod breaking;
mod edit;
pub mod error;
mod flow;
pub mod load;
pub mod object;
pub mod ordered;
mod params;
mod place;
mod planning;
pub mod present;
mod query;
pub mod report;
pub mod settings;
mod sleep;
mod snapshot;
mod split;
pub mod state;
mod step;
mod sums;
mod surfaces;

pub use breaking::Broken;
pub use error::{StepError, WorldError};
pub use load::Load;
pub use object::{Filter, Friction, Object};
pub use ordered::{BatchHandle, BodyHandle, ColliderHandle, ObjectHandle};
pub use present::{Spawn, Spawned};
pub use report::{Phase, StepReport};
pub use settings::{Integrator, Method, Settings};
pub use state::{Backend, State};
pub use step::SHORTEST_FRAME;
pub use sums::{Energy, Momentum};

use crate::constraint::Registry;

/// Particles, bodies, colliders and constraints, with the rules that move them.
///
/// All edits take effect at once and may be made between any two steps.
#[derive(Debug, Default)]
pub struct World {
    pub(crate) state: State,
    pub(crate) registry: Registry,
}
