//! The media of a world: their members, the walls around them, and a substep of each.

mod medium_state;
mod walls;

pub use medium_state::MediumState;
