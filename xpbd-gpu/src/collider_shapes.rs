//! ColliderShapes of colliders on the device.

use std::sync::Arc;

use parry3d::shape::SharedShape;
use xpbd_core::world::State;

use crate::shape_query::Geometry;

/// The flattened shapes of a world. A shape that several colliders share is stored once.
#[derive(Default)]
pub struct ColliderShapes {
    geometry: Geometry,
    shapes: Vec<SharedShape>,
    first_words: Vec<u32>,
}

impl ColliderShapes {
    /// Flattens the shapes anew if the shape of any collider has changed, and returns whether it has.
    ///
    /// # Errors
    /// A shape has no formula on the GPU; the message names the collider.
    pub fn update(&mut self, state: &State) -> Result<bool, String> {
        let same = |a: &SharedShape, b: &SharedShape| Arc::ptr_eq(&a.0, &b.0);
        let shapes = || state.colliders.iter().map(|(_, collider)| &collider.shape);
        if self.shapes.len() == state.colliders.len() && self.shapes.iter().zip(shapes()).all(|(a, b)| same(a, b)) {
            return Ok(false);
        }
        let mut geometry = Geometry::new();
        let mut known: Vec<SharedShape> = Vec::with_capacity(state.colliders.len());
        let mut first_words: Vec<u32> = Vec::with_capacity(state.colliders.len());
        for (number, shape) in shapes().enumerate() {
            let place = match known.iter().position(|other| same(other, shape)) {
                Some(first) => first_words[first],
                None => geometry.add(&*shape.0).map_err(|error| format!("collider {number}: {error}"))?,
            };
            first_words.push(place);
            known.push(shape.clone());
        }
        *self = Self { geometry, shapes: known, first_words };
        Ok(true)
    }

    /// Returns the words of all shapes.
    pub fn words(&self) -> &[u32] {
        self.geometry.words()
    }

    /// Returns the first word of each collider's shape, in the order of colliders.
    pub fn first_words(&self) -> &[u32] {
        &self.first_words
    }
}

impl std::fmt::Debug for ColliderShapes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} shapes in {} words", self.shapes.len(), self.words().len())
    }
}
