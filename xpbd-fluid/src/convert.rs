//! Conversions: particles that change from one object to another, as ice that melts and water that freezes.
//!
//! A particle that changes goes from the one object and comes at the same place with the same velocity in the
//! other: with equal masses, mass and momentum are kept. A solid is an object whose batches leave out what is
//! absent, as clusters do; as it melts, what is left is matched to what is left of its rest shape.

pub mod heat;
pub mod slots;

pub use heat::{Heat, Thawing, Zone};
pub use slots::Slots;

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::world::{ObjectHandle, Spawn, World, WorldError};

use crate::flow::FlowError;

/// How far two masses may differ that are taken for equal \[1\].
const SAME: f32 = 1e-5;

/// Lets particles change from one object to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversion {
    from: ObjectHandle,
    to: ObjectHandle,
}

/// A particle that a rule decides about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Number in its object.
    pub index: u32,
    /// \[m\]
    pub position: Vec3,
    /// \[m/s\]
    pub velocity: Vec3,
}

/// Particles that have changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Converted {
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
    pub fn new(world: &World, from: ObjectHandle, to: ObjectHandle) -> Result<Self, FlowError> {
        let [(source, first), (target, second)] = [masses(world, from)?, masses(world, to)?];
        if from == to {
            return Err(FlowError::SameObject(source.into()));
        }
        let Some(&before) = first.first().or(second.first()) else { return Ok(Self { from, to }) };
        let other = |&&mass: &&f32| (mass - before).abs() > SAME * before;
        let refuse = |before, after| {
            let (from, to) = (source.into(), target.into());
            Err(FlowError::Mass { from, before, to, after })
        };
        match (first.iter().find(other), second.iter().find(other)) {
            (Some(&unlike), _) => refuse(unlike, second.first().copied().unwrap_or(before)),
            (_, Some(&after)) => refuse(before, after),
            _ => Ok(Self { from, to }),
        }
    }

    /// The object that particles leave.
    pub fn from(&self) -> ObjectHandle {
        self.from
    }

    /// The object that they come to.
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
        slots: Slots<'_>,
        mut rule: impl FnMut(&Candidate) -> bool,
    ) -> Result<Converted, FlowError> {
        world.synchronize()?;
        if world.is_frozen(self.from)? || world.is_frozen(self.to)? {
            return Ok(Converted::default());
        }
        let mut free = slots.free(world, self.to)?;
        let candidates = world.present(self.from)?.map(|index| candidate(world, self.from, index));
        let (mut converted, mut spawns) = (Converted::default(), Vec::new());
        for candidate in candidates.collect::<Result<Vec<_>, _>>()? {
            if !rule(&candidate) {
                continue;
            }
            let Candidate { index, position, velocity } = candidate;
            match free.take(position) {
                Some((slot, place)) => {
                    converted.from.push(index);
                    converted.to.push(slot);
                    spawns.push(Spawn { position: place, velocity });
                }
                None => converted.missing += 1,
            }
        }
        world.retire(self.from, &converted.from)?;
        world.spawn_at(self.to, &converted.to, &spawns)?;
        Ok(converted)
    }
}

fn candidate(world: &World, object: ObjectHandle, index: u32) -> Result<Candidate, WorldError> {
    let (position, velocity) = (world.position(object, index as usize)?, world.velocity(object, index as usize)?);
    Ok(Candidate { index, position, velocity })
}

/// The name of an object, and the masses of its particles \[kg\].
fn masses(world: &World, object: ObjectHandle) -> Result<(&str, &[f32]), FlowError> {
    let state = world.state();
    let found = state.objects.get(object).ok_or(WorldError::Stale("object"))?;
    Ok((&found.name, state.particles.mass.get(found.range.clone()).unwrap_or_default()))
}
