//! Shapes of colliders on the device.

use std::sync::Arc;

use parry3d::shape::SharedShape;
use xpbd_core::world::State;

use crate::shape_query::Geometry;

/// The shapes of a world, flattened. A shape that several colliders share is there once.
#[derive(Default)]
pub struct Shapes {
    geometry: Geometry,
    shapes: Vec<SharedShape>,
    places: Vec<u32>,
}

impl Shapes {
    /// Flattens the shapes anew if any collider has another one; says whether that was so.
    ///
    /// # Errors
    /// A shape that has no formula on the GPU, with the number of its collider.
    pub fn update(&mut self, state: &State) -> Result<bool, String> {
        let same = |a: &SharedShape, b: &SharedShape| Arc::ptr_eq(&a.0, &b.0);
        let shapes = || state.colliders.iter().map(|(_, collider)| &collider.shape);
        if self.shapes.len() == state.colliders.len() && self.shapes.iter().zip(shapes()).all(|(a, b)| same(a, b)) {
            return Ok(false);
        }
        let mut geometry = Geometry::new();
        let mut known: Vec<SharedShape> = Vec::with_capacity(state.colliders.len());
        let mut places: Vec<u32> = Vec::with_capacity(state.colliders.len());
        for (number, shape) in shapes().enumerate() {
            let place = match known.iter().position(|other| same(other, shape)) {
                Some(first) => places[first],
                None => geometry.add(&*shape.0).map_err(|error| format!("collider {number}: {error}"))?,
            };
            places.push(place);
            known.push(shape.clone());
        }
        *self = Self { geometry, shapes: known, places };
        Ok(true)
    }

    /// Returns all shapes.
    pub fn words(&self) -> &[u32] {
        self.geometry.words()
    }

    /// Returns the first word of each collider's shape, in the order of colliders.
    pub fn places(&self) -> &[u32] {
        &self.places
    }
}

impl std::fmt::Debug for Shapes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} shapes in {} words", self.shapes.len(), self.words().len())
    }
}
