//! The light that leaves a liquid's surface toward the viewer.

use glam::{Vec3, Vec4};

use super::{Liquids, transmitted};
use crate::picture::geometry::{Hit, NOTHING};
use crate::picture::lighting::Visibility;
use crate::picture::raster::{self, Layer, sample};
use crate::picture::shadow::ShadowMap;
use crate::picture::view::Ray;
use crate::picture::viewed_scene::ViewedScene;

/// Refractive index of air over that of water.
const REFRACTION_RATIO: f32 = 1.0 / 1.33;

/// Share of light that water mirrors head-on (Fresnel).
const HEAD_ON_REFLECTANCE: f32 = 0.02;

/// Part of the background that foam hides `[1]`, on the surface of the liquid and within it.
const FOAM_OPACITY: f32 = 0.9;
const SUBMERGED_FOAM_OPACITY: f32 = 0.5;

/// Steps along a mirrored sight line.
const REFLECTION_STEPS: usize = 40;

/// Liquids as the camera sees them.
pub(in crate::picture) struct Water<'a> {
    stage: &'a ViewedScene<'a>,
    liquids: &'a Liquids,
    /// The nearest fronts.
    layer: Layer,
    /// The nearest dots of foam.
    foam: Layer,
    /// Optical depth of the liquid before anything solid.
    depth: Vec<Vec4>,
}

impl<'a> Water<'a> {
    /// Looks at `liquids` among what `stage` shows.
    pub(in crate::picture) fn new(stage: &'a ViewedScene<'a>, liquids: &'a Liquids) -> Self {
        let layer = raster::draw(&liquids.geometry, stage.view);
        let ends: Vec<f32> = stage.layer.near.iter().map(|&near| stage.surface_depth(near)).collect();
        let depth = raster::thickness(&liquids.geometry, stage.view, &ends, liquids.extinctions());
        Self { stage, liquids, layer, foam: raster::draw(&liquids.foam, stage.view), depth }
    }

    /// Returns the linear light of the sample at column `x` and row `y`, given that of everything else for all samples.
    pub(in crate::picture) fn light(&self, x: usize, y: usize, solid: &[Vec3], shadows: &ShadowMap) -> Vec3 {
        let light = self.liquid(x, y, solid, shadows);
        let index = y * self.layer.columns + x;
        let (number, near) = (self.foam.number[index], self.foam.near[index]);
        if number == NOTHING || near <= self.stage.layer.near[index] {
            return light;
        }
        let (view, lighting) = (self.stage.view, self.stage.lighting);
        let ray = view.ray(sample(x, y));
        let hit = self.liquids.foam.hit(number, ray, view.depth(near));
        let visible = Visibility { key: shadows.lit(&hit, x, y), sky: 1.0, tint: Vec3::ONE };
        let dot = lighting.reflected(&hit, ray, &visible);
        let front = self.layer.number[index];
        if front == NOTHING || near >= self.layer.near[index] {
            return light.lerp(dot, FOAM_OPACITY);
        }
        let below = (view.depth(near) - view.depth(self.layer.near[index])) * ray.direction.length();
        light.lerp(dot * transmitted(self.liquids.liquid(front).extinction() * below), SUBMERGED_FOAM_OPACITY)
    }

    /// Returns the linear light of a sample without foam.
    fn liquid(&self, x: usize, y: usize, solid: &[Vec3], shadows: &ShadowMap) -> Vec3 {
        let index = y * self.layer.columns + x;
        let number = self.layer.number[index];
        if number == NOTHING || self.layer.near[index] <= self.stage.layer.near[index] {
            return solid[index] * transmitted(self.depth[index]);
        }
        let ray = self.stage.view.ray(sample(x, y));
        let hit = self.liquids.geometry.hit(number, ray, self.stage.view.depth(self.layer.near[index]));
        let ahead = ray.direction.normalize();
        let key = if hit.normal.dot(self.stage.lighting.toward_key) > 0.0 { shadows.lit(&hit, x, y) } else { 0.0 };
        let grazing = 1.0 - hit.normal.dot(-ahead).clamp(0.0, 1.0);
        let square = grazing * grazing;
        let share = HEAD_ON_REFLECTANCE + (1.0 - HEAD_ON_REFLECTANCE) * square * square * grazing;
        let mirrored = self.reflected(&hit, ahead, solid);
        let glint = self.stage.lighting.glint(&hit, ahead) * key;
        let behind = self.transmitted_light(index, number, &hit, ahead, solid);
        (1.0 - share) * self.body(index, number, &hit, ray, key, behind) + share * mirrored + glint
    }

