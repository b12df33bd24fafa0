//! Rays.

use glam::{Vec3, Vec4};
use parry3d::math::Pose;
use parry3d::query;
use rayon::prelude::*;

use super::index::SpatialQuery;
use super::leaf::{FARTHEST, IndexedShape, Leaf, PlacedShape, position_from};
use super::tree::{BoxDistances, FourBoxes};
use super::triangle::ShearedDirection;
use super::{QueryFilter, QueryHit, QueryTarget};

/// The part by which a ray leaves boxes later than computed \[1\]: the roundings of its way into and out of them
/// (\[Ize13\] Ize, *Robust BVH Ray Traversal*).
const ROUNDINGS: f32 = 1e-6;

/// The smallest component of a direction \[1\]: its inverse is a number, and so is its product with a distance of 0.
const LEAST_COMPONENT: f32 = 1e-30;

/// A ray of limited length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    /// The origin of the ray \[m\].
    pub origin: Vec3,
    /// The direction of the ray, of any length but 0.
    pub direction: Vec3,
    /// The greatest distance from the origin at which it hits \[m\]; may be infinite.
    pub max_distance: f32,
}

impl Ray {
    /// Creates a ray from `origin` \[m\] that reaches as far as `max_distance` \[m\].
    pub fn new(origin: Vec3, direction: Vec3, max_distance: f32) -> Self {
        Self { origin, direction, max_distance }
    }
}

/// A ray, prepared for tests against boxes: numbers along each axis, in all lanes.
pub(super) struct BoxRay {
    /// The face by which the ray enters boxes: 0 for the low one, 1 for the high one.
    enters_by: [usize; 3],
    /// Origin, displaced by the half extents by which boxes are larger, as seen from the faces by which the ray enters and
    /// leaves \[m\].
    origins: [[Vec4; 2]; 3],
    inverse: [Vec4; 3],
}

impl BoxRay {
    pub fn new(origin: Vec3, direction: Vec3, margin: Vec3) -> Self {
        let direction = without_zeros(direction);
        let origins = [0, 1, 2].map(|k| {
            let margin = margin[k].copysign(direction[k]);
            [origin[k] + margin, origin[k] - margin].map(Vec4::splat)
        });
        let inverse = direction.recip().to_array().map(Vec4::splat);
        Self { enters_by: direction.to_array().map(|d| usize::from(d < 0.0)), origins, inverse }
    }

    /// Returns the distances at which the ray enters boxes, 0 inside, and those that it enters at no more than `limit`.
    pub fn enter(&self, boxes: &FourBoxes, limit: f32) -> BoxDistances {
        let way = |axis: usize, leaves: usize| {
            let face = boxes.faces[axis][self.enters_by[axis] ^ leaves];
            (face - self.origins[axis][leaves]) * self.inverse[axis]
        };
        let enter = way(0, 0).max(way(1, 0)).max(way(2, 0)).max(Vec4::ZERO);
        let leave = way(0, 1).min(way(1, 1)).min(way(2, 1));
        let last = (leave + leave * ROUNDINGS).min(Vec4::splat(limit));
        BoxDistances { distances: enter, near: enter.cmple(last).bitmask() }
    }
}

/// Returns a direction whose components have inverses.
fn without_zeros(direction: Vec3) -> Vec3 {
    let least = Vec3::splat(LEAST_COMPONENT);
    Vec3::select(direction.abs().cmplt(least), least.copysign(direction), direction)
}

/// A ray, prepared for tests against everything.
struct PreparedRay {
    origin: Vec3,
    direction: Vec3,
    boxes: BoxRay,
    sheared: ShearedDirection,
}

impl PreparedRay {
    fn new(ray: &Ray) -> Option<Self> {
        let direction = ray.direction.try_normalize().filter(|_| ray.origin.abs().max_element() <= FARTHEST)?;
        let (boxes, sheared) = (BoxRay::new(ray.origin, direction, Vec3::ZERO), ShearedDirection::new(direction));
        Some(Self { origin: ray.origin, direction, boxes, sheared })
    }

    fn hit(&self, target: QueryTarget, distance: f32, normal: Vec3) -> QueryHit {
        let point = self.origin + self.direction * distance;
        let normal = if distance > 0.0 { normal } else { Vec3::ZERO };
        // Without the sign of a zero.
        QueryHit { target, point, normal, distance: distance + 0.0, barycentrics: Vec3::ZERO }
    }
}

