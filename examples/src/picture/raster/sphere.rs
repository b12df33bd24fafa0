//! Exact spheres on the grid of samples.

use glam::Vec2;

use super::{Strip, centers, sample};
use crate::picture::geometry::Sphere;
use crate::picture::view::{CLIP, Lens, View};

/// A sphere and the box of samples that holds its outline.
pub(super) struct ScreenSphere {
    number: u32,
    sphere: Sphere,
    /// Lowest corner `[samples]`.
    pub low: Vec2,
    /// Highest corner `[samples]`.
    pub high: Vec2,
}

impl ScreenSphere {
    /// The sphere as `view` sees it, nothing if it reaches the clip depth.
    pub(super) fn new(number: u32, sphere: Sphere, view: &View) -> Option<Self> {
        let local = view.local(sphere.center);
        let middle = view.project(local).place;
        let (low, high) = match view.lens {
            Lens::Parallel(density) => {
                let reach = Vec2::splat(density * sphere.radius);
                (middle - reach, middle + reach)
            }
            Lens::Perspective(_) if local.z - sphere.radius < CLIP => return None,
            Lens::Perspective(focal) => {
                let axis = Vec2::new(view.columns as f32, view.rows as f32) * 0.5;
                let [left, right] = tangents(local.x, local.z, sphere.radius);
                let [bottom, top] = tangents(local.y, local.z, sphere.radius);
                let place = |x: f32, y: f32| axis + focal * Vec2::new(x, -y);
                (place(left, top), place(right, bottom))
            }
        };
        Some(Self { number, sphere, low, high })
    }

    /// Records this sphere at all samples of `strip` that it covers.
    ///
    /// With q the point of the sight line o + z d nearest to the centre, at depth z_q, the line
    /// enters at depth z_q − √((r² − |q − c|²) / |d|²).
    pub(super) fn fill(&self, view: &View, strip: &mut Strip) {
        let columns = centers(self.low.x, self.high.x, 0..strip.columns);
        for y in centers(self.low.y, self.high.y, strip.rows()) {
            for x in columns.clone() {
                let ray = view.ray(sample(x, y));
                let steepness = ray.direction.length_squared();
                let middle = (self.sphere.center - ray.origin).dot(ray.direction) / steepness;
                let miss = ray.at(middle).distance_squared(self.sphere.center);
                let inside = self.sphere.radius * self.sphere.radius - miss;
                if inside >= 0.0 {
                    let depth = middle - (inside / steepness).sqrt();
                    strip.put(x, y, self.number, view.near(depth));
                }
            }
        }
    }
}

/// Returns the slopes of the two lines from the origin that touch the circle of `radius` around
/// (`across`, `depth`), lower one first; the circle must lie at positive depth.
fn tangents(across: f32, depth: f32, radius: f32) -> [f32; 2] {
    let reach = (across * across + depth * depth - radius * radius).max(0.0).sqrt();
    [-1.0, 1.0].map(|side| {
        let run = depth * reach - side * across * radius;
        (across * reach + side * depth * radius) / run.max(f32::MIN_POSITIVE)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangents_touch_the_circle() {
        let (across, depth, radius) = (0.7, 3.0, 0.5);
        for slope in tangents(across, depth, radius) {
            let distance = (across - slope * depth).abs() / (1.0 + slope * slope).sqrt();
            assert!((distance - radius).abs() < 1e-5, "{distance}");
        }
    }
}
