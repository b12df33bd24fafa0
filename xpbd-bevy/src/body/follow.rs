//! Bodies follow the transforms and velocities that other systems write.

use bevy::prelude::*;
use bevy_transform_interpolation::interpolation::TranslationInterpolation;
use bevy_transform_interpolation::{RotationEasingState, TranslationEasingState};
use parry3d::math::Pose;
use xpbd_core::bodies::BodyKind;

use super::prepare::insert_interpolation;
use super::state::{BodySync, InterpolateBodies};
use crate::handle::BodyId;
use crate::material::{AngularVelocity, LinearVelocity};
use crate::physics::Physics;
use crate::pose::PoseQuery;
use crate::report::EntityErrors;
use crate::time::StepLength;

/// A body and the components that others may have written.
type Written<'a> = (
    Entity,
    &'a BodyId,
    &'a mut BodySync,
    &'a Transform,
    Velocities<'a>,
    Option<&'a mut TranslationEasingState>,
    Option<&'a mut RotationEasingState>,
    Has<TranslationInterpolation>,
);

/// The velocities of a body.
type Velocities<'a> = (Option<&'a LinearVelocity>, Option<&'a AngularVelocity>);

pub(super) fn follow(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    (length, interpolate): (Res<StepLength>, Res<InterpolateBodies>),
    mut bodies: Query<Written<'static>>,
    poses: PoseQuery,
    mut errors: EntityErrors,
) {
    for (entity, id, mut sync, transform, velocity, translation, rotation, eased) in &mut bodies {
        let kind = sync.description.kind;
        // A transform is compared by value, since interpolation writes it too.
        let is_free = kind == BodyKind::Dynamic || poses.parent(entity).is_none() || carries(kind, velocity);
        let is_unmoved = *transform == sync.transform && is_free;
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
        if moved.is_none()
            && carries(kind, velocity)
            && let Some(dt) = length.get()
        {
            let target = carried(sync.target, velocity, dt);
            match physics.world_mut().move_body(id.0, target) {
                Ok(()) => (sync.target, sync.is_carried) = (target, true),
                Err(error) => errors.report(entity, "velocity", error),
            }
            if interpolate.0 && !eased {
                commands.entity(entity).queue_silenced(insert_interpolation);
            }
        }
        if kind == BodyKind::Dynamic || moved.is_some() {
            set_velocity(&mut physics, entity, *id, &mut sync, velocity, &mut errors);
        }
    }
}

/// Returns whether a kinematic body has a velocity that moves it.
fn carries(kind: BodyKind, (linear, angular): Velocities<'_>) -> bool {
    let moves = linear.is_some_and(|linear| linear.0 != Vec3::ZERO);
    kind == BodyKind::Kinematic && (moves || angular.is_some_and(|angular| angular.0 != Vec3::ZERO))
}

/// Returns the pose to which velocities take a body in `dt` \[s\]. It rotates about its origin.
fn carried(from: Pose, (linear, angular): Velocities<'_>, dt: f32) -> Pose {
    let [linear, angular] =
        [linear.map(|linear| linear.0), angular.map(|angular| angular.0)].map(Option::unwrap_or_default);
    let rotation = Quat::from_scaled_axis(angular * dt) * from.rotation;
    Pose::from_parts(from.translation + linear * dt, rotation.normalize())
}

fn set_velocity(
    physics: &mut Physics,
    entity: Entity,
    id: BodyId,
    sync: &mut BodySync,
    (linear, angular): Velocities<'_>,
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
