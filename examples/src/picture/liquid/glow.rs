//! The key light behind a liquid.
//!
//! Each sample of the light's view that meets a liquid carries the same light. It is bent at the surface and
//! falls where its line ends, on the same map; counted there, it is brighter where many fall.

use glam::Vec3;
use rayon::prelude::*;

use super::water::refracted;
use super::{Liquids, transmitted};
use crate::picture::geometry::{Hit, NOTHING};
use crate::picture::raster::{self, Layer, sample};
use crate::picture::shadow::ShadowMap;
use crate::picture::view::View;

/// Greatest brightness against that without a liquid `[1]`.
const BRIGHTEST: f32 = 4.0;

/// Samples on each side over which light is spread.
const SPREAD: usize = 3;

/// Light that comes through liquids, on the map of shadows.
pub(in crate::picture) struct Glow {
    columns: usize,
    light: Vec<Vec3>,
}

impl Glow {
    /// Follows the key light through `liquids` to the surfaces of the map and to the ground at the height `ground` `[m]`.
    pub(in crate::picture) fn new(liquids: &Liquids, shadows: &ShadowMap, ground: Option<f32>) -> Self {
        let (view, layer) = shadows.surfaces(ground);
        let ends: Vec<f32> = layer.near.iter().map(|&near| view.depth(near)).collect();
        let depth = raster::thickness(&liquids.geometry, view, &ends, liquids.extinctions());
        let fronts = raster::draw(&liquids.geometry, view);
        let gathered = blurred(&gathered(liquids, view, &layer, &fronts), layer.columns);
        let wet = |k: usize| fronts.number[k] != NOTHING && fronts.near[k] > layer.near[k];
        let light = |k: usize| {
            let lens = if wet(k) { gathered[k].min(BRIGHTEST) } else { 1.0 };
            lens * transmitted(depth[k])
        };
        Self { columns: layer.columns, light: (0..depth.len()).into_par_iter().map(light).collect() }
    }

    /// Returns the share per channel of the key light `[1]` that reaches `hit` through liquids.
    pub(in crate::picture) fn tint(&self, shadows: &ShadowMap, hit: &Hit) -> Vec3 {
        shadows.sample_at(hit.position).map_or(Vec3::ONE, |[x, y]| self.light[y * self.columns + x])
    }
}

/// Returns how many lines of light end at each sample.
fn gathered(liquids: &Liquids, view: &View, layer: &Layer, fronts: &Layer) -> Vec<f32> {
    let columns = layer.columns;
    let ends = |k: usize| -> Option<usize> {
        let (number, near) = (fronts.number[k], fronts.near[k]);
        if number == NOTHING || near <= layer.near[k] || layer.number[k] == NOTHING {
            return None;
        }
        let ray = view.ray(sample(k % columns, k / columns));
        let depth = view.depth(near);
        let hit = liquids.geometry.hit(number, ray, depth);
        let bent = refracted(ray.direction, hit.normal) * (view.depth(layer.near[k]) - depth);
        let place = view.project(view.local(hit.position + bent)).place;
        let inside = place.min_element() >= 0.0 && place.x < view.columns as f32 && place.y < view.rows as f32;
        inside.then(|| place.y as usize * columns + place.x as usize)
    };
    let ends: Vec<Option<usize>> = (0..fronts.number.len()).into_par_iter().map(ends).collect();
    let mut counts = vec![0.0; ends.len()];
    ends.into_iter().flatten().for_each(|end| counts[end] += 1.0);
    counts
}

/// Returns the mean over squares of samples, twice.
fn blurred(values: &[f32], columns: usize) -> Vec<f32> {
    let rows = values.len() / columns;
    let along = |values: &[f32], stride: usize, count: usize, place: fn(usize, usize) -> usize| -> Vec<f32> {
        (0..values.len())
            .into_par_iter()
            .map(|k| {
                let own = place(k, columns);
                let (first, last) = (own.saturating_sub(SPREAD), (own + SPREAD).min(count - 1));
                let sum: f32 = (first..=last).map(|other| values[k + other * stride - own * stride]).sum();
                sum / (last - first + 1) as f32
            })
            .collect()
    };
    let mut values = values.to_vec();
    for _ in 0..2 {
        values = along(&values, 1, columns, |k, columns| k % columns);
        values = along(&values, columns, rows, |k, columns| k / columns);
    }
    values
}
