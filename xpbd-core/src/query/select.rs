//! The targets and shapes of leaves.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::{Ball, Shape, Triangle};

use super::index::SpatialQuery;
use super::leaf::{FARTHEST, IndexedCollider, Leaf, PlacedShape, position_from};
use super::{QueryFilter, QueryTarget};
use crate::collide::Collider;
use crate::layers::CollisionLayers;

impl SpatialQuery<'_> {
    /// Returns a leaf and its target, if the filter lets the query find it.
    pub(super) fn select(&self, leaf: u32, filter: &QueryFilter<'_>) -> Option<(Leaf, QueryTarget)> {
        let leaf = self.index.leaf(leaf);
        Some((leaf, self.selected_target(leaf, filter)?))
    }

    /// Returns the target of a leaf, if the filter lets the query find it.
    pub(super) fn selected_target(&self, leaf: Leaf, filter: &QueryFilter<'_>) -> Option<QueryTarget> {
        let (target, layers) = self.target(leaf)?;
        filter.allows(&target, layers).then_some(target)
    }

    fn target(&self, leaf: Leaf) -> Option<(QueryTarget, CollisionLayers)> {
        Some(match leaf {
            Leaf::Triangle { object, triangle, corners } => {
                let of = self.index.objects.get(object as usize)?;
                let particles = corners.map(|corner| corner - of.start);
                (QueryTarget::Triangle { object: of.handle, triangle, particles }, of.layers)
            }
            Leaf::Particle { object, particle } => {
                let of = self.index.objects.get(object as usize)?;
                (QueryTarget::Particle { object: of.handle, particle: particle - of.start }, of.layers)
            }
            Leaf::Collider { collider } => {
                let of = self.index.colliders.get(collider as usize)?;
                (QueryTarget::Collider { collider: of.handle, body: of.body }, of.layers)
            }
        })
    }

    /// Returns a collider and its pose, if distances between it and a point \[m\] can be told.
    pub(super) fn collider_near(&self, collider: u32, point: Vec3) -> Option<(&Collider, &Pose)> {
        let IndexedCollider { handle, .. } = self.index.colliders.get(collider as usize)?;
        let PlacedShape { pose, .. } = self.index.shapes.get(collider as usize)?;
        let of = self.world.state().colliders.get(*handle)?;
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
