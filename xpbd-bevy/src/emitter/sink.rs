//! Sinks: parts of space in which particles go.

use bevy::ecs::entity::MapEntities;
use bevy::ecs::reflect::ReflectMapEntities;
use bevy::prelude::*;
use xpbd_core::world::{ObjectHandle, World as Core};
use xpbd_fluid::{Region, SpawnError};

use crate::object::ObjectId;
use crate::object::fluid::Fluid;
use crate::physics::Physics;
use crate::report::EntityErrors;
use crate::time::StepLength;

/// Lets the particles of fluids go that are in a region: a drain, or all that has left the scene
/// ([`Region::inverted`]). They become room for [emitters](super::Emitter).
#[derive(Component, MapEntities, Debug, Clone, PartialEq, Reflect)]
#[component(map_entities)]
#[reflect(Component, Debug, PartialEq, MapEntities)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform, SinkCount)]
pub struct Sink {
    /// The region in the frame of the entity in which particles are removed.
    pub region: Region,
    /// The fluids whose particles go; empty for those of all.
    #[entities]
    pub fluids: Vec<Entity>,
}

impl Sink {
    /// Creates a sink for all fluids, in a region of the frame of its entity.
    pub fn new(region: Region) -> Self {
        Self { region, fluids: Vec::new() }
    }

    /// Restricts the sink to these fluids alone.
    #[must_use]
    pub fn of(mut self, fluids: impl IntoIterator<Item = Entity>) -> Self {
        self.fluids.extend(fluids);
        self
    }

    /// Lets particles of an object go for which the way `into` its frame leads into the region.
    fn step(&self, world: &mut Core, object: ObjectHandle, into: &bevy::math::Affine3A) -> Result<usize, SpawnError> {
        world.synchronize()?;
        let positions = world.packed_positions(object)?;
        let inside = |&k: &u32| {
            positions.get(k as usize).is_some_and(|x| self.region.contains(into.transform_point3(x.truncate())))
        };
        let gone: Vec<u32> = world.active_particles(object)?.filter(inside).collect();
        world.deactivate(object, &gone)?;
        Ok(gone.len())
    }
}

/// The number of particles that a sink has removed.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct SinkCount(pub u64);

pub(super) fn drain(
    mut physics: ResMut<Physics>,
    length: Res<StepLength>,
    mut sinks: Query<(Entity, &Sink, &mut SinkCount)>,
    fluids: Query<(Entity, &ObjectId), With<Fluid>>,
    transforms: TransformHelper,
    mut problems: EntityErrors,
) {
    if length.get().is_none() || sinks.is_empty() {
        return;
    }
    for (entity, sink, mut drained) in sinks.iter_mut().sort::<Entity>() {
        if let Err(problem) = sink.region.check() {
            problems.report(entity, "sink", problem);
            continue;
        }
        let into = transforms.compute_global_transform(entity).unwrap_or_default().affine().inverse();
        if !into.is_finite() {
            problems.report(entity, "sink", "its transform cannot be inverted");
            continue;
        }
        let chosen = |fluid: &Entity| sink.fluids.is_empty() || sink.fluids.contains(fluid);
        for (_, object) in fluids.iter().sort::<Entity>().filter(|(fluid, _)| chosen(fluid)) {
            match sink.step(physics.world_mut(), object.handle(), &into) {
                Ok(0) => {}
                Ok(gone) => drained.0 += gone as u64,
                Err(problem) => problems.report(entity, "sink", problem),
            }
        }
    }
}
