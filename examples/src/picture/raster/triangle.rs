//! Triangles on the grid of samples.

use glam::{Vec2, Vec3};

use super::{Strip, centers};
use crate::picture::view::{CLIP, Lens, Projected, View};

/// Distance to a triangle up to which a sample still counts `[1]`, in barycentric weight; it closes the
/// seams that rounding would open between neighbours.
const TOLERANCE: f32 = 1e-4;

/// A projected triangle.
pub(super) struct ScreenTriangle {
    number: u32,
    corners: [Projected; 3],
    /// Twice the area `[samples²]`, negative where the corners run counter-clockwise to the eye.
    twice_area: f32,
}

impl ScreenTriangle {
    /// Projects the corners, given in the axes of `view`.
    pub(super) fn new(number: u32, corners: [Vec3; 3], view: &View) -> Self {
        let corners = corners.map(|corner| view.project(corner));
        let [a, b, c] = corners.map(|corner| corner.place);
        Self { number, corners, twice_area: (b - a).perp_dot(c - a) }
    }

    /// Returns whether the front shows.
    pub(super) fn faces_viewer(&self) -> bool {
        self.twice_area < 0.0
    }

    /// Returns the box `[samples]` around the corners.
    pub(super) fn extent(&self) -> (Vec2, Vec2) {
        let [a, b, c] = self.corners.map(|corner| corner.place);
        (a.min(b).min(c), a.max(b).max(c))
    }

    /// Returns the number of the surface.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// Returns how near this triangle is at `place` `[samples]`, if it covers it; of triangles that share an edge
    /// without a fold, exactly one covers a place on it.
    pub(super) fn depth_at(&self, place: Vec2) -> Option<f32> {
        let [a, b, c] = self.corners;
        let left = [(a, b), (b, c), (c, a)].map(|(from, to)| is_left(from.place, to.place, place));
        if left != [self.twice_area > 0.0; 3] {
            return None;
        }
        let offset = place - a.place;
        let wb = offset.perp_dot(c.place - a.place) / self.twice_area;
        let wc = (b.place - a.place).perp_dot(offset) / self.twice_area;
        let near = a.near + wb * (b.near - a.near) + wc * (c.near - a.near);
        let (low, high) = (a.near.min(b.near).min(c.near), a.near.max(b.near).max(c.near));
        Some(near.max(low).min(high))
    }

    /// Records this triangle at all samples of `strip` that it covers.
    ///
    /// With w_b = (p − a) × (c − a) / 2A and w_c = (b − a) × (p − a) / 2A, a sample is inside
    /// where w_b, w_c and 1 − w_b − w_c are not negative.
    pub(super) fn fill(&self, strip: &mut Strip) {
        if self.twice_area == 0.0 || !self.twice_area.is_finite() {
            return;
        }
        let [a, b, c] = self.corners;
        let across_b = (c.place - a.place) / self.twice_area;
        let across_c = (b.place - a.place) / self.twice_area;
        let (low, high) = self.extent();
        let columns = centers(low.x, high.x, 0..strip.columns);
        for y in centers(low.y, high.y, strip.rows()) {
            let dy = y as f32 + 0.5 - a.place.y;
            for x in columns.clone() {
                let dx = x as f32 + 0.5 - a.place.x;
                let wb = dx * across_b.y - dy * across_b.x;
                let wc = dy * across_c.x - dx * across_c.y;
                if wb.min(wc).min(1.0 - wb - wc) >= -TOLERANCE {
                    let near = a.near + wb * (b.near - a.near) + wc * (c.near - a.near);
                    strip.put(x, y, self.number, near);
                }
            }
        }
    }
}

/// Returns the parts of a triangle, given in the axes of `view`, that lie beyond the clip depth: none, one
/// or two triangles. Parallel views have no clip depth.
pub(super) fn clipped(corners: [Vec3; 3], view: &View) -> impl Iterator<Item = [Vec3; 3]> {
    let inside = |corner: Vec3| corner.z >= CLIP || matches!(view.lens, Lens::Parallel(_));
    let mut polygon = [Vec3::ZERO; 4];
    let mut count = 0;
    let mut push = |corner: Vec3| {
        polygon[count] = corner;
        count += 1;
    };
    for (from, to) in [(0, 1), (1, 2), (2, 0)] {
        let (from, to) = (corners[from], corners[to]);
        if inside(from) {
            push(from);
        }
        if inside(from) != inside(to) {
            push(from.lerp(to, (CLIP - from.z) / (to.z - from.z)));
        }
    }
    (2..count).map(move |last| [polygon[0], polygon[last - 1], polygon[last]])
}

/// Returns which side of the line through `from` and `to` a place is on; none is on both sides or on neither.
fn is_left(from: Vec2, to: Vec2, place: Vec2) -> bool {
    let swapped = (from.x, from.y) > (to.x, to.y);
    let (first, second) = if swapped { (to, from) } else { (from, to) };
    ((second - first).perp_dot(place - first) >= 0.0) != swapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_keeps_what_lies_ahead() {
        let view = View::new(Vec3::ZERO, Vec3::NEG_Z, Lens::Perspective(1.0), [1, 1]);
        let triangle = |depths: [f32; 3]| {
            [Vec3::ZERO, Vec3::X, Vec3::Y]
                .into_iter()
                .zip(depths)
                .map(|(corner, z)| corner.with_z(z))
                .collect::<Vec<_>>()
                .try_into()
                .expect("three corners")
        };
        for (depths, pieces) in
            [([1.0, 2.0, 3.0], 1), ([-1.0, 2.0, 3.0], 2), ([-1.0, -2.0, 3.0], 1), ([-1.0, -2.0, -3.0], 0)]
        {
            let parts: Vec<_> = clipped(triangle(depths), &view).collect();
            assert_eq!(parts.len(), pieces, "{depths:?}");
            assert!(parts.iter().flatten().all(|corner| corner.z >= 0.99 * CLIP));
        }
    }
}
