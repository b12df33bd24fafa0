//! Closest points.

use glam::{Vec3, Vec4};
use parry3d::query::PointQueryWithLocation;
use parry3d::shape::Triangle;

use super::index::SpatialQuery;
use super::leaf::{Leaf, position_from};
use super::tree::{BoxDistances, FourBoxes};
use super::{QueryFilter, QueryHit, QueryTarget};

impl SpatialQuery<'_> {
    /// Returns what is nearest to `point` \[m\], at most `max_distance` \[m\] from there.
    pub fn closest_point(&self, point: Vec3, max_distance: f32, filter: &QueryFilter<'_>) -> Option<QueryHit> {
        if !point.is_finite() {
            return None;
        }
        let test = |leaf, _| {
            let (leaf, target) = self.select(leaf, filter)?;
            self.projection(leaf, target, point)
        };
        self.index.nearest(
            max_distance,
            |boxes, limit| BoxDistances::within(boxes.distances(point) * (1.0 - 1e-6), limit),
            test,
        )
    }

    /// Returns the colliders and particles that `point` \[m\] is in, in order.
    pub fn point_intersections(&self, point: Vec3, filter: &QueryFilter<'_>) -> Vec<QueryTarget> {
        let leaves = self.index.leaves_within(0.0, |boxes, _| boxes.overlaps(point, point));
        let selected = leaves.into_iter().filter_map(|leaf| self.select(leaf, filter));
        let volumes = selected.filter(|(leaf, _)| !matches!(leaf, Leaf::Triangle { .. }));
        let holding = volumes.filter(|&(leaf, _)| {
            self.with_shape(leaf, point, |shape, pose| shape.contains_point(pose, point).then_some(())).is_some()
        });
        holding.map(|(_, target)| target).collect()
    }

    /// Returns the point of a leaf that is nearest to another point.
    fn projection(&self, leaf: Leaf, target: QueryTarget, point: Vec3) -> Option<QueryHit> {
        let particles = &self.world.state().particles;
        // From the point to the nearest one.
        let (way, barycentrics) = match leaf {
            Leaf::Triangle { corners, .. } => {
                let [a, b, c] = corners.map(|corner| position_from(particles, corner, point));
                closest_of_triangle(&Triangle::new(a, b, c), Vec3::ZERO)?
            }
            Leaf::Particle { particle, .. } => {
                let to_middle = position_from(particles, particle, point);
                let (distance, radius) = (to_middle.length(), self.world.settings().particle_radius);
                (to_middle * ((distance - radius).max(0.0) / distance.max(f32::MIN_POSITIVE)), Vec3::ZERO)
            }
            Leaf::Collider { collider } => {
                let (of, pose) = self.collider_near(collider, point)?;
                (of.shape.project_point(pose, point, true).point - point, Vec3::ZERO)
            }
        };
        let normal = (-way).normalize_or_zero();
        Some(QueryHit { target, point: point + way, normal, distance: way.length(), barycentrics })
    }
}

impl FourBoxes {
    /// Returns the distances of the boxes from a point \[m\].
    fn distances(&self, point: Vec3) -> Vec4 {
        let way = |axis: usize| {
            let (point, [low, high]) = (Vec4::splat(point[axis]), self.faces[axis]);
            (low - point).max(point - high).max(Vec4::ZERO)
        };
        let [x, y, z] = [way(0), way(1), way(2)];
        Vec4::from((x * x + y * y + z * z).to_array().map(f32::sqrt))
    }

    /// Returns the boxes that overlap the one between two corners \[m\].
    pub(super) fn overlaps(&self, low: Vec3, high: Vec3) -> BoxDistances {
        let along = |axis: usize| {
            let [own_low, own_high] = self.faces[axis];
            own_low.cmple(Vec4::splat(high[axis])) & own_high.cmpge(Vec4::splat(low[axis]))
        };
        BoxDistances { distances: Vec4::ZERO, near: (along(0) & along(1) & along(2)).bitmask() }
    }
}

/// Returns the point of a triangle that is nearest to another one, and the weights of the corners there.
pub(super) fn closest_of_triangle(triangle: &Triangle, point: Vec3) -> Option<(Vec3, Vec3)> {
    let (found, location) = triangle.project_local_point_and_get_location(point, true);
    Some((found.point, Vec3::from(location.barycentric_coordinates()?)))
}
