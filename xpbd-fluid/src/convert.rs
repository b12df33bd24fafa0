//! Conversions: particles that change from one object to another, as ice that melts and water that freezes.
//!
//! A particle that changes is deactivated in one object, and one of the other object is activated at the same position
//! with the same velocity: with equal masses, mass and momentum are kept. A solid is an object whose batches leave out
//! inactive particles, as clusters do; as it melts, the rest of it is matched to the rest of its shape.

pub mod phase_change;
pub mod slots;

pub use phase_change::{PhaseChange, PhaseChangeReport, TemperatureRegion};
pub use slots::SlotSelection;

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::world::{ObjectHandle, ParticleSpawn, World, WorldError};

use crate::error::SpawnError;

/// The relative difference up to which two masses count as equal \[1\].
const MASS_TOLERANCE: f32 = 1e-5;

/// A conversion of particles from one object to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversion {
    from: ObjectHandle,
    to: ObjectHandle,
}

/// A particle that the rule of a conversion decides about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConversionCandidate {
    /// Its number in its object.
    pub index: u32,
    /// Position \[m\].
    pub position: Vec3,
    /// Velocity \[m/s\].
    pub velocity: Vec3,
}

/// The particles that a conversion changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversionReport {
    /// Their numbers in the object that they left, ascending.
    pub from: Vec<u32>,
    /// Their numbers in the object that they joined.
    pub to: Vec<u32>,
    /// Number of particles that stayed because there was no capacity.
    pub rejected: usize,
}

impl Conversion {
    /// Returns a conversion from one object to another.
    ///
    /// # Errors
    /// An object has been removed, both are the same, or the masses of their particles differ by more than a part of
    /// 1e-5.
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

    /// Returns the object that particles join.
    pub fn to(&self) -> ObjectHandle {
        self.to
    }

    /// Returns the conversion in the opposite direction.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { from: self.to, to: self.from }
    }

    /// Changes the active particles for which the rule holds; it is called for each in order. Particles that find no
    /// capacity stay. Nothing changes if one of the objects is frozen. A world on a device is synchronized first.
    ///
    /// # Errors
    /// An object has been removed, the goals are not one for each particle or not finite, or the device is lost.
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
                Some((slot, position)) => {
                    converted.from.push(index);
                    converted.to.push(slot);
                    spawns.push(ParticleSpawn { position, velocity });
                }
                None => converted.rejected += 1,
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
