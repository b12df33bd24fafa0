//! Saved states of physics: for saved games, and for rollback, where frames are taken back and made again.
//!
//! ```
//! use bevy::prelude::*;
//! use xpbd_bevy::prelude::*;
//!
//! #[derive(Resource)]
//! struct Checkpoint(PhysicsSnapshot);
//!
//! fn save(world: &mut World) -> Result {
//!     let snapshot = PhysicsSnapshot::save(world)?;
//!     world.insert_resource(Checkpoint(snapshot));
//!     Ok(())
//! }
//!
//! fn load(world: &mut World) -> Result {
//!     let Some(Checkpoint(snapshot)) = world.remove_resource() else { return Ok(()) };
//!     let restored = snapshot.restore(world)?;
//!     // What was spawned after the snapshot is built again, unless the game takes it away.
//!     restored.spawned_since.into_iter().for_each(|entity| drop(world.despawn(entity)));
//!     world.insert_resource(Checkpoint(snapshot));
//!     Ok(())
//! }
//! ```

use bevy::ecs::entity::EntityHashSet;
use bevy::prelude::*;
use xpbd_core::world::WorldError;

use crate::handle::{BatchId, BodyId, ColliderId, ObjectId, SensorId};
use crate::physics::{OwnerMaps, Physics};
use crate::time::PhysicsTime;

/// A saved state of physics: the physics world, the elapsed time, and the entities that its bodies, objects, colliders,
/// joints and constraints belong to.
///
/// A restored world goes on with the same bits. Components that only the game writes, such as the [`Transform`]s of
/// entities that hold pins, are not part of it; those of bodies are written as the bodies are restored.
pub struct PhysicsSnapshot {
    world: Vec<u8>,
    owners: OwnerMaps,
    elapsed: f64,
    columns: Vec<Box<dyn SavedColumn>>,
}

/// The entities that differ between a snapshot and the time when it is restored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RestoredEntities {
    /// Entities whose bodies or objects the snapshot does not have. They are built again in the next step, as their
    /// components describe them.
    pub spawned_since: Vec<Entity>,
    /// Despawned entities whose bodies or objects the snapshot has. These are removed from the physics world.
    pub despawned_since: Vec<Entity>,
}

impl PhysicsSnapshot {
    /// Saves the physics of an app.
    ///
    /// # Errors
    /// There is no [`Physics`], a collider has a shape that cannot be saved, or the device is lost.
    pub fn save(world: &mut World) -> Result<Self, WorldError> {
        let mut physics = physics(world)?;
        let saved = physics.world_mut().snapshot()?;
        let owners = physics.owners().clone();
        let elapsed = world.get_resource::<PhysicsTime>().map_or(0.0, |time| time.elapsed);
        let columns = saved_parts(world).columns;
        Ok(Self { world: saved, owners, elapsed, columns: columns.into_iter().map(|save| save(world)).collect() })
    }

    /// Restores the physics of the app that the snapshot was made in, and returns the entities that were spawned or
    /// despawned in between.
    ///
    /// # Errors
    /// There is no [`Physics`], or its world does not know a constraint type of the snapshot. Everything is then as it was.
    pub fn restore(&self, world: &mut World) -> Result<RestoredEntities, WorldError> {
        let mut physics_now = physics(world)?;
        physics_now.world_mut().restore(&self.world)?;
        // Components that come and go edit another world meanwhile: they edit what they refer to as if it came and went.
        let aside = physics_now.put_aside();
        let before: EntityHashSet = aside.owners().entities().collect();
        self.columns.iter().for_each(|column| column.restore(world));
        let saved: EntityHashSet = self.owners.entities().collect();
        let is_there = |entity: &&Entity| world.get_entity(**entity).is_ok();
        let mut spawned_since: Vec<Entity> = before.difference(&saved).filter(is_there).copied().collect();
        let mut despawned_since: Vec<Entity> = saved.iter().filter(|entity| !is_there(entity)).copied().collect();
        spawned_since.sort_unstable();
        despawned_since.sort_unstable();
        let mut physics = physics(world)?;
        physics.put_back(aside, self.owners.clone());
        despawned_since.iter().for_each(|&entity| physics.remove_all_of(entity));
        if let Some(mut time) = world.get_resource_mut::<PhysicsTime>() {
            time.elapsed = self.elapsed;
        }
        saved_parts(world).after.into_iter().for_each(|finish| finish(world));
        Ok(RestoredEntities { spawned_since, despawned_since })
    }
}

