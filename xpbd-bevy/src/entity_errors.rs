//! What cannot be made is said once, with the name of its entity.

use std::fmt::Display;

use bevy::ecs::entity::{Entities, EntityHashMap};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// The most causes that are remembered, and said, of one entity.
const MAX_CAUSES: usize = 16;
/// Entities that are remembered before those that are gone are looked for.
const MIN_PRUNED_ENTITIES: usize = 64;

/// What has been said of each entity.
#[derive(Resource, Default)]
pub(crate) struct Said {
    causes: EntityHashMap<Vec<String>>,
    /// How many entities stayed when those that are gone were last forgotten.
    stayed: usize,
}

impl Said {
    /// Returns whether this is new, which it then no longer is.
    fn is_new(&mut self, entity: Entity, message: &str, entities: &Entities) -> bool {
        // Looking for them when there are twice as many costs a constant for each that came.
        if self.causes.len() >= MIN_PRUNED_ENTITIES.max(2 * self.stayed) && !self.causes.contains_key(&entity) {
            self.causes.retain(|&entity, _| entities.contains(entity));
            self.stayed = self.causes.len();
        }
        let causes = self.causes.entry(entity).or_default();
        if causes.len() >= MAX_CAUSES || causes.iter().any(|cause| cause == message) {
            return false;
        }
        causes.push(message.to_string());
        true
    }
}

/// Says what is wrong with an entity, each thing once.
#[derive(SystemParam)]
pub(crate) struct EntityErrors<'w, 's> {
    said: ResMut<'w, Said>,
    names: Query<'w, 's, &'static Name>,
    entities: &'w Entities,
}

impl EntityErrors<'_, '_> {
    pub fn report(&mut self, entity: Entity, what: &str, why: impl Display) {
        let message = format!("{what}: {why}");
        if self.said.is_new(entity, &message, self.entities) {
            match self.names.get(entity) {
                Ok(name) => error!("{entity} \"{name}\": {message}"),
                Err(_) => error!("{entity}: {message}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_is_said_once_and_what_is_gone_is_forgotten() {
        let mut world = World::new();
        let mut said = Said::default();
        let stays = world.spawn_empty().id();
        assert!(said.is_new(stays, "a", world.entities()) && !said.is_new(stays, "a", world.entities()));
        assert!(said.is_new(stays, "b", world.entities()));
        for _ in 0..10_000 {
            let entity = world.spawn_empty().id();
            assert!(said.is_new(entity, "a", world.entities()));
            world.despawn(entity);
            assert!(said.causes.len() <= MIN_PRUNED_ENTITIES);
        }
        assert!(!said.is_new(stays, "a", world.entities()));
        for cause in 0..100 {
            said.is_new(stays, &cause.to_string(), world.entities());
        }
        assert_eq!(said.causes[&stays].len(), MAX_CAUSES);
    }
}
