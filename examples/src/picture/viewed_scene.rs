//! The scene as the camera sees it: surfaces, lights, and the nearest surface at each sample.

use super::geometry::{GROUND, Geometry, Hit, NOTHING};
use super::lighting::Lighting;
use super::raster::{Layer, sample};
use super::view::View;

/// The scene as the camera sees it: the surfaces and the sample buffer.
pub(super) struct ViewedScene<'a> {
    /// The surfaces.
    pub geometry: &'a Geometry,
    /// The camera.
    pub view: &'a View,
    /// The nearest surface at each sample.
    pub layer: &'a Layer,
    /// The lights and the ground.
    pub lighting: &'a Lighting,
}

impl ViewedScene<'_> {
    /// Returns the point that the sample at column `x` and row `y` shows, if any.
    pub(super) fn hit(&self, x: usize, y: usize) -> Option<Hit> {
        let index = y * self.layer.columns + x;
        let ray = self.view.ray(sample(x, y));
        let depth = self.view.depth(self.layer.near[index]);
        match self.layer.number[index] {
            NOTHING => None,
            GROUND => Some(self.lighting.ground_hit(ray)),
            number => Some(self.geometry.hit(number, ray, depth)),
        }
    }

    /// Returns the samples per metre at the surface that the sample at column `x` and row `y` shows.
    pub(super) fn density(&self, x: usize, y: usize) -> f32 {
        let near = self.layer.near[y * self.layer.columns + x];
        self.view.density(self.view.depth(near))
    }

    /// Returns the depth `[m]` of what is `near`, infinite where there is nothing.
    pub(super) fn surface_depth(&self, near: f32) -> f32 {
        if near == f32::NEG_INFINITY { f32::INFINITY } else { self.view.depth(near) }
    }

    /// Returns whether a sample shows something other than the ground and the backdrop.
    pub(super) fn is_object(&self, index: usize) -> bool {
        !matches!(self.layer.number[index], NOTHING | GROUND)
    }
}
