//! Materials of objects that change.

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;

use super::ObjectId;
use crate::entity_errors::EntityErrors;
use crate::material::{CollisionGroups, Friction};
use crate::physics::Physics;
use crate::plugin::{PrepareSystems, XpbdSystems};
use crate::system_order::add_ordered_systems;

/// Keeps materials of objects up to date.
pub(super) struct MaterialPlugin(pub Interned<dyn ScheduleLabel>);

impl Plugin for MaterialPlugin {
    fn build(&self, app: &mut App) {
        add_ordered_systems(app, self.0, XpbdSystems::Prepare(PrepareSystems::Constraints), update_materials);
    }
}

fn update_materials(
    mut physics: ResMut<Physics>,
    frictions: Query<(Entity, &ObjectId, &Friction), Changed<Friction>>,
    groups: Query<(Entity, &ObjectId, &CollisionGroups), Changed<CollisionGroups>>,
    mut problems: EntityErrors,
) {
    for (entity, object, &friction) in &frictions {
        if let Err(problem) = physics.world_mut().set_friction(object.0, friction.into()) {
            problems.report(entity, "friction", problem);
        }
    }
    for (entity, object, groups) in &groups {
        let Some(state) = physics.world().state().objects.get(object.0) else { continue };
        let filter = groups.filter(state.collision_layers.self_collision);
        if let Err(problem) = physics.world_mut().set_collision_layers(object.0, filter) {
            problems.report(entity, "collision groups", problem);
        }
    }
}