    /// Returns what is `behind`, through the body of the liquid, with the light that the body scatters.
    fn body(&self, index: usize, number: u32, hit: &Hit, ray: Ray, key: f32, behind: Vec3) -> Vec3 {
        let depth = self.depth[index];
        let dull = Hit { gloss: 0.0, sheen: 0.0, ..*hit };
        let visible = Visibility { key, sky: 1.0, tint: Vec3::ONE };
        let scattered = self.stage.lighting.reflected(&dull, ray, &visible);
        let cloudiness = self.liquids.liquid(number).cloudiness;
        let share = (1.0 - libm::expf(-depth.w)) * (0.25 + 0.75 * cloudiness).min(1.0);
        behind * transmitted(depth) + share * scattered
    }

    /// Returns the light of what lies behind the surface, where the refracted sight line would meet it if the liquid
    /// were as deep there as it is straight ahead.
    fn transmitted_light(&self, index: usize, number: u32, hit: &Hit, ahead: Vec3, solid: &[Vec3]) -> Vec3 {
        let extinction = self.liquids.liquid(number).extinction();
        let length = self.depth[index].max_element() / extinction.max_element();
        let bent = refracted(ahead, hit.normal) * length;
        let view = self.stage.view;
        let end = view.local(hit.position + bent);
        self.sample_index(end)
            .filter(|&other| {
                let front = self.layer.near[index].max(self.layer.near[other]);
                self.stage.layer.near[other] < front || view.depth(self.stage.layer.near[other]) > end.z
            })
            .map_or(solid[index], |other| solid[other])
    }

    /// Returns the light that the surface mirrors: what the mirrored line meets on the picture, or the surroundings.
    fn reflected(&self, hit: &Hit, ahead: Vec3, solid: &[Vec3]) -> Vec3 {
        let direction = ahead - 2.0 * ahead.dot(hit.normal) * hit.normal;
        let view = self.stage.view;
        let step = 2.0 * self.stage.lighting.radius / (REFLECTION_STEPS * REFLECTION_STEPS) as f32;
        let mut last = 0.0;
        for k in 1..=REFLECTION_STEPS {
            let reach = step * (k * k) as f32;
            let local = view.local(hit.position + reach * direction);
            let Some(other) = self.sample_index(local) else { break };
            let depth = self.stage.surface_depth(self.stage.layer.near[other]);
            let thickness = 2.0 * (reach - last);
            if self.stage.is_object(other) && depth < local.z && local.z < depth + thickness {
                return solid[other];
            }
            last = reach;
        }
        self.stage.lighting.surroundings(direction)
    }

    /// Returns the sample that a point in the axes of the view falls on.
    fn sample_index(&self, local: Vec3) -> Option<usize> {
        let view = self.stage.view;
        if local.z <= 0.0 {
            return None;
        }
        let place = view.project(local).place;
        let inside = place.min_element() >= 0.0 && place.x < view.columns as f32 && place.y < view.rows as f32;
        inside.then(|| place.y as usize * self.layer.columns + place.x as usize)
    }
}

/// Returns the direction in which light that comes along `ahead` goes on behind a surface with this normal.
pub(super) fn refracted(ahead: Vec3, normal: Vec3) -> Vec3 {
    let along = ahead.dot(normal);
    let rest = 1.0 - REFRACTION_RATIO * REFRACTION_RATIO * (1.0 - along * along);
    REFRACTION_RATIO * ahead - (REFRACTION_RATIO * along + rest.max(0.0).sqrt()) * normal
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Snell: the sines of the angles to the normal are as 1 to 1.33.
    #[test]
    fn refraction_obeys_snell() {
        let normal = Vec3::new(0.1, 0.9, -0.2).normalize();
        for ahead in [Vec3::new(1.0, -1.0, 0.0), Vec3::new(3.0, -1.0, 1.0), Vec3::NEG_Y].map(Vec3::normalize) {
            let bent = refracted(ahead, normal);
            assert!((bent.length() - 1.0).abs() < 1e-5);
            let sines = [ahead, bent].map(|direction| direction.cross(normal).length());
            assert!((sines[0] - 1.33 * sines[1]).abs() < 1e-5, "{sines:?}");
            assert!(bent.dot(normal) < 0.0);
        }
    }
}
