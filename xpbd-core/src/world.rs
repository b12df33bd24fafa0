//! The world: everything that is simulated, and the edits and queries of a game.

pub mod activity;
mod add;
mod bodies;
mod breaking;
mod colliders;
mod edit;
pub mod error;
mod parameter_evolution;
mod parameters;
mod planning;
mod query;
pub mod reaction;
pub mod report;
mod revision;
mod sensors;
mod sleep;
mod snapshot;
mod split_particle;
pub mod state;
mod step;
mod sums;
mod surfaces;
mod update;
mod validate;

pub use activity::{ParticleSpawn, SpawnReport};
pub use error::{StepError, WorldError};
pub use reaction::ConstraintReaction;
pub use report::{BrokenConstraint, StepPhase, StepReport};
pub use revision::Revision;
pub use state::{Backend, State};
pub use step::SHORTEST_FRAME;
pub use sums::{Energy, Momentum};
pub use update::UpdateOutcome;

use revision::Revised;
use sleep::FrameStart;

use crate::batch::Registry;
pub use crate::friction::Friction;
pub use crate::handle::{BatchHandle, BodyHandle, ColliderHandle, ObjectHandle, SensorHandle};
pub use crate::layers::CollisionLayers;
pub use crate::object::Object;
pub use crate::settings::{ConstraintSolver, Integrator, Settings, SolverMethod};

/// Particles, bodies, colliders and constraints, with the rules that move them.
///
/// All edits take effect at once and may be made between any two steps.
#[derive(Debug, Default)]
pub struct World {
    pub(crate) state: Revised<State>,
    pub(crate) registry: Registry,
    /// Bodies and particles at the start of the last frame.
    frame_start: FrameStart,
}
