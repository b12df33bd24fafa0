//! What the tree of a spatial index is made of.

use glam::{Vec3, Vec4Swizzles};
use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::Pose;
use parry3d::shape::{Ball, Shape, Triangle};

use super::QueryTarget;
use super::index::SpatialQuery;
use crate::collide::Collider;
use crate::layers::CollisionLayers;
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

/// Returns all that queries find in a world.
pub fn all_leaves(state: &State) -> Vec<Leaf> {
    let mut leaves = Vec::with_capacity(state.particles.len() + state.colliders.len());
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
    leaves.extend((0..state.colliders.len() as u32).map(|collider| Leaf::Collider { collider }));
    leaves
}

/// Returns the poses of all colliders in the world, in order.
pub fn collider_poses(state: &State) -> Vec<Pose> {
    let body = |collider: &Collider| Some(state.bodies.pose(state.body_handles.index_of(collider.body?)?));
    let pose = |collider: &Collider| body(collider).map_or(collider.pose, |body| body * collider.pose);
    state.colliders.iter().map(|(_, collider)| pose(collider)).collect()
}

/// Returns the box of a leaf \[m\].
pub fn bounds(leaf: Leaf, state: &State, poses: &[Pose]) -> Aabb {
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
            Some(of) => of.shape.compute_aabb(&poses[collider as usize]),
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

impl SpatialQuery<'_> {
    /// Returns a leaf and its target, if the filter lets the query find it.
    pub(super) fn select(&self, leaf: u32, filter: &super::QueryFilter<'_>) -> Option<(Leaf, QueryTarget)> {
        let leaf = *self.index.leaves.get(leaf as usize)?;
        let (target, layers) = self.target(leaf)?;
        filter.allows(&target, layers).then_some((leaf, target))
    }

    fn target(&self, leaf: Leaf) -> Option<(QueryTarget, CollisionLayers)> {
        let state = self.world.state();
        let of_object = |object: u32| {
            let handle = *state.objects.keys().get(object as usize)?;
            Some((handle, state.objects.get(handle)?))
        };
        Some(match leaf {
            Leaf::Triangle { object, triangle, corners } => {
                let (handle, of) = of_object(object)?;
                let particles = corners.map(|corner| corner - of.range.start as u32);
                (QueryTarget::Triangle { object: handle, triangle, particles }, of.collision_layers)
            }
            Leaf::Particle { object, particle } => {
                let (handle, of) = of_object(object)?;
                let particle = particle - of.range.start as u32;
                (QueryTarget::Particle { object: handle, particle }, of.collision_layers)
            }
            Leaf::Collider { collider } => {
                let of = collider_at(state, collider)?;
                let handle = state.colliders.keys()[collider as usize];
                (QueryTarget::Collider { collider: handle, body: of.body }, of.collision_layers)
            }
        })
    }

    /// Returns a collider and its pose, if distances between it and a point \[m\] can be told.
    pub(super) fn collider_near(&self, collider: u32, point: Vec3) -> Option<(&Collider, &Pose)> {
        let of = collider_at(self.world.state(), collider)?;
        let pose = self.index.poses.get(collider as usize)?;
        is_in_reach(of, pose.inverse_transform_point(point)).then_some((of, pose))
    }

    /// Calls `test` with the shape of a leaf and its pose; `point` is where the query is \[m\].
    pub(super) fn with_shape<R>(
        &self,
        leaf: Leaf,
        point: Vec3,
        test: impl FnOnce(&dyn Shape, &Pose) -> Option<R>,
    ) -> Option<R> {
        let state = self.world.state();
        match leaf {
            Leaf::Triangle { corners, .. } => {
                let first = state.particles.position(corners[0] as usize);
                let [a, b, c] = corners.map(|corner| position_from(&state.particles, corner, first));
                test(&Triangle::new(a, b, c), &Pose::from_translation(first))
            }
            Leaf::Particle { particle, .. } => {
                let center = state.particles.position(particle as usize);
                test(&Ball::new(state.settings.particle_radius), &Pose::from_translation(center))
            }
            Leaf::Collider { collider } => {
                let (of, pose) = self.collider_near(collider, point)?;
                test(&*of.shape, pose)
            }
        }
    }
}

/// Returns whether no distance between a point in the frame of a shape and its parts overflows.
fn is_in_reach(collider: &Collider, point: Vec3) -> bool {
    let near = |x: Vec3| x.abs().cmple(Vec3::splat(FARTHEST)).all();
    near(point)
        && (collider.shape.as_composite_shape().is_none() || {
            let bounds = collider.shape.compute_local_aabb();
            near(bounds.mins) && near(bounds.maxs)
        })
}
