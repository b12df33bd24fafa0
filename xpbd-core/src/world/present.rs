//! Particles that come and go within the fixed number that an object has.
//!
//! An object keeps its numbers: a particle that goes stays where it was, **absent**, until it comes again
//! somewhere else. An absent particle does not move and takes part in nothing: no contact, no event, no sum.
//! Constraints that name it see a particle that is pinned; those written by hand may leave it out
//! ([`Nodes::is_present`](crate::batch::Nodes::is_present)). Neither coming nor going makes a new plan.

use glam::Vec3;

use super::World;
use super::error::WorldError;
use super::ordered::ObjectHandle;
use super::state::State;

/// A particle that is to come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spawn {
    /// Where \[m\].
    pub position: Vec3,
    /// How fast \[m/s\].
    pub velocity: Vec3,
}

/// What became of particles that were to come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spawned {
    /// The numbers of those that found room, in the order in which they were given.
    pub particles: Vec<u32>,
    /// How many found none, the last of those given.
    pub missing: usize,
}

impl World {
    /// Lets particles appear in an object, in its absent ones of lowest number. Those for which there is no
    /// room are left out and counted. In an object that is frozen they appear at rest.
    ///
    /// # Errors
    /// A stale handle, or the first that is not finite, by its place in `spawns`; none has come then.
    pub fn spawn(&mut self, object: ObjectHandle, spawns: &[Spawn]) -> Result<Spawned, WorldError> {
        self.state.check_spawns(object, spawns)?;
        let absent = self.state.presence(object, false)?;
        let particles: Vec<u32> = absent.take(spawns.len()).collect();
        self.state.appear(object, &particles, spawns)?;
        Ok(Spawned { missing: spawns.len() - particles.len(), particles })
    }

    /// Lets particles of these numbers appear, each as the spawn of the same place in the list says.
    ///
    /// # Errors
    /// A stale handle, lists of different length, a particle that does not exist, is present already or is
    /// named twice, or a spawn that is not finite; none has come then.
    pub fn spawn_at(&mut self, object: ObjectHandle, particles: &[u32], spawns: &[Spawn]) -> Result<(), WorldError> {
        if particles.len() != spawns.len() {
            let name = self.state.object(object)?.name.clone();
            return Err(WorldError::Length {
                object: name,
                what: "spawns",
                found: spawns.len(),
                count: particles.len(),
            });
        }
        self.state.check_spawns(object, spawns)?;
        self.state.check_presence(object, particles, false)?;
        self.state.appear(object, particles, spawns)
    }

    /// Makes particles absent where they are. What was pinned is no longer, and makes a new plan necessary.
    ///
    /// # Errors
    /// A stale handle, or a particle that does not exist, is absent already or is named twice; none has gone
    /// then.
    pub fn retire(&mut self, object: ObjectHandle, particles: &[u32]) -> Result<(), WorldError> {
        self.state.check_presence(object, particles, true)?;
        if particles.is_empty() {
            return Ok(());
        }
        self.state.edit_particles();
        self.state.wake_tied(object);
        let State { objects, particles: all, plan_is_stale, .. } = &mut self.state;
        let object = objects.get_mut(object).ok_or(WorldError::Stale("object"))?;
        for &particle in particles {
            let i = object.range.start + particle as usize;
            *plan_is_stale |= all.pinned[i];
            all.vanish(i);
            object.targets.retain(|&(other, _)| other != particle);
        }
        Ok(())
    }

    /// The numbers of the particles of an object that are present, ascending.
    ///
    /// # Errors
    /// A stale handle.
    pub fn present(&self, object: ObjectHandle) -> Result<impl Iterator<Item = u32> + '_, WorldError> {
        self.state.presence(object, true)
    }

    /// How many particles of an object are present.
    ///
    /// # Errors
    /// A stale handle.
    pub fn present_count(&self, object: ObjectHandle) -> Result<usize, WorldError> {
        Ok(self.present(object)?.count())
    }

    /// Whether a particle is present.
    ///
    /// # Errors
    /// A stale handle, or no such particle.
    pub fn is_present(&self, object: ObjectHandle, particle: usize) -> Result<bool, WorldError> {
        Ok(!self.state.particles.absent[self.state.particle(object, particle)?])
    }

    /// How often a particle has appeared: a number that stays the same has another life after it has gone and
    /// come again.
    ///
    /// # Errors
    /// A stale handle, or no such particle.
    pub fn life(&self, object: ObjectHandle, particle: usize) -> Result<u32, WorldError> {
        Ok(self.state.particles.lives[self.state.particle(object, particle)?])
    }
}

impl State {
    /// The particles of an object that are present, or those that are not.
    fn presence(&self, object: ObjectHandle, present: bool) -> Result<impl Iterator<Item = u32> + '_, WorldError> {
        let range = self.object(object)?.range.clone();
        let marks = self.particles.absent[range].iter().zip(0..);
        Ok(marks.filter(move |&(&absent, _)| absent != present).map(|(_, particle)| particle))
    }

    fn check_spawns(&self, object: ObjectHandle, spawns: &[Spawn]) -> Result<(), WorldError> {
        self.object(object)?;
        for (index, spawn) in spawns.iter().enumerate() {
            self.finite(object, "the position", index, spawn.position)?;
            self.finite(object, "the velocity", index, spawn.velocity)?;
        }
        Ok(())
    }

    fn check_presence(&self, object: ObjectHandle, particles: &[u32], present: bool) -> Result<(), WorldError> {
        let refuse = |index, must| {
            let object = self.object(object)?.name.clone();
            Err(WorldError::Presence { object, index, must })
        };
        let mut named = vec![false; self.object(object)?.range.len()];
        for &particle in particles {
            let index = particle as usize;
            let i = self.particle(object, index)?;
            if self.particles.absent[i] == present {
                return refuse(index, if present { "present" } else { "absent" });
            }
            if std::mem::replace(&mut named[index], true) {
                return refuse(index, "named once");
            }
        }
        Ok(())
    }

    /// Lets checked particles appear.
    fn appear(&mut self, object: ObjectHandle, particles: &[u32], spawns: &[Spawn]) -> Result<(), WorldError> {
        if particles.is_empty() {
            return Ok(());
        }
        self.edit_particles();
        self.wake_tied(object);
        let object = self.object(object)?;
        let (start, frozen) = (object.range.start, object.frozen);
        for (&particle, spawn) in particles.iter().zip(spawns) {
            let i = start + particle as usize;
            let velocity = if frozen { Vec3::ZERO } else { spawn.velocity };
            self.particles.appear(i, spawn.position, velocity);
            if frozen {
                self.particles.anchor[i].w = 0.0;
            }
        }
        Ok(())
    }

    /// Wakes the bodies that constraints tie to an object.
    pub(super) fn wake_tied(&mut self, object: ObjectHandle) {
        let tied =
            |(_, batch): &(_, &super::state::BatchState)| !batch.bodies.is_empty() && batch.objects.contains(&object);
        let batches: Vec<_> = self.batches.iter().filter(tied).map(|(handle, _)| handle).collect();
        batches.into_iter().for_each(|batch| self.wake_batch(batch));
    }
}
