//! From recorded surfaces to the finished image.

use glam::Vec3;
use rayon::prelude::*;

use super::SAMPLES;
use super::color::to_display;
use super::geometry::{GROUND, Geometry, Hit, NOTHING};
use super::image::Image;
use super::lighting::{Lighting, Visibility};
use super::noise::grain;
use super::occlusion::Occlusion;
use super::raster::{Layer, sample};
use super::shadow::ShadowMap;
use super::view::View;

/// What is looked at and what each sample shows of it.
pub(super) struct Stage<'a> {
    /// The surfaces.
    pub geometry: &'a Geometry,
    /// The camera.
    pub view: &'a View,
    /// The nearest surface at each sample.
    pub layer: &'a Layer,
    /// The lights and the ground.
    pub lighting: &'a Lighting,
}

impl Stage<'_> {
    /// The point that the sample at column `x` and row `y` shows, if any.
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

    /// Samples per metre at what the sample at column `x` and row `y` shows.
    pub(super) fn density(&self, x: usize, y: usize) -> f32 {
        let near = self.layer.near[y * self.layer.columns + x];
        self.view.density(self.view.depth(near))
    }

    /// The linear light of the sample at column `x` and row `y`.
    fn light(&self, x: usize, y: usize, shadows: &ShadowMap, open: f32) -> Vec3 {
        let ray = self.view.ray(sample(x, y));
        let Some(hit) = self.hit(x, y) else {
            return self.lighting.backdrop(ray);
        };
        let faces_key = hit.normal.dot(self.lighting.toward_key) > 0.0;
        let visible = Visibility { key: if faces_key { shadows.lit(&hit, x, y) } else { 0.0 }, sky: open };
        let light = self.lighting.reflected(&hit, ray, &visible);
        if self.layer.number[y * self.layer.columns + x] != GROUND {
            return light;
        }
        let fade = self.lighting.fade(hit.position);
        light.lerp(self.lighting.backdrop(ray), fade)
    }
}

/// Lights all samples and averages them into pixels.
pub(super) fn shade(stage: &Stage, shadows: &ShadowMap, occlusion: &Occlusion) -> Image {
    let step = SAMPLES as usize;
    let width = stage.view.columns as usize / step;
    let height = stage.view.rows as usize / step;
    let pixel = |index: usize| {
        let (x, y) = (index % width, index / width);
        let open = occlusion.open(x, y);
        let shown: Vec3 = (0..step * step)
            .map(|k| stage.light(step * x + k % step, step * y + k / step, shadows, open))
            .map(to_display)
            .sum();
        quantised(shown / (step * step) as f32, grain(x, y))
    };
    let pixels = (0..width * height).into_par_iter().with_min_len(width).map(pixel).collect();
    Image::new(width as u32, height as u32, pixels)
}

/// Eight-bit channels of `color`, with `grain` `[1/255]` added so that smooth gradients show no
/// steps.
fn quantised(color: Vec3, grain: f32) -> [u8; 3] {
    color.to_array().map(|channel| (255.0 * channel + 0.5 + grain).clamp(0.0, 255.0) as u8)
}
