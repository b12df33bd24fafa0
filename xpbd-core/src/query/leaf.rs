//! The leaves of the tree of a spatial index.

use glam::{Vec3, Vec4Swizzles};
use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::Pose;
use parry3d::shape::{SharedShape, TypedShape};

use crate::collide::Collider;
use crate::handle::{BodyHandle, ColliderHandle, ObjectHandle};
use crate::layers::CollisionLayers;
use crate::object::ObjectState;
use crate::particles::Particles;
use crate::world::State;

/// The part of its coordinates by which a box is larger than what it holds \[1\]: some roundings.
const ROUNDINGS: f32 = 1e-6;

/// The farthest that shapes can be told apart \[m\]: the squares of distances are numbers.
pub const FARTHEST: f32 = 1e15;

/// One thing that queries find. Objects and colliders are numbered in the order in which they were added, particles as in
/// the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Leaf {
    Triangle { object: u32, triangle: u32, corners: [u32; 3] },
    Particle { object: u32, particle: u32 },
    Collider { collider: u32 },
}

/// Returns the triangles and particles that queries find in a world.
pub fn leaves_of_objects(state: &State) -> Vec<Leaf> {
    let mut leaves = Vec::with_capacity(state.particles.len());
    for ((_, of), object) in state.objects.iter().zip(0..) {
        let (start, is_active) = (of.range.start as u32, |i: u32| !state.particles.inactive[i as usize]);
        let mut is_free = vec![true; of.range.len()];
        for (&triangle, number) in of.triangles().iter().zip(0..) {
            let corners = triangle.map(|corner| start + corner);
            triangle.iter().for_each(|&corner| is_free[corner as usize] = false);
            if corners.into_iter().all(is_active) {
                leaves.push(Leaf::Triangle { object, triangle: number, corners });
            }
        }
        let free = (start..).zip(is_free).filter(|&(particle, is_free)| is_free && is_active(particle));
        leaves.extend(free.map(|(particle, _)| Leaf::Particle { object, particle }));
    }
    leaves
}

/// An object as queries see it.
#[derive(Debug, Clone, Copy)]
pub struct IndexedObject {
    pub handle: ObjectHandle,
    pub layers: CollisionLayers,
    /// Number of its first particle in the world.
    pub start: u32,
}

/// A collider as queries see it.
#[derive(Debug, Clone, Copy)]
pub struct IndexedCollider {
    pub handle: ColliderHandle,
    pub body: Option<BodyHandle>,
    pub layers: CollisionLayers,
}

/// The part of a collider that rays ask first, in as few bytes as it takes.
#[derive(Debug, Clone, Copy)]
pub struct PlacedShape {
    /// Pose in the world.
    pub pose: Pose,
    pub shape: IndexedShape,
}

/// A shape that rays are tested with at once; all others are asked themselves.
#[derive(Debug, Clone, Copy)]
pub enum IndexedShape {
    Ball(f32),
    Cuboid(Vec3),
    Other,
}

impl From<&SharedShape> for IndexedShape {
    fn from(shape: &SharedShape) -> Self {
        match shape.as_typed_shape() {
            TypedShape::Ball(ball) => Self::Ball(ball.radius),
            TypedShape::Cuboid(cuboid) => Self::Cuboid(cuboid.half_extents),
            _ => Self::Other,
        }
    }
}

/// Returns all objects in order.
pub fn all_objects(state: &State) -> Vec<IndexedObject> {
    let indexed = |(handle, of): (ObjectHandle, &ObjectState)| IndexedObject {
        handle,
        layers: of.collision_layers,
        start: of.range.start as u32,
    };
    state.objects.iter().map(indexed).collect()
}

/// Returns all colliders in order.
pub fn all_colliders(state: &State) -> Vec<IndexedCollider> {
    let indexed = |(handle, of): (ColliderHandle, &Collider)| IndexedCollider {
        handle,
        body: of.body,
        layers: of.collision_layers,
    };
    state.colliders.iter().map(indexed).collect()
}

/// Returns the shapes of all colliders in order.
pub fn all_shapes(state: &State) -> Vec<PlacedShape> {
    let body = |collider: &Collider| Some(state.bodies.pose(state.body_handles.index_of(collider.body?)?));
    let placed = |(_, of): (ColliderHandle, &Collider)| PlacedShape {
        pose: body(of).map_or(of.pose, |body| body * of.pose),
        shape: (&of.shape).into(),
    };
    state.colliders.iter().map(placed).collect()
}

/// Returns the box of a leaf \[m\].
pub fn bounds(leaf: Leaf, state: &State, shapes: &[PlacedShape]) -> Aabb {
    let position = |particle: u32| state.particles.position(particle as usize);
    let exact = match leaf {
        Leaf::Triangle { corners, .. } => {
            let [a, b, c] = corners.map(position);
            Aabb::new(a.min(b).min(c), a.max(b).max(c))
        }
        Leaf::Particle { particle, .. } => {
            Aabb::from_half_extents(position(particle), Vec3::splat(state.settings.particle_radius))
        }
        Leaf::Collider { collider } => match collider_at(state, collider) {
            Some(of) => of.shape.compute_aabb(&shapes[collider as usize].pose),
            None => Aabb::new_invalid(),
        },
    };
    let largest = exact.mins.abs().max(exact.maxs.abs()).max_element();
    exact.loosened(largest * ROUNDINGS + f32::MIN_POSITIVE)
}

/// Returns the collider of this number.
pub fn collider_at(state: &State, collider: u32) -> Option<&Collider> {
    state.colliders.get(*state.colliders.keys().get(collider as usize)?)
}

/// Returns a particle's position from another point \[m\], exact far from the origin of the world.
pub fn position_from(particles: &Particles, particle: u32, point: Vec3) -> Vec3 {
    (particles.anchor[particle as usize].xyz() - point) + particles.offset[particle as usize].xyz()
}
