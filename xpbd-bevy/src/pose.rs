//! Where entities are in the world.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use parry3d::math::Pose;

/// The speed \[m/s\] from which the motion of what holds an object is a jump, with which the whole object goes.
pub(crate) const FASTEST_HOLDER: f32 = 100.0;

/// Returns the motion of the world that takes a frame from one transform to another, their scales apart.
pub(crate) fn rigid_motion(before: GlobalTransform, after: GlobalTransform) -> Pose {
    let [(_, before, from), (_, after, to)] = [before, after].map(|at| at.to_scale_rotation_translation());
    let rotation = after * before.inverse();
    Pose::from_parts(to - rotation * from, rotation)
}

/// Finds the poses of entities, without rounding where there is no parent.
#[derive(SystemParam)]
pub(crate) struct PoseQuery<'w, 's> {
    parents: Query<'w, 's, &'static ChildOf>,
    transforms: Query<'w, 's, &'static Transform>,
    helper: TransformHelper<'w, 's>,
}

impl PoseQuery<'_, '_> {
    /// Returns the transform in the world, its scale apart.
    pub fn in_world(&self, entity: Entity) -> Option<Transform> {
        if self.parents.contains(entity) {
            return Some(self.helper.compute_global_transform(entity).ok()?.compute_transform());
        }
        self.transforms.get(entity).ok().copied()
    }

    /// Returns the transform with respect to its parent.
    pub fn local(&self, entity: Entity) -> Option<Transform> {
        self.transforms.get(entity).ok().copied()
    }

    /// Returns its parent.
    pub fn parent(&self, entity: Entity) -> Option<Entity> {
        self.parents.get(entity).ok().map(ChildOf::parent)
    }

    /// Returns the pose in the world.
    pub fn pose(&self, entity: Entity) -> Option<Pose> {
        self.in_world(entity).map(pose)
    }
}

/// Returns a transform without its scale.
pub(crate) fn pose(transform: Transform) -> Pose {
    Pose::from_parts(transform.translation, transform.rotation)
}
