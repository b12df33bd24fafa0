//! From components to joints.

use bevy::prelude::*;
use xpbd_core::world::BodyHandle;

use super::{Joint, JointId};
use crate::handle::BodyId;
use crate::physics::Physics;
use crate::report::EntityErrors;

/// It could not be made between these bodies.
#[derive(Component)]
pub(super) struct Refused([Option<BodyHandle>; 2]);

/// A joint, and what has been made of it.
type Tied<'a> = (Entity, Ref<'a, Joint>, Option<&'a JointId>, Option<&'a Refused>);

/// Makes joints that are new, or whose bodies are; takes out those whose bodies have gone.
pub(super) fn tie(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    joints: Query<Tied<'static>>,
    bodies: Query<&BodyId>,
    mut problems: EntityErrors,
) {
    let mut waiting = Vec::new();
    for (entity, joint, id, refused) in &joints {
        let body = |entity| bodies.get(entity).ok().map(|id| id.handle());
        let a = joint.a.map(body);
        let (false, Some(b)) = (a == Some(None), body(joint.b)) else {
            if id.is_some() {
                commands.entity(entity).try_remove::<JointId>();
            }
            continue;
        };
        let pair = [a.flatten(), Some(b)];
        let is_made = id.is_some_and(|id| id.bodies() == pair) || refused.is_some_and(|refused| refused.0 == pair);
        if !is_made || joint.is_changed() {
            waiting.push((entity, joint, pair[0], b));
        }
    }
    // The order of the world's joints is that of their entities, not of archetypes.
    waiting.sort_unstable_by_key(|&(entity, ..)| entity);
    for (entity, joint, a, b) in waiting {
        let mut entity = commands.entity(entity);
        match joint.kind.add(physics.world_mut(), a, b) {
            Ok(handle) => {
                let ground = a.is_none().then(|| handle.bodies()[0]);
                entity.try_insert(JointId { handle, ground }).try_remove::<Refused>();
            }
            Err(problem) => {
                problems.report(entity.id(), "joint", problem);
                entity.try_remove::<JointId>().try_insert(Refused([a, Some(b)]));
            }
        }
    }
}

/// Takes out the joint with the component that described it.
pub(super) fn untie(removed: On<Remove, Joint>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<(JointId, Refused)>();
}
