//! Shapes of colliders on the device.

use xpbd_core::world::State;

/// The shapes of a world, flattened.
#[derive(Debug, Default)]
pub struct Shapes {
    words: Vec<u32>,
    places: Vec<u32>,
}

impl Shapes {
    /// Flattens the shapes anew if they have changed; says whether they have.
    pub fn update(&mut self, state: &State) -> Result<bool, String> {
        if state.colliders.is_empty() { Ok(false) } else { Err("no shapes yet".into()) }
    }

    /// All shapes.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The first word of each collider's shape, in the order of colliders.
    pub fn places(&self) -> &[u32] {
        &self.places
    }
}
