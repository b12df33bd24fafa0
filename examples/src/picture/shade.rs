//! Shading: the finished image from the recorded surfaces.

use glam::Vec3;
use rayon::prelude::*;

use super::SAMPLES;
use super::color::to_display;
use super::geometry::GROUND;
use super::image::Image;
use super::lighting::Visibility;
use super::liquid::{Glow, Water};
use super::noise::grain;
use super::occlusion::Occlusion;
use super::raster::sample;
use super::shadow::ShadowMap;
use super::viewed_scene::ViewedScene;

/// Liquids among what is looked at.
pub(super) struct LiquidLayers<'a> {
    /// The liquids in the view of the camera.
    pub water: Water<'a>,
    /// The light of the key light after the liquids.
    pub glow: Glow,
}

impl ViewedScene<'_> {
    /// Returns the linear light of the sample at column `x` and row `y`, without liquids in the way.
    fn light(&self, x: usize, y: usize, shadows: &ShadowMap, open: f32, glow: Option<&Glow>) -> Vec3 {
        let ray = self.view.ray(sample(x, y));
        let Some(hit) = self.hit(x, y) else {
            return self.lighting.backdrop(ray);
        };
        let faces_key = hit.normal.dot(self.lighting.toward_key) > 0.0;
        let visible = Visibility {
            key: if faces_key { shadows.lit(&hit, x, y) } else { 0.0 },
            sky: open,
            tint: glow.map_or(Vec3::ONE, |glow| glow.tint(shadows, &hit)),
        };
        let light = self.lighting.reflected(&hit, ray, &visible);
        if self.layer.number[y * self.layer.columns + x] != GROUND {
            return light;
        }
        let fade = self.lighting.fade(hit.position);
        light.lerp(self.lighting.backdrop(ray), fade)
    }
}

/// Lights all samples and averages them into pixels.
pub(super) fn shade(
    stage: &ViewedScene,
    shadows: &ShadowMap,
    occlusion: &Occlusion,
    wet: Option<&LiquidLayers>,
) -> Image {
    let step = SAMPLES as usize;
    let glow = wet.map(|wet| &wet.glow);
    let dry = |x: usize, y: usize| stage.light(x, y, shadows, occlusion.open(x / step, y / step), glow);
    let columns = stage.layer.columns;
    let all = || (0..stage.layer.number.len()).into_par_iter().with_min_len(columns);
    let solid: Vec<Vec3> = wet.map_or_else(Vec::new, |_| all().map(|k| dry(k % columns, k / columns)).collect());
    let light = |x: usize, y: usize| match wet {
        Some(wet) => wet.water.light(x, y, &solid, shadows),
        None => dry(x, y),
    };
    let width = stage.view.columns as usize / step;
    let height = stage.view.rows as usize / step;
    let pixel = |index: usize| {
        let (x, y) = (index % width, index / width);
        let shown: Vec3 =
            (0..step * step).map(|k| light(step * x + k % step, step * y + k / step)).map(to_display).sum();
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
