//! Colliders of the physics world from parts of bodies.

use bevy::prelude::*;
use xpbd_core::collide;
use xpbd_core::world::BodyHandle;

use super::Collider;
use crate::body::ColliderPart;
use crate::handle::{BodyId, ColliderId, SensorId};
use crate::physics::Physics;
use crate::report::EntityErrors;

/// A part of a body, and the collider or sensor that it is.
type Part<'a> = (Entity, &'a mut ColliderPart, Option<&'a ColliderId>, Option<&'a SensorId>);

/// Builds colliders and sensors that are new or whose body is new, and changes those whose description has changed.
pub(super) fn build(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut parts: Query<Part<'_>, With<Collider>>,
    bodies: Query<&BodyId>,
    mut errors: EntityErrors,
) {
    let mut waiting = Vec::new();
    for (entity, mut part, collider_id, sensor_id) in &mut parts {
        let body = part.body.map(|body| bodies.get(body).ok().map(|id| id.handle()));
        let is_there = body != Some(None) && part.shape.is_some();
        let body = body.flatten();
        let is_built = collider_id.is_some() || sensor_id.is_some();
        let is_of_kind = if part.is_sensor { collider_id.is_none() } else { sensor_id.is_none() };
        if is_built && !is_there {
            commands.entity(entity).try_remove::<(ColliderId, SensorId)>();
            part.is_stale = true;
        } else if is_there && (!is_of_kind || part.built_on != body || (part.is_stale && !is_built)) {
            waiting.push((entity, body));
        } else if is_built && part.is_stale {
            part.is_stale = false;
            let change = |edited: &mut collide::Collider| {
                if let Some(new) = collider(&part, body) {
                    *edited = new;
                }
            };
            let world = physics.world_mut();
            let of_sensor = sensor_id.map(|id| world.edit_sensor(id.0, change));
            let changed = of_sensor.or_else(|| collider_id.map(|id| world.edit_collider(id.0, change)));
            if let Some(Err(error)) = changed {
                errors.report(entity, "collider", error);
            }
        }
    }
    // Colliders are added in the order of their entities, not of archetypes.
    waiting.sort_unstable_by_key(|&(entity, _)| entity);
    for (entity, body) in waiting {
        let Ok((_, mut part, ..)) = parts.get_mut(entity) else { continue };
        (part.is_stale, part.built_on) = (false, body);
        let Some(collider) = collider(&part, body) else { continue };
        let world = physics.world_mut();
        let mut commands = commands.entity(entity);
        let added = if part.is_sensor {
            commands.try_remove::<ColliderId>();
            world.add_sensor(collider).map(|handle| commands.try_insert(SensorId(handle)))
        } else {
            commands.try_remove::<SensorId>();
            world.add_collider(collider).map(|handle| commands.try_insert(ColliderId(handle)))
        };
        if let Err(error) = added {
            errors.report(entity, "collider", error);
            commands.try_remove::<(ColliderId, SensorId)>();
        }
    }
}

/// Returns the collider that a part of a body is in the world; none without a shape.
fn collider(part: &ColliderPart, body: Option<BodyHandle>) -> Option<collide::Collider> {
    let shape = part.shape.clone()?;
    let (friction, collision_layers) = (part.friction.into(), part.layers.with_self_collision(false));
    let &ColliderPart { pose, restitution, surface_velocity, one_way, .. } = part;
    Some(collide::Collider { shape, pose, body, friction, restitution, surface_velocity, one_way, collision_layers })
}
