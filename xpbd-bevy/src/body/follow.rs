//! Bodies follow the transforms and velocities that other systems write.

use bevy::prelude::*;
use bevy_transform_interpolation::{RotationEasingState, TranslationEasingState};
use xpbd_core::bodies::BodyKind;

use super::state::BodySync;
use crate::handle::BodyId;
use crate::material::{AngularVelocity, LinearVelocity};
use crate::physics::Physics;
use crate::pose::PoseQuery;
use crate::report::EntityErrors;

/// A body and the components that others may have written.
type Written<'a> = (
    Entity,
    &'a BodyId,
    &'a mut BodySync,
    &'a Transform,
    (Option<&'a LinearVelocity>, Option<&'a AngularVelocity>),
    Option<&'a mut TranslationEasingState>,
    Option<&'a mut RotationEasingState>,
);

pub(super) fn follow(
    mut physics: ResMut<Physics>,
    mut bodies: Query<Written<'static>>,
    poses: PoseQuery,
    mut errors: EntityErrors,
) {
    for (entity, id, mut sync, transform, velocity, translation, rotation) in &mut bodies {
        let kind = sync.description.kind;
        // A transform is compared by value, since interpolation writes it too.
        let is_unmoved = *transform == sync.transform && (kind == BodyKind::Dynamic || poses.parent(entity).is_none());
        let moved = if is_unmoved { None } else { poses.pose(entity) };
        if let Some(target) = moved {
            sync.transform = *transform;
            let is_new = std::mem::replace(&mut sync.target, target) != target;
            let result = match kind {
                BodyKind::Dynamic => {
                    // A teleported body is not drawn on the way.
                    if let Some(mut state) = translation {
                        state.start = state.start.map(|_| transform.translation);
                    }
                    if let Some(mut state) = rotation {
                        state.start = state.start.map(|_| transform.rotation);
                    }
                    physics.world_mut().set_body_pose(id.0, target)
                }
                _ if !is_new => Ok(()),
                BodyKind::Kinematic => physics.world_mut().move_body(id.0, target),
                BodyKind::Fixed => physics.world_mut().set_body_pose(id.0, target),
            };
            if let Err(error) = result {
                errors.report(entity, "transform", error);
            }
        }
        if kind == BodyKind::Dynamic || moved.is_some() {
            set_velocity(&mut physics, entity, *id, &mut sync, velocity, &mut errors);
        }
    }
}

fn set_velocity(
    physics: &mut Physics,
    entity: Entity,
    id: BodyId,
    sync: &mut BodySync,
    (linear, angular): (Option<&LinearVelocity>, Option<&AngularVelocity>),
    errors: &mut EntityErrors,
) {
    let linear = linear.map_or(sync.linear_velocity, |velocity| velocity.0);
    let angular = angular.map_or(sync.angular_velocity, |velocity| velocity.0);
    if (linear, angular) == (sync.linear_velocity, sync.angular_velocity) {
        return;
    }
    (sync.linear_velocity, sync.angular_velocity) = (linear, angular);
    if sync.description.kind != BodyKind::Dynamic {
        return;
    }
    let set = physics.world_mut().edit_body(id.0, |body| {
        (body.velocity, body.angular_velocity) = (linear, angular);
    });
    if let Err(error) = set {
        errors.report(entity, "velocity", error);
    }
}
