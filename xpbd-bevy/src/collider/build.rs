//! Colliders of the physics world from parts of bodies.

use bevy::prelude::*;
use xpbd_core::collide;
use xpbd_core::world::BodyHandle;

use super::Collider;
use crate::body::ColliderPart;
use crate::handle::{BodyId, ColliderId};
use crate::physics::Physics;
use crate::report::EntityErrors;

/// Builds colliders that are new or whose body is new, and changes those whose description has changed.
pub(super) fn build(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut parts: Query<(Entity, &mut ColliderPart, Option<&ColliderId>), With<Collider>>,
    bodies: Query<&BodyId>,
    mut errors: EntityErrors,
) {
    let mut waiting = Vec::new();
    for (entity, mut part, id) in &mut parts {
        let body = part.body.map(|body| bodies.get(body).ok().map(|id| id.handle()));
        let is_there = body != Some(None) && part.shape.is_some();
        let body = body.flatten();
        match id {
            Some(_) if !is_there => {
                commands.entity(entity).try_remove::<ColliderId>();
                part.is_stale = true;
            }
            Some(_) if part.built_on != body => waiting.push((entity, body)),
            Some(id) if part.is_stale => {
                part.is_stale = false;
                let changed = physics.world_mut().edit_collider(id.0, |edited| {
                    if let Some(new) = collider(&part, body) {
                        *edited = new;
                    }
                });
                if let Err(error) = changed {
                    errors.report(entity, "collider", error);
                }
            }
            None if is_there && (part.is_stale || part.built_on != body) => waiting.push((entity, body)),
            _ => {}
        }
    }
    // Colliders are added in the order of their entities, not of archetypes.
    waiting.sort_unstable_by_key(|&(entity, _)| entity);
    for (entity, body) in waiting {
        let Ok((_, mut part, _)) = parts.get_mut(entity) else { continue };
        (part.is_stale, part.built_on) = (false, body);
        let Some(collider) = collider(&part, body) else { continue };
        match physics.world_mut().add_collider(collider) {
            Ok(handle) => {
                commands.entity(entity).try_insert(ColliderId(handle));
            }
            Err(error) => {
                errors.report(entity, "collider", error);
                commands.entity(entity).try_remove::<ColliderId>();
            }
        }
    }
}

/// Returns the collider that a part of a body is in the world; none without a shape.
fn collider(part: &ColliderPart, body: Option<BodyHandle>) -> Option<collide::Collider> {
    let shape = part.shape.clone()?;
    let (friction, collision_layers) = (part.friction.into(), part.layers.with_self_collision(false));
    Some(collide::Collider { shape, pose: part.pose, body, friction, restitution: part.restitution, collision_layers })
}
