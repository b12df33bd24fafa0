//! A shape that moves until it meets something, slides along it, and climbs steps.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::Shape;
use xpbd_core::bodies::BodyKind;
use xpbd_core::query::{QueryError, QueryFilter, QueryHit, QueryTarget, Ray, ShapeCast, SpatialQuery};

use super::controller::CharacterController;
use super::ground::along_ground;

/// The largest number of surfaces that a displacement is turned along.
const MAX_SLIDES: usize = 8;
/// The largest number of times that a shape is pushed out of what it overlaps.
const MAX_SEPARATIONS: usize = 4;
/// The part of the offset \[1\] that casts keep, so that what is at the offset is not met by a motion along it.
const CAST_GAP: f32 = 0.5;
/// The part of the offset \[1\] below which a gap is widened to the offset.
const LEAST_GAP: f32 = 0.75;
/// The part of the offset \[1\] by which casts err, so that who stands still is not moved by less.
const CAST_ERROR: f32 = 0.2;
/// The cosine \[1\] of the flattest angle at which the way to the offset is told from the normal.
const LEAST_COSINE: f32 = 0.1;
/// The cosine \[1\] of the angle below which a motion is along a surface.
const PARALLEL: f32 = 1e-4;
/// The cosine \[1\] of the angle between two normals of one surface, up to the error of a cast.
const SAME_NORMAL: f32 = 0.7;
/// The displacement \[m\] that is not worth a cast.
const SHORTEST: f32 = 1e-6;
/// The distance \[m\] from an edge at which the face behind it is looked for.
const FACE_PROBE: f32 = 0.01;

/// A shape on its way.
pub(super) struct Sweep<'a> {
    pub controller: &'a CharacterController,
    pub space: SpatialQuery<'a>,
    pub shape: &'a dyn Shape,
    pub filter: QueryFilter<'a>,
    pub pose: Pose,
    /// The surfaces that were met, in order.
    pub collisions: Vec<QueryHit>,
}

/// A surface on the way, and how far the way to the offset from it is \[m\], negative if it is nearer already.
type Met = (QueryHit, f32);

