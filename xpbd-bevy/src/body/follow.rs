//! Bodies follow what others write to their transforms and velocities.

use bevy::prelude::*;
use bevy_transform_interpolation::{RotationEasingState, TranslationEasingState};
use xpbd_core::bodies::BodyKind;

use super::pose::PoseQuery;
use super::{BodyId, BodySync};
use crate::entity_errors::EntityErrors;
use crate::material::Velocity;
use crate::physics::Physics;

/// A body, and what others may have written to it.
type Written<'a> = (
    Entity,
    &'a BodyId,
    &'a mut BodySync,
    &'a Transform,
    Option<&'a Velocity>,
    Option<&'a mut TranslationEasingState>,
    Option<&'a mut RotationEasingState>,
);

pub(super) fn follow(
    mut physics: ResMut<Physics>,
    mut bodies: Query<Written<'static>>,
    poses: PoseQuery,
    mut problems: EntityErrors,
) {
    for (entity, id, mut live, transform, velocity, translation, rotation) in &mut bodies {
        let dynamic = live.described.kind == BodyKind::Dynamic;
        // What was written after the last step is told by its value: easing also writes transforms.
        if dynamic && *transform == live.transform {
            set_velocity(&mut physics, entity, *id, &mut live, velocity, &mut problems);
            continue;
        }
        if poses.parent(entity).is_none() && *transform == live.transform {
            continue;
        }
        let Some(target) = poses.pose(entity) else { continue };
        live.transform = *transform;
        let moved = target != live.target;
        live.target = target;
        let result = match live.described.kind {
            BodyKind::Dynamic => {
                // It is not to be drawn on the way there.
                if let Some(mut state) = translation {
                    state.start = state.start.map(|_| transform.translation);
                }
                if let Some(mut state) = rotation {
                    state.start = state.start.map(|_| transform.rotation);
                }
                physics.world_mut().set_body_pose(id.0, target)
            }
            _ if !moved => Ok(()),
            BodyKind::Kinematic => physics.world_mut().move_body(id.0, target),
            BodyKind::Fixed => physics.world_mut().set_body_pose(id.0, target),
        };
        if let Err(problem) = result {
            problems.report(entity, "transform", problem);
        }
        set_velocity(&mut physics, entity, *id, &mut live, velocity, &mut problems);
    }
}

fn set_velocity(
    physics: &mut Physics,
    entity: Entity,
    id: BodyId,
    live: &mut BodySync,
    velocity: Option<&Velocity>,
    problems: &mut EntityErrors,
) {
    let Some(&velocity) = velocity.filter(|velocity| **velocity != live.velocity) else { return };
    live.velocity = velocity;
    if live.described.kind != BodyKind::Dynamic {
        return;
    }
    let set = physics.world_mut().edit_body(id.0, |body| {
        (body.velocity, body.angular_velocity) = (velocity.linear, velocity.angular);
    });
    if let Err(problem) = set {
        problems.report(entity, "velocity", problem);
    }
}
