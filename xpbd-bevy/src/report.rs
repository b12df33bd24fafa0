//! Reports that name an entity: errors in the log, and messages that are events too.

use std::fmt::Display;

use bevy::ecs::entity::{Entities, EntityHashMap};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// The largest number of errors that are remembered, and logged, of one entity.
const MAX_ERRORS: usize = 16;
/// The number of remembered entities from which despawned ones are looked for.
const MIN_PRUNED_ENTITIES: usize = 64;

/// The errors that have been logged of each entity.
#[derive(Resource, Default)]
pub(crate) struct LoggedErrors {
    messages: EntityHashMap<Vec<String>>,
    /// The number of entities left when despawned ones were last forgotten.
    left_after_pruning: usize,
}

impl LoggedErrors {
    /// Remembers an error; returns whether it is to be logged, which it is once.
    fn insert(&mut self, entity: Entity, message: &str, entities: &Entities) -> bool {
        // Pruning whenever the number has doubled costs a constant for each entity that was added.
        let limit = MIN_PRUNED_ENTITIES.max(2 * self.left_after_pruning);
        if self.messages.len() >= limit && !self.messages.contains_key(&entity) {
            self.messages.retain(|&entity, _| entities.contains(entity));
            self.left_after_pruning = self.messages.len();
        }
        let messages = self.messages.entry(entity).or_default();
        if messages.len() >= MAX_ERRORS || messages.iter().any(|logged| logged == message) {
            return false;
        }
        messages.push(message.to_string());
        true
    }
}

/// Logs what is wrong with entities, each error once.
#[derive(SystemParam)]
pub(crate) struct EntityErrors<'w, 's> {
    logged: ResMut<'w, LoggedErrors>,
    names: Query<'w, 's, &'static Name>,
    entities: &'w Entities,
}

impl EntityErrors<'_, '_> {
    /// Logs an error with the entity, its name, the component at fault and the reason.
    pub fn report(&mut self, entity: Entity, component: &str, reason: impl Display) {
        let message = format!("{component}: {reason}");
        if self.logged.insert(entity, &message, self.entities) {
            match self.names.get(entity) {
                Ok(name) => error!("{entity} \"{name}\": {message}"),
                Err(_) => error!("{entity}: {message}"),
            }
        }
    }
}

/// Writes a message and triggers the same as an event of its entity.
pub(crate) fn write_and_trigger<M: Message + Copy + for<'a> EntityEvent<Trigger<'a>: Default>>(
    messages: &mut MessageWriter<M>,
    commands: &mut Commands,
    message: M,
) {
    messages.write(message);
    commands.trigger(message);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_reported_twice_is_logged_once_and_forgotten_with_its_entity() {
        let mut world = World::new();
        let mut logged = LoggedErrors::default();
        let stays = world.spawn_empty().id();
        assert!(logged.insert(stays, "a", world.entities()) && !logged.insert(stays, "a", world.entities()));
        assert!(logged.insert(stays, "b", world.entities()));
        for _ in 0..10_000 {
            let entity = world.spawn_empty().id();
            assert!(logged.insert(entity, "a", world.entities()));
            world.despawn(entity);
            assert!(logged.messages.len() <= MIN_PRUNED_ENTITIES);
        }
        assert!(!logged.insert(stays, "a", world.entities()));
        for error in 0..100 {
            logged.insert(stays, &error.to_string(), world.entities());
        }
        assert_eq!(logged.messages[&stays].len(), MAX_ERRORS);
    }
}