impl Sweep<'_> {
    /// Widens gaps that are much smaller than the offset. Dynamic bodies are left to the solver, but for those it stands on.
    pub fn separate(&mut self) -> Result<(), QueryError> {
        let offset = self.controller.offset;
        for _ in 0..MAX_SEPARATIONS {
            let contacts = self.space.shape_contacts(self.shape, &self.pose, offset, &self.filter)?;
            let mut shift = Vec3::ZERO;
            for hit in contacts.iter().filter(|hit| hit.distance < LEAST_GAP * offset && self.gives_way_to(hit)) {
                let missing = offset - hit.distance - shift.dot(hit.normal);
                shift += hit.normal * missing.max(0.0);
            }
            if shift == Vec3::ZERO {
                break;
            }
            self.pose.translation += shift;
        }
        Ok(())
    }

    fn gives_way_to(&self, hit: &QueryHit) -> bool {
        let is_platform = self.one_way(hit).is_some();
        !is_platform && (self.controller.is_walkable(hit.normal) || !self.is_dynamic(hit))
    }

    /// Returns whether a hit is on a dynamic body.
    pub fn is_dynamic(&self, hit: &QueryHit) -> bool {
        let QueryTarget::Collider { body: Some(body), .. } = hit.target else { return false };
        self.space.world().body(body).is_ok_and(|body| body.kind == BodyKind::Dynamic)
    }

    /// Returns the direction in which a one-way platform pushes, in the world.
    fn one_way(&self, hit: &QueryHit) -> Option<Vec3> {
        let QueryTarget::Collider { collider, body } = hit.target else { return None };
        let state = self.space.world().state();
        let collider = state.colliders.get(collider)?;
        let body = body.and_then(|body| self.space.world().body_pose(body).ok());
        Some(body.map_or(collider.pose, |body| body * collider.pose).rotation * collider.one_way?)
    }

    /// Returns the surfaces that a motion meets, the nearest first.
    fn met(&self, direction: Vec3, length: f32) -> Result<Vec<Met>, QueryError> {
        let offset = self.controller.offset;
        let target_distance = CAST_GAP * offset;
        let farthest = length + CAST_GAP / LEAST_COSINE * offset;
        let cast = ShapeCast { shape: self.shape, pose: self.pose, direction, max_distance: farthest, target_distance };
        let mut met: Vec<Met> = Vec::new();
        for hit in self.space.shape_hits(&cast, &self.filter)? {
            let approach = -hit.normal.dot(direction);
            let is_passed = |pushes: Vec3| hit.distance <= 0.0 || pushes.dot(hit.normal) < 0.5;
            if approach > PARALLEL && !self.one_way(&hit).is_some_and(is_passed) {
                met.push((hit, hit.distance - (1.0 - CAST_GAP) * offset / approach.max(LEAST_COSINE)));
            }
        }
        met.sort_by(|a, b| a.1.total_cmp(&b.1));
        Ok(met)
    }

    /// Returns the first surface that stops a motion of this length \[m\], and the way until then.
    fn first(&self, direction: Vec3, length: f32) -> Result<Option<Met>, QueryError> {
        let first = self.met(direction, length)?.into_iter().next().filter(|&(_, way)| way < length);
        let Some((hit, way)) = first.map(|(hit, way)| (hit, way.max(0.0))) else { return Ok(None) };
        Ok(Some((self.refined(hit, self.pose.translation + direction * way)?, way)))
    }

    /// Returns a hit with the normal and the point that the nearest points of the surfaces have when the shape is at
    /// `place` \[m\]. Those of a cast are less exact.
    fn refined(&self, hit: QueryHit, place: Vec3) -> Result<QueryHit, QueryError> {
        let pose = Pose::from_parts(place, self.pose.rotation);
        let near = self.space.shape_contacts(self.shape, &pose, 2.0 * self.controller.offset, &self.filter)?;
        let same =
            near.into_iter().find(|other| other.target == hit.target && other.normal.dot(hit.normal) > SAME_NORMAL);
        Ok(same.map_or(hit, |QueryHit { point, normal, .. }| QueryHit { point, normal, ..hit }))
    }

    /// Moves by a displacement \[m\] along all that is in the way. A character on the ground climbs steps.
    pub fn slide(&mut self, displacement: Vec3, is_grounded: bool) -> Result<(), QueryError> {
        let mut rest = displacement;
        let mut planes = Vec::new();
        for _ in 0..MAX_SLIDES {
            let length = rest.length();
            if length < SHORTEST {
                break;
            }
            let direction = rest / length;
            let Some((hit, way)) = self.first(direction, length)? else {
                self.pose.translation += rest;
                break;
            };
            self.pose.translation += direction * way;
            rest -= direction * way;
            if is_grounded && !self.controller.is_walkable(hit.normal) && self.climb(rest, &hit)? {
                break;
            }
            self.collisions.push(hit);
            self.controller.add_planes(hit.normal, &mut planes);
            if is_grounded && self.controller.is_walkable(hit.normal) {
                // A change of the slope costs no speed.
                let up = self.controller.up();
                rest =
                    along_ground(rest.reject_from_normalized(up).normalize_or_zero() * rest.length(), hit.normal, up);
            }
            rest = clip(rest, &planes);
        }
        Ok(())
    }

    /// Climbs the step that a horizontal motion has met, and goes on behind it; returns whether it did.
    fn climb(&mut self, rest: Vec3, hit: &QueryHit) -> Result<bool, QueryError> {
        let CharacterController { step_height, offset, .. } = *self.controller;
        let up = self.controller.up();
        let ahead = rest.reject_from_normalized(up);
        let length = ahead.length();
        let height = (hit.point - self.pose.translation).dot(up) - self.foot() + offset;
        // A motion up a ledge ends where the height of the step does, up to the rounding of a cast.
        let is_low = height <= step_height + 0.1 * offset;
        if length < SHORTEST || !is_low || step_height == 0.0 || self.is_dynamic(hit) {
            return Ok(false);
        }
        // So far that the shape is over the edge in spite of the offset.
        let length = length.max(2.0 * offset);
        let ahead = ahead.normalize_or_zero() * length;
        let before = self.pose.translation;
        let raised = self.first(up, step_height)?.map_or(step_height, |(_, way)| way);
        self.pose.translation += up * raised;
        let forward = self.first(ahead / length, length)?.map_or(length, |(_, way)| way);
        self.pose.translation += ahead * (forward / length);
        if forward > 0.1 * length
            && let Some((_, way)) = self.landing(raised)?
            && raised - way > CAST_ERROR * offset
        {
            self.pose.translation -= up * way;
            return Ok(true);
        }
        self.pose.translation = before;
        Ok(false)
    }

    /// Returns the height of the lowest point of the shape above its origin \[m\].
    fn foot(&self) -> f32 {
        let up = self.controller.up();
        match self.shape.as_support_map() {
            Some(shape) => (shape.support_point(&self.pose, -up) - self.pose.translation).dot(up),
            None => {
                let bounds = self.shape.compute_aabb(&self.pose);
                (bounds.center() - self.pose.translation).dot(up) - bounds.half_extents().dot(up.abs())
            }
        }
    }

    /// Returns the ground at most `length` \[m\] below, with its face's normal, and the way down to it, negative if it is nearer
    /// than the offset.
    fn landing(&self, length: f32) -> Result<Option<Met>, QueryError> {
        let met = self.met(-self.controller.up(), length)?;
        let Some(&(_, first)) = met.first().filter(|&&(_, way)| way <= length) else { return Ok(None) };
        let below = |way: f32| self.pose.translation - self.controller.up() * way;
        for (hit, way) in met.into_iter().filter(|&(_, way)| way <= first + CAST_GAP * self.controller.offset) {
            let hit = self.refined(hit, below(way))?;
            if let Some(normal) = self.walkable_normal(&hit) {
                return Ok(Some((QueryHit { normal, ..hit }, way)));
            }
        }
        Ok(None)
    }

    /// Goes down to the ground if it is at most `reach` \[m\] below, and returns it.
    pub fn snap_to_ground(&mut self, reach: f32) -> Result<Option<QueryHit>, QueryError> {
        let Some((ground, way)) = self.landing(reach)? else { return Ok(None) };
        let offset = self.controller.offset;
        if way.abs() > CAST_ERROR * offset {
            self.pose.translation -= self.controller.up() * way.max(-CAST_GAP * offset);
        }
        Ok(Some(ground))
    }

    /// Returns the normal of the ground at a hit: its own, or at an edge that of the face behind it.
    fn walkable_normal(&self, hit: &QueryHit) -> Option<Vec3> {
        if self.controller.is_walkable(hit.normal) {
            return Some(hit.normal);
        }
        let up = self.controller.up();
        let behind = -hit.normal.reject_from_normalized(up).normalize_or_zero();
        let origin = hit.point + up * (3.0 * FACE_PROBE) + behind * FACE_PROBE;
        let face = self.space.cast_ray(&Ray::new(origin, -up, 6.0 * FACE_PROBE), &self.filter)?;
        self.controller.is_walkable(face.normal).then_some(face.normal)
    }
}

