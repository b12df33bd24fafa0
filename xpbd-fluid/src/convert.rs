//! Conversions: particles that change from one object to another, as ice that melts and water that freezes.
//!
//! A particle that changes goes from the one object and comes at the same place with the same velocity in the
//! other: with equal masses, mass and momentum are kept. A solid is an object whose batches leave out what is
//! absent, as clusters do; as it melts, what is left is matched to what is left of its rest shape.

pub mod phase_change;
pub mod slots;

pub use phase_change::{PhaseChange, PhaseChangeReport, TemperatureRegion};
pub use slots::SlotSelection;

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::world::{ObjectHandle, ParticleSpawn, World, WorldError};

use crate::flow::SpawnError;

/// How far two masses may differ that are taken for equal \[1\].
const MASS_TOLERANCE: f32 = 1e-5;

/// Lets particles change from one object to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversion {
    from: ObjectHandle,
    to: ObjectHandle,
}

/// A particle that a rule decides about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConversionCandidate {
    /// Number in its object.
    pub index: u32,
    /// \[m\]
    pub position: Vec3,
    /// \[m/s\]
    pub velocity: Vec3,
}

/// Particles that have changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversionReport {
    /// Their numbers in the object that they have left, ascending.
    pub from: Vec<u32>,
    /// Their numbers in the object that they are part of now.
    pub to: Vec<u32>,
    /// How many stayed for want of room.
    pub missing: usize,
}

impl Conversion {
    /// From one object to another.
    ///
    /// # Errors
    /// A stale handle, one object twice, or particles of different mass: all of both must be equal to within a
    /// part of 1e-5.
    pub fn new(world: &World, from: ObjectHandle, to: ObjectHandle) -> Result<Self, SpawnError> {
        let [(source, first), (target, second)] = [masses(world, from)?, masses(world, to)?];
        if from == to {
            return Err(SpawnError::SameObject(source.into()));
        }
        let Some(&before) = first.first().or(second.first()) else { return Ok(Self { from, to }) };
        let other = |&&mass: &&f32| (mass - before).abs() > MASS_TOLERANCE * before;
        let refuse = |before, after| {
            let (from, to) = (source.into(), target.into());
            Err(SpawnError::Mass { from, before, to, after })
        };
        match (first.iter().find(other), second.iter().find(other)) {
            (Some(&unlike), _) => refuse(unlike, second.first().copied().unwrap_or(before)),
            (_, Some(&after)) => refuse(before, after),
            _ => Ok(Self { from, to }),
        }
    }

    /// Returns the object that particles leave.
    pub fn from(&self) -> ObjectHandle {
        self.from
    }

    /// Returns the object that they come to.
    pub fn to(&self) -> ObjectHandle {
        self.to
    }

    /// The way back.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { from: self.to, to: self.from }
    }

    /// Changes the particles for which the rule holds, asked for each that is present, in order. Those that
    /// find no room stay. Nothing changes between objects of which one is frozen. A world on a device is
    /// synchronized first.
    ///
    /// # Errors
    /// A stale handle, goals that are not one for each particle or not finite, or a device that is lost.
    pub fn step(
        &self,
        world: &mut World,
        slots: SlotSelection<'_>,
        mut rule: impl FnMut(&ConversionCandidate) -> bool,
    ) -> Result<ConversionReport, SpawnError> {
        world.synchronize()?;
        if world.is_frozen(self.from)? || world.is_frozen(self.to)? {
            return Ok(ConversionReport::default());
        }
        let mut free = slots.free_slots(world, self.to)?;
        let candidates = world.active_particles(self.from)?.map(|index| candidate(world, self.from, index));
        let (mut converted, mut spawns) = (ConversionReport::default(), Vec::new());
        for candidate in candidates.collect::<Result<Vec<_>, _>>()? {
            if !rule(&candidate) {
                continue;
            }
            let ConversionCandidate { index, position, velocity } = candidate;
            match free.take(position) {
                Some((slot, place)) => {
                    converted.from.push(index);
                    converted.to.push(slot);
                    spawns.push(ParticleSpawn { position: place, velocity });
                }
                None => converted.missing += 1,
            }
        }
        world.deactivate(self.from, &converted.from)?;
        world.spawn_at(self.to, &converted.to, &spawns)?;
        Ok(converted)
    }
}

fn candidate(world: &World, object: ObjectHandle, index: u32) -> Result<ConversionCandidate, WorldError> {
    let (position, velocity) = (world.position(object, index as usize)?, world.velocity(object, index as usize)?);
    Ok(ConversionCandidate { index, position, velocity })
}

/// Returns the name of an object, and the masses of its particles \[kg\].
fn masses(world: &World, object: ObjectHandle) -> Result<(&str, &[f32]), SpawnError> {
    let state = world.state();
    let found = state.objects.get(object).ok_or(WorldError::StaleHandle("object"))?;
    Ok((&found.name, state.particles.mass.get(found.range.clone()).unwrap_or_default()))
}
