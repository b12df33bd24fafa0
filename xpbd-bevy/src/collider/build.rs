//! From parts of bodies to colliders of the world.

use bevy::prelude::*;
use xpbd_core::collide;
use xpbd_core::world::BodyHandle;

use super::attach::Part;
use super::{Collider, ColliderId};
use crate::body::BodyId;
use crate::entity_errors::EntityErrors;
use crate::physics::Physics;

/// Makes colliders that are new, or whose body is, and changes those that are said otherwise than before.
pub(super) fn make(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut parts: Query<(Entity, &mut Part, Option<&ColliderId>), With<Collider>>,
    bodies: Query<&BodyId>,
    mut problems: EntityErrors,
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
            Some(_) if part.made_on != body => waiting.push((entity, body)),
            Some(id) if part.is_stale => {
                part.is_stale = false;
                let changed = physics.world_mut().edit_collider(id.0, |collider| {
                    if let Some(new) = part.collider(body) {
                        *collider = new;
                    }
                });
                if let Err(problem) = changed {
                    problems.report(entity, "collider", problem);
                }
            }
            None if is_there && (part.is_stale || part.made_on != body) => waiting.push((entity, body)),
            _ => {}
        }
    }
    // The order of the world's colliders is that of their entities, not of archetypes.
    waiting.sort_unstable_by_key(|&(entity, _)| entity);
    for (entity, body) in waiting {
        let Ok((_, mut part, _)) = parts.get_mut(entity) else { continue };
        (part.is_stale, part.made_on) = (false, body);
        let Some(collider) = part.collider(body) else { continue };
        match physics.world_mut().add_collider(collider) {
            Ok(handle) => {
                commands.entity(entity).try_insert(ColliderId(handle));
            }
            Err(problem) => {
                problems.report(entity, "collider", problem);
                commands.entity(entity).try_remove::<ColliderId>();
            }
        }
    }
}

impl Part {
    fn collider(&self, body: Option<BodyHandle>) -> Option<collide::Collider> {
        let shape = self.shape.clone()?;
        let (friction, filter) = (self.friction.into(), self.filter);
        Some(collide::Collider {
            shape,
            pose: self.pose,
            body,
            friction,
            restitution: self.restitution,
            collision_layers: filter,
        })
    }
}
