//! The studio: a key light, a weaker fill light, sky above, a bright floor below.

use glam::Vec3;

use super::geometry::Hit;
use super::view::{Ray, View};
use crate::mesh::Bounds;

/// Light of the key `[1]`, slightly warm.
const KEY: Vec3 = Vec3::new(2.30, 2.18, 1.98);
/// Light of the fill `[1]`, from the other side of the viewer and without shadow.
const FILL: Vec3 = Vec3::new(0.16, 0.20, 0.26);
/// Light from straight above `[1]`.
const SKY: Vec3 = Vec3::new(0.46, 0.52, 0.62);
/// Light from straight below `[1]`.
const BOUNCE: Vec3 = Vec3::new(0.30, 0.27, 0.24);
/// Linear colour of the ground.
const FLOOR: Vec3 = Vec3::new(0.56, 0.55, 0.54);
/// Linear light of the backdrop high above the horizon.
const HIGH: Vec3 = Vec3::new(0.42, 0.50, 0.62);
/// Linear light of the sky that wet surfaces mirror, straight above.
const ZENITH: Vec3 = Vec3::new(0.30, 0.46, 0.78);
/// Distances from the content, as shares of its radius `[1]`, between which the ground fades.
const FADE: [f32; 2] = [1.6, 8.0];

/// The lights, and the surroundings of the content.
pub(super) struct Lighting {
    /// Unit vector toward the key light.
    pub toward_key: Vec3,
    toward_fill: Vec3,
    /// Radius of the content `[m]`.
    pub radius: f32,
    center: Vec3,
    ground: Option<f32>,
}

/// The part of the light that reaches a point `[1]`.
pub(super) struct Visibility {
    /// Share of the key light.
    pub key: f32,
    /// Share of the surroundings.
    pub sky: f32,
    /// Share per channel of the key light behind liquids.
    pub tint: Vec3,
}

impl Lighting {
    /// Sets the lights around `content` for a viewer at `view`, the key light at `toward_key` if
    /// given.
    pub(super) fn new(view: &View, toward_key: Option<Vec3>, ground: Option<f32>, content: Bounds) -> Self {
        let back = (-view.forward).with_y(0.0).normalize_or(view.up.with_y(0.0));
        let left = -view.right;
        let key = (0.30 * back + 0.90 * left + 0.90 * Vec3::Y).normalize();
        let fill = (0.5 * back - 0.8 * left + 0.3 * Vec3::Y).normalize();
        Self {
            toward_key: toward_key.unwrap_or(key),
            toward_fill: fill,
            radius: 0.5 * content.size().length(),
            center: content.center(),
            ground,
        }
    }

    /// Returns the light `[1]` that leaves `hit` toward the viewer at the start of `ray`.
    pub(super) fn reflected(&self, hit: &Hit, ray: Ray, visible: &Visibility) -> Vec3 {
        let normal = hit.normal;
        let toward_eye = -ray.direction.normalize();
        let key = visible.key * (0.6 + 0.4 * visible.sky) * KEY * visible.tint;
        let open = brightened(visible.sky, hit.color);
        let ambient = open * BOUNCE.lerp(SKY, 0.5 + 0.5 * normal.y);
        let fill = open * FILL * normal.dot(self.toward_fill).max(0.0);
        let diffuse = key * normal.dot(self.toward_key).max(0.0) + ambient + fill;
        let half = (self.toward_key + toward_eye).normalize_or(normal);
        let sharpness = 12.0 + 90.0 * hit.gloss;
        let highlight = libm::powf(normal.dot(half).max(0.0), sharpness);
        let grazing = 1.0 - normal.dot(toward_eye).clamp(0.0, 1.0);
        let rim = grazing * grazing * grazing * (ambient + 0.25 * key);
        hit.color * diffuse
            + hit.gloss * highlight * key
            + hit.sheen * rim * (hit.color + 0.15)
            + 0.5 * hit.gloss * grazing * grazing * rim
    }

    /// Returns the light `[1]` of the backdrop along `ray`.
    pub(super) fn backdrop(&self, ray: Ray) -> Vec3 {
        let rise = ray.direction.normalize().y;
        let low = if self.ground.is_some() { self.open_floor() } else { 0.7 * HIGH };
        let height = (1.1 * rise + if self.ground.is_some() { 0.0 } else { 0.5 }).clamp(0.0, 1.0);
        low.lerp(HIGH, height * (2.0 - height))
    }

    /// Returns the light `[1]` that comes from a `direction` to what mirrors it: the backdrop, a sky above it, and
    /// the key light as a wide lamp.
    pub(super) fn surroundings(&self, direction: Vec3) -> Vec3 {
        let low = if self.ground.is_some() { self.open_floor() } else { 0.7 * HIGH };
        let rise = direction.normalize().y;
        let height = (1.4 * rise).clamp(0.0, 1.0);
        let sky = low.lerp(ZENITH, height * (2.0 - height));
        let lamp = ((direction.normalize().dot(self.toward_key) - 0.90) / 0.08).clamp(0.0, 1.0);
        sky + 1.2 * lamp * lamp * (3.0 - 2.0 * lamp) * KEY
    }

    /// Returns the highlight `[1]` of the key light on the wet surface at `hit`, seen along the unit vector `ahead`.
    pub(super) fn glint(&self, hit: &Hit, ahead: Vec3) -> Vec3 {
        let half = (self.toward_key - ahead).normalize_or(hit.normal);
        let cosine = hit.normal.dot(half).max(0.0);
        (2.5 * libm::powf(cosine, 700.0) + 0.12 * libm::powf(cosine, 90.0)) * KEY
    }

    /// Returns the ground as `ray` meets it.
    pub(super) fn ground_hit(&self, ray: Ray) -> Hit {
        let height = self.ground.unwrap_or_default();
        let depth = (height - ray.origin.y) / ray.direction.y;
        let normal = if ray.direction.y > 0.0 { Vec3::NEG_Y } else { Vec3::Y };
        Hit { position: ray.at(depth).with_y(height), normal, facet: normal, color: FLOOR, gloss: 0.0, sheen: 0.0 }
    }

    /// Returns how far `[1]` the ground at `position` has faded into the backdrop.
    pub(super) fn fade(&self, position: Vec3) -> f32 {
        let distance = (position - self.center).with_y(0.0).length();
        let [start, end] = FADE.map(|share| share * self.radius.max(1e-3));
        let share = ((distance - start) / (end - start)).clamp(0.0, 1.0);
        share * share * (3.0 - 2.0 * share)
    }

    /// Returns the light of the ground where nothing stands near.
    fn open_floor(&self) -> Vec3 {
        FLOOR * (KEY * self.toward_key.y.max(0.0) + SKY + FILL * self.toward_fill.y.max(0.0))
    }
}

/// Returns the `open` share of the sky `[1]` per channel, with what a crease of the linear `color` reflects
/// into itself (J. Jimenez et al., *Practical Real-Time Strategies for Accurate Indirect
/// Occlusion*, 2016, eq. 10).
fn brightened(open: f32, color: Vec3) -> Vec3 {
    let cubic = 2.0404 * color - 0.3324;
    let square = -4.7951 * color + 0.6417;
    let line = 2.7552 * color + 0.6903;
    (((open * cubic + square) * open + line) * open).max(Vec3::splat(open))
}
