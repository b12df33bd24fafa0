//! Rays.

use glam::Vec3;
use parry3d::partitioning::BvhNode;
use parry3d::query;
use rayon::prelude::*;

use super::index::SpatialQuery;
use super::leaf::{FARTHEST, Leaf, position_from};
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

/// A ray, prepared for tests against boxes.
pub(super) struct BoxRay {
    origin: Vec3,
    inverse: Vec3,
    /// Half extents by which boxes are larger \[m\].
    margin: Vec3,
}

impl BoxRay {
    pub fn new(origin: Vec3, direction: Vec3, margin: Vec3) -> Self {
        let least = Vec3::splat(LEAST_COMPONENT).copysign(direction);
        let direction = Vec3::select(direction.abs().cmplt(Vec3::splat(LEAST_COMPONENT)), least, direction);
        Self { origin, inverse: direction.recip(), margin }
    }

    /// Returns the distance at which the ray enters a box, negative inside; `f32::MAX` if it misses it.
    pub fn enter(&self, node: &BvhNode) -> f32 {
        let first = (node.mins() - self.margin - self.origin) * self.inverse;
        let last = (node.maxs() + self.margin - self.origin) * self.inverse;
        let enter = first.min(last).max_element();
        let leave = first.max(last).min_element();
        if leave >= 0.0 && leave + leave * ROUNDINGS >= enter { enter } else { f32::MAX }
    }
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
        self.index.nearest(ray.max_distance, |node| prepared.boxes.enter(node), test)
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
        self.index.all_hits(ray.max_distance, |node| prepared.boxes.enter(node), test)
    }

    fn ray_hit(&self, ray: &PreparedRay, leaf: u32, limit: f32, filter: &QueryFilter<'_>) -> Option<QueryHit> {
        let (leaf, target) = self.select(leaf, filter)?;
        let particles = &self.world.state().particles;
        match leaf {
            Leaf::Triangle { corners, .. } => {
                let corners = corners.map(|corner| position_from(particles, corner, ray.origin));
                let (distance, barycentrics) = ray.sheared.intersect(corners)?;
                let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
                let normal = if normal.dot(ray.direction) > 0.0 { -normal } else { normal };
                Some(QueryHit { barycentrics, ..ray.hit(target, distance, normal) })
            }
            Leaf::Particle { particle, .. } => {
                let way = position_from(particles, particle, ray.origin);
                let distance = enter_ball(ray.direction, way, self.world.settings().particle_radius)?;
                Some(ray.hit(target, distance, (ray.direction * distance - way).normalize_or_zero()))
            }
            Leaf::Collider { collider } => {
                let (of, pose) = self.collider_near(collider, ray.origin)?;
                let parry_ray = query::Ray::new(ray.origin, ray.direction);
                let met = of.shape.cast_ray_and_get_normal(pose, &parry_ray, limit, true)?;
                Some(ray.hit(target, met.time_of_impact, met.normal.normalize_or_zero()))
            }
        }
    }
}

/// Returns the distance along a unit direction at which a ray enters a ball whose middle lies `way` from its origin \[m\]; 0
/// for a ray that starts in it.
fn enter_ball(direction: Vec3, way: Vec3, radius: f32) -> Option<f32> {
    if way.length_squared() <= radius * radius {
        return Some(0.0);
    }
    let along = direction.dot(way);
    // The distance from the line, free of the cancellation in way² − along².
    let aside = (way - direction * along).length_squared();
    let half = radius * radius - aside;
    (along > 0.0 && half >= 0.0).then(|| (along - half.sqrt()).max(0.0))
}