/// Returns the vector nearest to another one that leads into none of the surfaces with these normals. It is the projection
/// on a face, an edge or the apex of the cone that they leave, of which the longest is the nearest.
pub(super) fn clip(wish: Vec3, normals: &[Vec3]) -> Vec3 {
    let tolerance = 1e-5 * wish.length();
    let is_free = |way: &Vec3| normals.iter().all(|normal| way.dot(*normal) >= -tolerance);
    if is_free(&wish) {
        return wish;
    }
    let faces = normals.iter().map(|&normal| wish.reject_from_normalized(normal));
    let edges = normals.iter().enumerate().flat_map(|(k, &a)| {
        let directions = normals[..k].iter().filter_map(move |b| a.cross(*b).try_normalize());
        directions.map(|direction| wish.project_onto_normalized(direction))
    });
    let free = faces.chain(edges).filter(is_free);
    free.max_by(|a, b| a.length_squared().total_cmp(&b.length_squared())).unwrap_or(Vec3::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answer of Dykstra's alternating projections, which converge to the nearest point of a cone.
    fn projected(wish: Vec3, normals: &[Vec3]) -> Vec3 {
        let mut at = wish.as_dvec3();
        let mut left = vec![glam::DVec3::ZERO; normals.len()];
        for _ in 0..20_000 {
            for (normal, left) in normals.iter().zip(&mut left) {
                let from = at + *left;
                at = from - normal.as_dvec3() * from.dot(normal.as_dvec3()).min(0.0);
                *left = from - at;
            }
        }
        at.as_vec3()
    }

    #[test]
    fn a_clipped_displacement_is_the_nearest_that_leads_into_no_surface() {
        let normals = [
            Vec3::Y,
            Vec3::new(-0.8, 0.6, 0.0),
            Vec3::new(0.0, 0.28, -0.96),
            Vec3::new(-0.6, 0.0, 0.8),
            Vec3::new(0.36, -0.48, 0.8),
        ];
        for count in 0..=normals.len() {
            for k in 0..200_u32 {
                let part = |n: u32| ((k * 7919 + n * 104_729) % 1000) as f32 / 500.0 - 1.0;
                let wish = Vec3::new(part(1), part(2), part(3));
                let (found, expected) = (clip(wish, &normals[..count]), projected(wish, &normals[..count]));
                assert!(found.distance(expected) < 1e-3, "{wish} {count}: {found}, but {expected}");
            }
        }
    }
}
