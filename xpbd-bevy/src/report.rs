//! Reports that name an entity: errors in the log, and messages that are events too.

use std::fmt::Display;

use bevy::ecs::entity::{Entities, EntityHashMap};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// The largest number of errors that are remembered, and logged, of one entity: more than a description has numbers.
const MAX_ERRORS: usize = 64;
/// The number of remembered entities from which despawned ones are looked for.
const MIN_PRUNED_ENTITIES: usize = 64;

/// Something about an entity that physics cannot do as it is described. The same is logged. A cause is told once for each
/// entity, even if its numbers vary.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct PhysicsError {
    /// The entity at fault.
    pub entity: Entity,
    /// The part of its description that is at fault, and the reason.
    pub message: String,
}

/// The errors that have been logged of each entity, without their numbers.
#[derive(Resource, Default)]
pub(crate) struct LoggedErrors {
    causes: EntityHashMap<Vec<String>>,
    /// The number of entities left when despawned ones were last forgotten.
    left_after_pruning: usize,
}

impl LoggedErrors {
    /// Remembers an error; returns whether it is to be logged, which its cause is once.
    fn insert(&mut self, entity: Entity, message: &str, entities: &Entities) -> bool {
        // Pruning whenever the number has doubled costs a constant for each entity that was added.
        let limit = MIN_PRUNED_ENTITIES.max(2 * self.left_after_pruning);
        if self.causes.len() >= limit && !self.causes.contains_key(&entity) {
            self.causes.retain(|&entity, _| entities.contains(entity));
            self.left_after_pruning = self.causes.len();
        }
        let (cause, causes) = (without_numbers(message), self.causes.entry(entity).or_default());
        if causes.len() >= MAX_ERRORS || causes.contains(&cause) {
            return false;
        }
        causes.push(cause);
        true
    }
}

/// Returns the words of a message that are no numbers.
fn without_numbers(message: &str) -> String {
    let is_word = |word: &&str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-').parse::<f64>().is_err();
    message.split_whitespace().filter(is_word).collect::<Vec<_>>().join(" ")
}

/// Returns the lines of an error before those of its backtrace, which a `BevyError` shows where `RUST_BACKTRACE` asks for it.
fn without_backtrace(error: &str) -> String {
    let is_frame = |line: &str| line.split_once(": ").is_some_and(|(number, _)| number.trim().parse::<usize>().is_ok());
    error.lines().take_while(|line| !is_frame(line)).collect::<Vec<_>>().join("\n")
}

/// Logs what is wrong with entities, each cause once.
#[derive(SystemParam)]
pub(crate) struct EntityErrors<'w, 's> {
    logged: ResMut<'w, LoggedErrors>,
    messages: MessageWriter<'w, PhysicsError>,
    names: Query<'w, 's, &'static Name>,
    entities: &'w Entities,
}

impl EntityErrors<'_, '_> {
    /// Logs an error with the entity, its name, the component at fault and the reason.
    pub fn report(&mut self, entity: Entity, component: &str, reason: impl Display) {
        let message = format!("{component}: {}", without_backtrace(&reason.to_string()));
        if self.logged.insert(entity, &message, self.entities) {
            match self.names.get(entity) {
                Ok(name) => error!("{entity} \"{name}\": {message}"),
                Err(_) => error!("{entity}: {message}"),
            }
            self.messages.write(PhysicsError { entity, message });
        }
    }

    /// Logs a warning about a part of a file that describes an entity.
    #[cfg(feature = "gltf")]
    pub fn warn(&mut self, entity: Entity, part: &str, reason: impl Display) {
        let message = format!("{part}: {}", without_backtrace(&reason.to_string()));
        if self.logged.insert(entity, &message, self.entities) {
            warn!("{message}");
            self.messages.write(PhysicsError { entity, message });
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
            assert!(logged.causes.len() <= MIN_PRUNED_ENTITIES);
        }
        assert!(!logged.insert(stays, "a", world.entities()));
        for length in 1..100 {
            logged.insert(stays, &"c".repeat(length), world.entities());
        }
        assert_eq!(logged.causes[&stays].len(), MAX_ERRORS);
    }

    #[test]
    fn a_message_ends_before_the_backtrace() {
        let error =
            "no triangle\nof 12: none\n   0: xpbd_bevy::mesh\n             at src/mesh.rs:12\n  10: core::ops\n";
        assert_eq!(without_backtrace(error), "no triangle\nof 12: none");
        assert_eq!(without_backtrace(&BevyError::from("no triangle").to_string()), "no triangle");
    }

    #[test]
    fn an_error_whose_numbers_vary_is_logged_once() {
        let mut world = World::new();
        let mut logged = LoggedErrors::default();
        let entity = world.spawn_empty().id();
        assert!(logged.insert(entity, "material: the friction is -0.5, but at least 0", world.entities()));
        for friction in ["-0.75", "-1e-3", "NaN", "-inf"] {
            let message = format!("material: the friction is {friction}, but at least 0");
            assert!(!logged.insert(entity, &message, world.entities()), "{message}");
        }
        assert!(logged.insert(entity, "material: the restitution is -0.5, but at least 0", world.entities()));
    }
}
