//! Spatial queries: rays, moving shapes, overlaps and closest points.

mod caster;

pub use caster::{RayCaster, RayHits, ShapeCaster, ShapeHits};

use std::ops::Deref;

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider as CoreCollider;
use xpbd_core::query::{self as core, QueryHit, QueryTarget, Ray, ShapeCast};
use xpbd_core::world::{BodyHandle, World as Core};

use crate::collider::Collider;
use crate::material::CollisionLayers;
use crate::physics::{Physics, PhysicsHandle};

pub(crate) use caster::CasterPlugin;

/// Asks [`Physics`] what is where: colliders, the triangles of cloth and soft bodies, and all other particles as balls of
/// the world's radius. The [queries of the library](xpbd_core::query) say more about each.
///
/// The first question after a step brings an index of the world up to date, all others use it. Of what is equally near an
/// answer names what was added first, objects before colliders. Nothing is found for what is not a number. A world that is
/// stepped on the GPU may answer as it was a frame or two ago.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// # use xpbd_bevy::query::{QueryFilter, SpatialQuery};
/// fn what_is_below(space: SpatialQuery, player: Single<(Entity, &GlobalTransform), With<Camera>>) {
///     let (entity, transform) = *player;
///     let filter = QueryFilter::default().excluding(entity);
///     let down = Ray3d { origin: transform.translation(), direction: Dir3::NEG_Y };
///     if let Some(hit) = space.cast_ray(down, 100.0, &filter) {
///         info!("{:?}, {} m below", hit.entity, hit.distance);
///     }
/// }
/// ```
#[derive(SystemParam)]
pub struct SpatialQuery<'w> {
    physics: Res<'w, Physics>,
}

/// A hit of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The entity of the object or of the collider; of a collider that is none's, that of its body. None for what
    /// was added to the world by hand.
    pub entity: Option<Entity>,
    /// The object or the collider.
    pub handle: PhysicsHandle,
    /// The particle of the object; of a triangle the corner that is nearest.
    pub particle: Option<u32>,
    /// The triangle of the object.
    pub triangle: Option<u32>,
    /// Weights of the corners of the triangle at the point \[1\]; zero for everything else.
    pub barycentrics: Vec3,
    /// The body of the collider.
    pub body: Option<BodyHandle>,
    /// The point of its surface that is hit, or is nearest \[m\].
    pub point: Vec3,
    /// Normal of its surface there; zero for a ray or a point that starts inside.
    pub normal: Vec3,
    /// The distance to that point \[m\]; 0 inside.
    pub distance: f32,
}

/// A selection of what a query finds.
#[derive(Debug, Clone, PartialEq, Reflect)]
#[reflect(Clone, Debug, Default, PartialEq)]
pub struct QueryFilter {
    /// The groups that the query belongs to and hits.
    pub layers: CollisionLayers,
    /// True if it finds objects of particles: cloth, soft bodies, ropes, liquids.
    pub objects: bool,
    /// True if it finds colliders.
    pub colliders: bool,
    /// Entities that it does not find, neither with the colliders of their bodies.
    pub excluded_entities: Vec<Entity>,
}

/// Everything.
impl Default for QueryFilter {
    fn default() -> Self {
        Self { layers: CollisionLayers::ALL, objects: true, colliders: true, excluded_entities: Vec::new() }
    }
}

impl QueryFilter {
    /// Returns a filter that finds objects of particles alone.
    pub fn objects() -> Self {
        Self { colliders: false, ..Self::default() }
    }

    /// Returns a filter that finds colliders alone.
    pub fn colliders() -> Self {
        Self { objects: false, ..Self::default() }
    }

    /// Selects what collides with these layers.
    #[must_use]
    pub fn layers(mut self, groups: CollisionLayers) -> Self {
        self.layers = groups;
        self
    }

    /// Excludes an entity, and the colliders of its body.
    #[must_use]
    pub fn excluding(mut self, entity: Entity) -> Self {
        self.excluded_entities.push(entity);
        self
    }
}

impl Deref for SpatialQuery<'_> {
    type Target = Physics;

    fn deref(&self) -> &Physics {
        &self.physics
    }
}

/// The queries of a [`SpatialQuery`].
impl Physics {
    /// Returns the first thing on a ray, at most `max` \[m\] from its origin.
    pub fn cast_ray(&self, ray: Ray3d, max: f32, filter: &QueryFilter) -> Option<Hit> {
        let ray = Ray::new(ray.origin, *ray.direction, max);
        self.ask(filter, |space, filter| space.cast_ray(&ray, filter)).map(|hit| self.hit(hit))
    }

    /// Returns each collider, triangle and particle on a ray, at most `max` \[m\] from its origin, the nearest first.
    pub fn ray_hits(&self, ray: Ray3d, max: f32, filter: &QueryFilter) -> Vec<Hit> {
        let ray = Ray::new(ray.origin, *ray.direction, max);
        let hits = self.ask(filter, |space, filter| space.ray_hits(&ray, filter));
        hits.into_iter().map(|hit| self.hit(hit)).collect()
    }

    /// Returns what a shape touches first on its way of at most `max` \[m\] from a place, with its translation and rotation.
    ///
    /// # Errors
    /// The shape is none that a dynamic body may have, or the place is not finite.
    pub fn cast_shape(
        &self,
        shape: &Collider,
        place: Isometry3d,
        direction: Dir3,
        max: f32,
        filter: &QueryFilter,
    ) -> Result<Option<Hit>, core::QueryError> {
        let shape = shape.shape();
        let cast = shape_cast(&shape, place, direction, max);
        let hit = self.ask(filter, |space, filter| space.cast_shape(&cast, filter))?;
        Ok(hit.map(|hit| self.hit(hit)))
    }

