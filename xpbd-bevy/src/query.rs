//! What is where: rays and closest points.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use parry3d::math::Pose;
use parry3d::query::Ray;
use xpbd_core::collide::Collider;
use xpbd_core::world::{self as core, BodyHandle, ColliderHandle, World as Core};

use crate::material::CollisionLayers;
use crate::physics::{Physics, PhysicsHandle};

/// Asks the physics world what is where: particles, as balls of the world's radius, and colliders, on their bodies.
///
/// An answer takes time in proportion to how many there are. Of what is equally near it names what was added first,
/// particles before colliders. Nothing is found for what is not a number, and no collider at 10¹⁵ m and beyond. A
/// world that is stepped on the GPU may answer as it was a frame or two ago.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// # use xpbd_bevy::query::{QueryFilter, SpatialQuery};
/// fn what_is_below(space: SpatialQuery, player: Single<(Entity, &GlobalTransform), With<Camera>>) {
///     let (entity, transform) = *player;
///     let filter = QueryFilter::default().excluding(entity);
///     if let Some(hit) = space.cast_ray(transform.translation(), Dir3::NEG_Y, 100.0, &filter) {
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
    /// The particle of the object.
    pub particle: Option<u32>,
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
#[derive(Debug, Clone, PartialEq)]
pub struct QueryFilter {
    /// The groups that the query belongs to and hits.
    pub layers: CollisionLayers,
    /// True if it finds particles.
    pub particles: bool,
    /// True if it finds colliders.
    pub colliders: bool,
    /// Entities that it does not find.
    pub excluded_entities: Vec<Entity>,
}

/// Everything.
impl Default for QueryFilter {
    fn default() -> Self {
        let groups = CollisionLayers::ALL;
        Self { layers: groups, particles: true, colliders: true, excluded_entities: Vec::new() }
    }
}

impl QueryFilter {
    /// Particles alone.
    pub fn particles() -> Self {
        Self { colliders: false, ..Self::default() }
    }

    /// Colliders alone.
    pub fn colliders() -> Self {
        Self { particles: false, ..Self::default() }
    }

    /// Selects what collides with these layers.
    #[must_use]
    pub fn layers(mut self, groups: CollisionLayers) -> Self {
        self.layers = groups;
        self
    }

    /// Excludes an entity.
    #[must_use]
    pub fn excluding(mut self, entity: Entity) -> Self {
        self.excluded_entities.push(entity);
        self
    }

    fn allows(&self, layers: core::CollisionLayers, entity: Option<Entity>) -> bool {
        // A thing without any group collides with nothing, and is found by everything that asks for all.
        let all = CollisionLayers::ALL;
        (self.layers == all || self.layers.with_self_collision(false).interacts_with(layers))
            && entity.is_none_or(|entity| !self.excluded_entities.contains(&entity))
    }
}

impl SpatialQuery<'_> {
    /// Returns the first thing on the way from `origin` \[m\], at most `max` \[m\] from there.
    pub fn cast_ray(&self, origin: Vec3, direction: Dir3, max: f32, filter: &QueryFilter) -> Option<Hit> {
        self.physics.cast_ray(Ray3d { origin, direction }, max, filter)
    }

    /// Returns the thing nearest to `point` \[m\], at most `max` \[m\] from there.
    pub fn closest_point(&self, point: Vec3, max: f32, filter: &QueryFilter) -> Option<Hit> {
        self.physics.closest_point(point, max, filter)
    }
}

/// The nearest so far.
struct NearestHit {
    within: f32,
    hit: Option<Hit>,
}

impl NearestHit {
    fn new(within: f32) -> Option<Self> {
        (within >= 0.0).then_some(Self { within: within.min(f32::MAX), hit: None })
    }

    /// Takes what is nearer, and at the limit itself what is first.
    fn offer(&mut self, hit: impl FnOnce() -> Hit, distance: f32) {
        let nearer = if self.hit.is_none() { distance <= self.within } else { distance < self.within };
        if nearer {
            let hit = hit();
            if hit.point.is_finite() && hit.normal.is_finite() {
                (self.within, self.hit) = (distance, Some(Hit { distance, ..hit }));
            }
        }
    }
}

impl Physics {
    /// As [`SpatialQuery::cast_ray`].
    pub fn cast_ray(&self, ray: Ray3d, max: f32, filter: &QueryFilter) -> Option<Hit> {
        if !(ray.origin.is_finite() && ray.direction.is_finite()) {
            return None;
        }
        let mut nearest = NearestHit::new(max)?;
        let radius = self.world().settings().particle_radius;
        self.particles(filter, |hit, center| {
            if let Some(distance) = intersect_ball(ray, center, radius) {
                let point = ray.get_point(distance);
                let normal = if distance > 0.0 { (point - center).normalize_or_zero() } else { Vec3::ZERO };
                nearest.offer(|| Hit { point, normal, ..hit }, distance);
            }
        });
        let parry_ray = Ray::new(ray.origin, *ray.direction);
        self.colliders(filter, ray.origin, |hit, collider, pose| {
            if let Some(met) = collider.shape.cast_ray_and_get_normal(&pose, &parry_ray, nearest.within, true) {
                let distance = met.time_of_impact;
                let normal = if distance > 0.0 { met.normal.normalize_or_zero() } else { Vec3::ZERO };
                nearest.offer(|| Hit { point: ray.get_point(distance), normal, ..hit }, distance);
            }
        });
        nearest.hit
    }

