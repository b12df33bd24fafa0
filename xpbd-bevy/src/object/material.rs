//! Materials of objects that change.

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;

use super::ObjectId;
use crate::material::{CollisionGroups, Friction};
use crate::physics::Physics;
use crate::plugin::{Prepare, XpbdSystems};
use crate::problem::Problems;
use crate::turn::in_turn;

/// Keeps materials of objects up to date.
pub(super) struct MaterialPlugin(pub Interned<dyn ScheduleLabel>);

impl Plugin for MaterialPlugin {
    fn build(&self, app: &mut App) {
        in_turn(app, self.0, XpbdSystems::Prepare(Prepare::Ties), renew_materials);
    }
}

fn renew_materials(
    mut physics: ResMut<Physics>,
    frictions: Query<(Entity, &ObjectId, &Friction), Changed<Friction>>,
    groups: Query<(Entity, &ObjectId, &CollisionGroups), Changed<CollisionGroups>>,
    mut problems: Problems,
) {
    for (entity, object, &friction) in &frictions {
        if let Err(problem) = physics.world_mut().set_friction(object.0, friction.into()) {
            problems.say(entity, "friction", problem);
        }
    }
    for (entity, object, groups) in &groups {
        let Some(state) = physics.world().state().objects.get(object.0) else { continue };
        let filter = groups.filter(state.filter.self_collision);
        if let Err(problem) = physics.world_mut().set_filter(object.0, filter) {
            problems.say(entity, "collision groups", problem);
        }
    }
}