    /// Returns each collider, triangle and particle that a shape touches on its way, the nearest first.
    ///
    /// # Errors
    /// As [`Physics::cast_shape`].
    pub fn shape_hits(
        &self,
        shape: &Collider,
        place: Isometry3d,
        direction: Dir3,
        max: f32,
        filter: &QueryFilter,
    ) -> Result<Vec<Hit>, core::QueryError> {
        let shape = shape.shape();
        let cast = shape_cast(&shape, place, direction, max);
        let hits = self.ask(filter, |space, filter| space.shape_hits(&cast, filter))?;
        Ok(hits.into_iter().map(|hit| self.hit(hit)).collect())
    }

    /// Returns the entities that a shape overlaps, each once.
    ///
    /// # Errors
    /// As [`Physics::cast_shape`].
    pub fn shape_intersections(
        &self,
        shape: &Collider,
        place: Isometry3d,
        filter: &QueryFilter,
    ) -> Result<Vec<Entity>, core::QueryError> {
        let shape = shape.shape();
        let found = self.ask(filter, |space, filter| space.shape_intersections(&*shape, &pose(place), filter));
        found.map(|targets| self.entities_of(&targets))
    }

    /// Returns the entities whose colliders or particles hold `point` \[m\], each once.
    pub fn point_intersections(&self, point: Vec3, filter: &QueryFilter) -> Vec<Entity> {
        let found = self.ask(filter, |space, filter| space.point_intersections(point, filter));
        self.entities_of(&found)
    }

    /// Returns the thing nearest to `point` \[m\], at most `max` \[m\] from there.
    pub fn closest_point(&self, point: Vec3, max: f32, filter: &QueryFilter) -> Option<Hit> {
        self.ask(filter, |space, filter| space.closest_point(point, max, filter)).map(|hit| self.hit(hit))
    }

    /// Asks the queries of the library with a filter for entities.
    fn ask<R>(&self, filter: &QueryFilter, ask: impl FnOnce(core::SpatialQuery<'_>, &core::QueryFilter<'_>) -> R) -> R {
        let is_included = |target: &QueryTarget| {
            let entities = self.owners_of(target);
            !entities.into_iter().flatten().any(|entity| filter.excluded_entities.contains(&entity))
        };
        // What is in no layer collides with nothing, and is found by a query that asks for all.
        let layers = (filter.layers != CollisionLayers::ALL).then(|| filter.layers.with_self_collision(false));
        let filter = core::QueryFilter {
            layers,
            colliders: filter.colliders,
            triangles: filter.objects,
            particles: filter.objects,
            predicate: if filter.excluded_entities.is_empty() { None } else { Some(&is_included) },
            ..core::QueryFilter::default()
        };
        self.with_queries(|space| ask(space, &filter))
    }

    /// Returns a hit of the library with its entity.
    pub(crate) fn hit(&self, hit: QueryHit) -> Hit {
        let QueryHit { target, point, normal, distance, barycentrics } = hit;
        let (handle, body) = handle_of(&target);
        let (particle, triangle) = match target {
            QueryTarget::Collider { .. } => (None, None),
            QueryTarget::Particle { particle, .. } => (Some(particle), None),
            QueryTarget::Triangle { triangle, particles, .. } => {
                (Some(particles[barycentrics.max_position()]), Some(triangle))
            }
        };
        let entity = self.entity_of(&target);
        Hit { entity, handle, particle, triangle, barycentrics, body, point, normal, distance }
    }

    /// Returns the entity of a target, and that of its body.
    fn owners_of(&self, target: &QueryTarget) -> [Option<Entity>; 2] {
        let (handle, body) = handle_of(target);
        [self.entity(handle), body.and_then(|body| self.entity(PhysicsHandle::Body(body)))]
    }

    fn entity_of(&self, target: &QueryTarget) -> Option<Entity> {
        let [own, of_body] = self.owners_of(target);
        own.or(of_body)
    }

    /// Returns the entities of targets, each once, in order.
    fn entities_of(&self, targets: &[QueryTarget]) -> Vec<Entity> {
        let mut entities: Vec<Entity> = Vec::new();
        for entity in targets.iter().filter_map(|target| self.entity_of(target)) {
            if !entities.contains(&entity) {
                entities.push(entity);
            }
        }
        entities
    }
}

/// Returns the handle of a target, and its body.
fn handle_of(target: &QueryTarget) -> (PhysicsHandle, Option<BodyHandle>) {
    match *target {
        QueryTarget::Collider { collider, body } => (PhysicsHandle::Collider(collider), body),
        QueryTarget::Triangle { object, .. } | QueryTarget::Particle { object, .. } => {
            (PhysicsHandle::Object(object), None)
        }
    }
}

fn shape_cast(shape: &SharedShape, place: Isometry3d, direction: Dir3, max: f32) -> ShapeCast<'_> {
    ShapeCast { shape: &**shape, pose: pose(place), direction: *direction, max_distance: max, target_distance: 0.0 }
}

fn pose(place: Isometry3d) -> Pose {
    Pose::from_parts(place.translation.into(), place.rotation)
}

/// Returns the pose of a collider in the world.
pub(crate) fn pose_of(world: &Core, collider: &CoreCollider) -> Option<Pose> {
    match collider.body {
        Some(body) => Some(world.body_pose(body).ok()? * collider.pose),
        None => Some(collider.pose),
    }
}