impl SpatialQuery<'_> {
    /// Returns the first hit of a ray.
    pub fn cast_ray(&self, ray: &Ray, filter: &QueryFilter<'_>) -> Option<QueryHit> {
        let prepared = PreparedRay::new(ray)?;
        let test = |leaf, limit| self.ray_hit(&prepared, leaf, limit, filter);
        self.index.nearest(ray.max_distance, |boxes, limit| prepared.boxes.enter(boxes, limit), test)
    }

    /// Returns the first hit of each ray, computed on the threads of the current rayon pool, which is by default that of all
    /// cores.
    pub fn cast_rays(&self, rays: &[Ray], filter: &QueryFilter<'_>) -> Vec<Option<QueryHit>> {
        rays.par_iter().with_min_len(64).map(|ray| self.cast_ray(ray, filter)).collect()
    }

    /// Returns the first hit of a ray with each collider, triangle and particle that it meets, the nearest first.
    pub fn ray_hits(&self, ray: &Ray, filter: &QueryFilter<'_>) -> Vec<QueryHit> {
        let Some(prepared) = PreparedRay::new(ray) else { return Vec::new() };
        let test = |leaf, limit| self.ray_hit(&prepared, leaf, limit, filter);
        self.index.all_hits(ray.max_distance, |boxes, limit| prepared.boxes.enter(boxes, limit), test)
    }

    fn ray_hit(&self, ray: &PreparedRay, leaf: u32, limit: f32, filter: &QueryFilter<'_>) -> Option<QueryHit> {
        let leaf = self.index.leaf(leaf);
        let (distance, normal, barycentrics) = self.meet(ray, leaf, limit)?;
        // Most leaves are missed, and need not be looked up.
        let target = self.selected_target(leaf, filter)?;
        Some(QueryHit { barycentrics, ..ray.hit(target, distance, normal) })
    }

    /// Returns where a ray meets a leaf at no more than `limit` \[m\]: the distance \[m\], the normal, and the weights of a
    /// triangle's corners.
    fn meet(&self, ray: &PreparedRay, leaf: Leaf, limit: f32) -> Option<(f32, Vec3, Vec3)> {
        let particles = &self.world.state().particles;
        match leaf {
            Leaf::Triangle { corners, .. } => {
                let corners = corners.map(|corner| position_from(particles, corner, ray.origin));
                let (distance, weights) = ray.sheared.intersect(corners).filter(|&(distance, _)| distance <= limit)?;
                let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
                Some((distance, if normal.dot(ray.direction) > 0.0 { -normal } else { normal }, weights))
            }
            Leaf::Particle { particle, .. } => {
                let way = position_from(particles, particle, ray.origin);
                let (distance, normal) = enter_ball(ray.direction, way, self.world.settings().particle_radius, limit)?;
                Some((distance, normal, Vec3::ZERO))
            }
            Leaf::Collider { collider } => {
                let (distance, normal) = self.meet_collider(ray, collider, limit)?;
                Some((distance, normal, Vec3::ZERO))
            }
        }
    }

    fn meet_collider(&self, ray: &PreparedRay, collider: u32, limit: f32) -> Option<(f32, Vec3)> {
        let PlacedShape { pose, shape } = self.index.shapes.get(collider as usize)?;
        match *shape {
            IndexedShape::Ball(radius) => enter_ball(ray.direction, pose.translation - ray.origin, radius, limit),
            IndexedShape::Cuboid(half_extents) => enter_cuboid(ray, pose, half_extents, limit),
            IndexedShape::Other => {
                let (of, pose) = self.collider_near(collider, ray.origin)?;
                let parry_ray = query::Ray::new(ray.origin, ray.direction);
                let met = of.shape.cast_ray_and_get_normal(pose, &parry_ray, limit, true)?;
                Some((met.time_of_impact, met.normal.normalize_or_zero()))
            }
        }
    }
}

/// Returns the distance \[m\] along a unit direction, at no more than `limit` \[m\], at which a ray enters a ball whose middle
/// lies `way` \[m\] from its origin, and the normal there; 0 for a ray that starts in it.
fn enter_ball(direction: Vec3, way: Vec3, radius: f32, limit: f32) -> Option<(f32, Vec3)> {
    if way.length_squared() <= radius * radius {
        return Some((0.0, Vec3::ZERO));
    }
    let along = direction.dot(way);
    // The distance from the line, free of the cancellation in way² − along².
    let aside = (way - direction * along).length_squared();
    let half = radius * radius - aside;
    let distance = (along > 0.0 && half >= 0.0).then(|| (along - half.sqrt()).max(0.0)).filter(|&at| at <= limit)?;
    Some((distance, (direction * distance - way).normalize_or_zero()))
}

/// Returns the distance \[m\], at no more than `limit` \[m\], at which a ray enters a box about the origin of a pose, and the
/// normal there; 0 for a ray that starts in it.
fn enter_cuboid(ray: &PreparedRay, pose: &Pose, half_extents: Vec3, limit: f32) -> Option<(f32, Vec3)> {
    let inverse = pose.rotation.inverse();
    let (origin, direction) = (inverse * (ray.origin - pose.translation), without_zeros(inverse * ray.direction));
    let [low, high] = [-half_extents, half_extents].map(|face| (face - origin) / direction);
    let (first, last) = (low.min(high), low.max(high));
    let (enter, leave) = (first.max_element(), last.min_element());
    if !(leave >= enter.max(0.0) && enter <= limit) {
        return None;
    }
    let axis = first.max_position();
    let normal = Vec3::AXES[axis] * -direction[axis].signum();
    Some((enter.max(0.0), pose.rotation * normal))
}