    /// As [`SpatialQuery::closest_point`].
    pub fn closest_point(&self, point: Vec3, max: f32, filter: &QueryFilter) -> Option<Hit> {
        if !point.is_finite() {
            return None;
        }
        let mut nearest = NearestHit::new(max)?;
        let radius = self.world().settings().particle_radius;
        self.particles(filter, |hit, center| {
            let (way, inside) = (point - center, point.distance(center) <= radius);
            let normal = if inside { Vec3::ZERO } else { way.normalize_or_zero() };
            let place = if inside { point } else { center + normal * radius };
            nearest.offer(|| Hit { point: place, normal, ..hit }, (way.length() - radius).max(0.0));
        });
        self.colliders(filter, point, |hit, collider, pose| {
            let found = collider.shape.project_point(&pose, point, true);
            let way = point - found.point;
            nearest.offer(|| Hit { point: found.point, normal: way.normalize_or_zero(), ..hit }, way.length());
        });
        nearest.hit
    }

    /// All particles that are there, in order, with their positions \[m\].
    fn particles(&self, filter: &QueryFilter, mut visit: impl FnMut(Hit, Vec3)) {
        if !filter.particles {
            return;
        }
        let state = self.world().state();
        for (handle, object) in state.objects.iter() {
            let thing = PhysicsHandle::Object(handle);
            let entity = self.entity(thing);
            if !filter.allows(object.collision_layers, entity) {
                continue;
            }
            for (particle, i) in (0u32..).zip(object.range.clone()) {
                if !state.particles.inactive[i] {
                    let hit = Hit { particle: Some(particle), ..found(entity, thing, None) };
                    visit(hit, state.particles.position(i));
                }
            }
        }
    }

    /// All colliders in order, where they are, except from too far away.
    fn colliders(&self, filter: &QueryFilter, from: Vec3, mut visit: impl FnMut(Hit, &Collider, Pose)) {
        if !filter.colliders {
            return;
        }
        for (handle, collider) in self.world().state().colliders.iter() {
            let entity = self.entity_of_collider(handle, collider);
            if filter.allows(collider.collision_layers, entity)
                && let Some(pose) = pose_of(self.world(), collider)
                && is_in_reach(collider, pose.inverse_transform_point(from))
            {
                visit(found(entity, PhysicsHandle::Collider(handle), collider.body), collider, pose);
            }
        }
    }

    fn entity_of_collider(&self, handle: ColliderHandle, collider: &Collider) -> Option<Entity> {
        self.entity(PhysicsHandle::Collider(handle)).or_else(|| self.entity(PhysicsHandle::Body(collider.body?)))
    }
}

/// Returns a hit that has no place yet.
fn found(entity: Option<Entity>, thing: PhysicsHandle, body: Option<BodyHandle>) -> Hit {
    Hit { entity, handle: thing, particle: None, body, point: Vec3::ZERO, normal: Vec3::ZERO, distance: 0.0 }
}

/// Returns the pose of a collider in the world.
pub(crate) fn pose_of(world: &Core, collider: &Collider) -> Option<Pose> {
    match collider.body {
        Some(body) => Some(world.body_pose(body).ok()? * collider.pose),
        None => Some(collider.pose),
    }
}

/// The farthest that shapes can be told apart \[m\]: the squares of distances are numbers.
const FARTHEST: f32 = 1e15;

/// Returns whether no distance between a point in the frame of a shape and its parts overflows.
fn is_in_reach(collider: &Collider, point: Vec3) -> bool {
    let near = |x: Vec3| x.abs().cmple(Vec3::splat(FARTHEST)).all();
    near(point)
        && (collider.shape.as_composite_shape().is_none() || {
            let bounds = collider.shape.compute_local_aabb();
            near(bounds.mins) && near(bounds.maxs)
        })
}

/// Returns the distance along a ray at which it enters a ball \[m\]; 0 for a ray that starts in it.
fn intersect_ball(ray: Ray3d, center: Vec3, radius: f32) -> Option<f32> {
    let way = center - ray.origin;
    if way.length_squared() <= radius * radius {
        return Some(0.0);
    }
    let along = ray.direction.dot(way);
    // The distance from the line, free of the cancellation in way² − along².
    let aside = (way - *ray.direction * along).length_squared();
    let half = radius * radius - aside;
    (along > 0.0 && half >= 0.0).then(|| (along - half.sqrt()).max(0.0))
}