fn physics(world: &mut World) -> Result<Mut<'_, Physics>, WorldError> {
    world.get_resource_mut::<Physics>().ok_or_else(|| WorldError::Snapshot("the app has no physics".into()))
}

fn saved_parts(world: &World) -> SavedParts {
    world.get_resource::<SavedParts>().cloned().unwrap_or_default()
}

/// The parts of the plugin that snapshots contain, in the order in which they are restored.
#[derive(Resource, Default, Clone)]
struct SavedParts {
    columns: Vec<SaveColumn>,
    /// Functions that are called once everything is restored.
    after: Vec<fn(&mut World)>,
}

/// Saves the components of one type.
type SaveColumn = fn(&mut World) -> Box<dyn SavedColumn>;

/// A component whose entity has more that physics writes.
pub(crate) trait PutBack: Component + Clone {
    /// Restores what physics has written to an entity besides the saved component, which is not inserted yet.
    fn put_back(&self, entity: &mut EntityWorldMut<'_>);
}

/// The components of one type.
trait SavedColumn: Send + Sync {
    /// Gives the components to their entities.
    fn restore(&self, world: &mut World);
}

/// The components of one type with their entities.
struct Column<T> {
    values: Vec<(Entity, T)>,
    /// The function that takes the component from an entity that got it later, or gives it the default.
    reset: fn(&mut EntityWorldMut<'_>),
    put_back: fn(&T, &mut EntityWorldMut<'_>),
}

impl<T: Component + Clone> Column<T> {
    fn of(world: &mut World) -> Self {
        let values = world.query::<(Entity, &T)>().iter(world).map(|(entity, value)| (entity, value.clone())).collect();
        let reset = |entity: &mut EntityWorldMut<'_>| {
            entity.remove::<T>();
        };
        Self { values, reset, put_back: |_, _| {} }
    }
}

impl<T: Component + Clone> SavedColumn for Column<T> {
    fn restore(&self, world: &mut World) {
        let saved: EntityHashSet = self.values.iter().map(|&(entity, _)| entity).collect();
        let now: Vec<Entity> = world.query_filtered::<Entity, With<T>>().iter(world).collect();
        for entity in now.into_iter().filter(|entity| !saved.contains(entity)) {
            if let Ok(mut entity) = world.get_entity_mut(entity) {
                (self.reset)(&mut entity);
            }
        }
        for (entity, value) in &self.values {
            if let Ok(mut entity) = world.get_entity_mut(*entity) {
                (self.put_back)(value, &mut entity);
                entity.insert(value.clone());
            }
        }
    }
}

fn parts_mut(app: &mut App) -> &mut SavedParts {
    app.init_resource::<SavedParts>().world_mut().resource_mut::<SavedParts>().into_inner()
}

/// Makes a component part of snapshots. An entity that got it later loses it when a snapshot is restored, so that what
/// it stands for is built again.
pub(crate) fn save_component<T: Component + Clone>(app: &mut App) {
    parts_mut(app).columns.push(|world| Box::new(Column::<T>::of(world)));
}

/// Makes a component part of snapshots, and `T::put_back` of what restores them.
pub(crate) fn save_component_and_put_back<T: PutBack>(app: &mut App) {
    parts_mut(app).columns.push(|world| Box::new(Column::<T> { put_back: T::put_back, ..Column::of(world) }));
}

/// Makes a component that other components require part of snapshots. An entity that got it later has its default after
/// a snapshot is restored.
pub(crate) fn save_required_component<T: Component + Clone + Default>(app: &mut App) {
    parts_mut(app).columns.push(|world| {
        let reset = |entity: &mut EntityWorldMut<'_>| {
            entity.insert(T::default());
        };
        Box::new(Column::<T> { reset, ..Column::of(world) })
    });
}

/// Calls a function after every restored snapshot.
pub(crate) fn after_restore(app: &mut App, finish: fn(&mut World)) {
    parts_mut(app).after.push(finish);
}

/// Makes the components that hold handles part of snapshots.
pub(crate) fn build(app: &mut App) {
    save_component::<BodyId>(app);
    save_component::<ColliderId>(app);
    save_component::<SensorId>(app);
    save_component::<ObjectId>(app);
    save_component::<BatchId>(app);
}
