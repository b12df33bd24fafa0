//! Shadows of the key light, softer with distance.
//!
//! The scene is drawn once as the light sees it. A point is then compared with the map over a
//! disc whose size follows from the mean distance of what stands in the way (R. Fernando,
//! *Percentage-Closer Soft Shadows*, 2005). Each comparison is made against the plane of the
//! point's own triangle, so that a slanted surface does not shadow itself.

use glam::{Vec2, Vec3};

use super::geometry::{Geometry, Hit};
use super::noise::Disc;
use super::raster::{self, Layer};
use super::view::{Lens, View};
use crate::mesh::Bounds;

/// Samples along the longer side of the map.
const RESOLUTION: u32 = 2048;

/// Width of the light `[1]`: how many metres a shadow's edge widens per metre of distance.
const LIGHT_WIDTH: f32 = 0.09;

/// Radius of the search for what stands in the way, as a share of the content's size `[1]`.
const SEARCH: f32 = 0.02;

/// Steepest slope of a surface against the light that comparisons follow `[1]`.
const MAX_SLOPE: f32 = 4.0;

/// The scene as the key light sees it.
pub(super) struct ShadowMap {
    view: View,
    layer: Layer,
    /// Distance `[m]` between neighbouring samples.
    texel: f32,
    /// Radius of the first search `[m]`.
    search: f32,
    blockers: Disc,
    filter: Disc,
}

/// A point as the map sees it.
struct Receiver {
    /// Place `[samples]`.
    place: Vec2,
    /// Depth `[m]`.
    depth: f32,
    /// Change of depth per sample to the right and down `[m]`.
    slope: Vec2,
    /// Distance in front of a point beyond which a surface casts a shadow on it `[m]`.
    bias: f32,
}

impl ShadowMap {
    /// Draws `geometry`, which lies in `content`, as seen from the direction `toward_light`.
    pub(super) fn new(geometry: &Geometry, content: Bounds, toward_light: Vec3) -> Self {
        let level = View::new(content.center(), -toward_light, Lens::Parallel(1.0), [1, 1]);
        let corners = content.corners().map(|corner| level.local(corner));
        let half = corners
            .into_iter()
            .fold(Vec3::splat(1e-3), |half, corner| half.max(if content.is_empty() { half } else { corner.abs() }));
        let texel = 2.0 * 1.02 * half.x.max(half.y) / RESOLUTION as f32;
        let count = |half: f32| (2.0 * 1.02 * half / texel).ceil().clamp(1.0, RESOLUTION as f32);
        let size = [count(half.x) as u32, count(half.y) as u32];
        let view = View::new(content.center(), -toward_light, Lens::Parallel(1.0 / texel), size);
        Self {
            layer: raster::draw(geometry, &view),
            view,
            texel,
            search: SEARCH * content.size().length(),
            blockers: Disc::new(12, 0.5),
            filter: Disc::new(16, 0.5),
        }
    }

    /// Returns the share `[1]` of the key light that reaches `hit`; `x` and `y` turn the sampling disc.
    pub(super) fn lit(&self, hit: &Hit, x: usize, y: usize) -> f32 {
        let receiver = self.receiver(hit);
        let reach = self.search / self.texel;
        let (mut gap, mut found) = (0.0, 0.0);
        for offset in self.blockers.at(x, y) {
            let above = self.gap(&receiver, reach * offset);
            if above > 0.0 {
                gap += above;
                found += 1.0;
            }
        }
        if found == 0.0 {
            return 1.0;
        }
        let spread = (LIGHT_WIDTH * gap / found / self.texel).clamp(1.3, reach.max(1.3));
        let open = self.filter.at(x, y).filter(|&offset| self.gap(&receiver, spread * offset) <= 0.0).count();
        open as f32 / self.filter.len() as f32
    }

    /// Returns the view of the light, and the nearest surfaces in it with the ground at the height `ground` `[m]`.
    pub(super) fn surfaces(&self, ground: Option<f32>) -> (&View, Layer) {
        let mut layer = self.layer.clone();
        if let Some(height) = ground {
            raster::cover(&mut layer, &self.view, height);
        }
        (&self.view, layer)
    }

    /// Returns the column and the row of the map's sample at a point, if the point is on the map.
    pub(super) fn sample_at(&self, position: Vec3) -> Option<[usize; 2]> {
        let place = self.view.project(self.view.local(position)).place;
        let inside =
            place.min_element() >= 0.0 && (place.x as usize) < self.layer.columns && place.y < self.view.rows as f32;
        inside.then_some([place.x as usize, place.y as usize])
    }

    /// Returns where `hit` falls on the map and how its plane slants there.
    fn receiver(&self, hit: &Hit) -> Receiver {
        let local = self.view.local(hit.position + 1.5 * self.texel * hit.facet);
        let normal =
            Vec3::new(hit.facet.dot(self.view.right), hit.facet.dot(self.view.up), hit.facet.dot(self.view.forward));
        let steep = normal.z.abs().max(0.1).copysign(normal.z);
        let slope = Vec2::new(-normal.x, normal.y) / steep;
        Receiver {
            place: self.view.project(local).place,
            depth: local.z,
            slope: slope.clamp_length_max(MAX_SLOPE) * self.texel,
            bias: 2.0 * self.texel,
        }
    }

    /// Returns how far `[m]` the map's surface at `offset` `[samples]` is above the receiver's plane, zero
    /// where it is not.
    fn gap(&self, receiver: &Receiver, offset: Vec2) -> f32 {
        let place = receiver.place + offset;
        if place.cmplt(Vec2::ZERO).any() {
            return 0.0;
        }
        let (x, y) = (place.x as usize, place.y as usize);
        if x >= self.layer.columns || y >= self.view.rows as usize {
            return 0.0;
        }
        let depth = self.view.depth(self.layer.near[y * self.layer.columns + x]);
        let gap = receiver.depth + receiver.slope.dot(offset) - depth;
        if gap > receiver.bias { gap } else { 0.0 }
    }
}
