//! Particles that come and go within the fixed number that an object has.
//!
//! An object keeps its numbers: a particle that goes stays where it was, **absent**, until it comes again
//! somewhere else. An absent particle does not move and takes part in nothing: no contact, no event, no sum.
//! Constraints that name it see a particle that is pinned; those written by hand may leave it out
//! ([`Nodes::is_active`](crate::batch::Nodes::is_active)). Neither coming nor going makes a new plan.

use std::collections::BTreeSet;

use glam::Vec3;

use super::World;
use super::error::WorldError;
use super::state::State;
use crate::handle::ObjectHandle;

/// A particle that is to come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParticleSpawn {
    /// Position \[m\].
    pub position: Vec3,
    /// Velocity \[m/s\].
    pub velocity: Vec3,
}

/// The result of spawning particles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpawnReport {
    /// The numbers of those that found room, in the order in which they were given.
    pub particles: Vec<u32>,
    /// Number of spawns without a free particle, the last of those given.
    pub rejected: usize,
}

impl World {
    /// Lets particles appear in an object, in its absent ones of lowest number. Those for which there is no
    /// room are left out and counted. In an object that is frozen they appear at rest.
    ///
    /// # Errors
    /// A stale handle, or the first that is not finite, by its place in `spawns`; none has come then.
    pub fn spawn(&mut self, object: ObjectHandle, spawns: &[ParticleSpawn]) -> Result<SpawnReport, WorldError> {
        self.state.check_spawns(object, spawns)?;
        let absent = self.state.filter_by_activity(object, false)?;
        let particles: Vec<u32> = absent.take(spawns.len()).collect();
        self.state.activate(object, &particles, spawns)?;
        Ok(SpawnReport { rejected: spawns.len() - particles.len(), particles })
    }

    /// Lets particles of these numbers appear, each as the spawn of the same place in the list says.
    ///
    /// # Errors
    /// A stale handle, lists of different length, a particle that does not exist, is present already or is
    /// named twice, or a spawn that is not finite; none has come then.
    pub fn spawn_at(
        &mut self,
        object: ObjectHandle,
        particles: &[u32],
        spawns: &[ParticleSpawn],
    ) -> Result<(), WorldError> {
        if particles.len() != spawns.len() {
            let name = self.state.object(object)?.name.clone();
            return Err(WorldError::LengthMismatch {
                object: name,
                what: "spawns",
                found: spawns.len(),
                count: particles.len(),
            });
        }
        self.state.check_spawns(object, spawns)?;
        self.state.check_activity(object, particles, false)?;
        self.state.activate(object, particles, spawns)
    }

    /// Makes particles absent where they are. What was pinned is no longer, and makes a new plan necessary.
    ///
    /// # Errors
    /// A stale handle, or a particle that does not exist, is absent already or is named twice; none has gone
    /// then.
    pub fn deactivate(&mut self, object: ObjectHandle, particles: &[u32]) -> Result<(), WorldError> {
        self.state.check_activity(object, particles, true)?;
        if particles.is_empty() {
            return Ok(());
        }
        self.state.prepare_particle_edit();
        self.state.renew_direct_systems(object);
        self.state.wake_with_attached(object);
        let State { objects, particles: all, contacts, plan_is_stale, .. } = &mut *self.state;
        let object = objects.get_mut(object).ok_or(WorldError::StaleHandle("object"))?;
        for &particle in particles {
            let i = object.range.start + particle as usize;
            *plan_is_stale |= !all.was_movable[i];
            all.deactivate(i);
            contacts.surfaces.forget_particle(i);
            object.pin_targets.retain(|&(other, _)| other != particle);
        }
        if !object.supports.is_empty() {
            let absent: BTreeSet<u32> = particles.iter().copied().collect();
            let before = object.supports.len();
            object.supports.retain(|support| !absent.contains(&support.pin));
            *plan_is_stale |= object.supports.len() != before;
        }
        Ok(())
    }

    /// Returns the numbers of the particles of an object that are present, ascending.
    ///
    /// # Errors
    /// A stale handle.
    pub fn active_particles(&self, object: ObjectHandle) -> Result<impl Iterator<Item = u32> + '_, WorldError> {
        self.state.filter_by_activity(object, true)
    }

    /// Returns how many particles of an object are present.
    ///
    /// # Errors
    /// A stale handle.
    pub fn active_count(&self, object: ObjectHandle) -> Result<usize, WorldError> {
        Ok(self.active_particles(object)?.count())
    }

    /// Returns whether a particle is present.
    ///
    /// # Errors
    /// A stale handle, or no such particle.
    pub fn is_active(&self, object: ObjectHandle, particle: usize) -> Result<bool, WorldError> {
        Ok(!self.state.particles.inactive[self.state.particle_index(object, particle)?])
    }

    /// Returns how often a particle has appeared: a number that stays the same has another life after it has gone and
    /// come again.
    ///
    /// # Errors
    /// A stale handle, or no such particle.
    pub fn generation(&self, object: ObjectHandle, particle: usize) -> Result<u32, WorldError> {
        Ok(self.state.particles.generations[self.state.particle_index(object, particle)?])
    }
}

impl State {
    /// Returns the particles of an object that are present, or those that are not.
    fn filter_by_activity(
        &self,
        object: ObjectHandle,
        present: bool,
    ) -> Result<impl Iterator<Item = u32> + '_, WorldError> {
        let range = self.object(object)?.range.clone();
        let marks = self.particles.inactive[range].iter().zip(0..);
        Ok(marks.filter(move |&(&absent, _)| absent != present).map(|(_, particle)| particle))
    }

    fn check_spawns(&self, object: ObjectHandle, spawns: &[ParticleSpawn]) -> Result<(), WorldError> {
        self.object(object)?;
        for (index, spawn) in spawns.iter().enumerate() {
            self.check_finite(object, "the position", index, spawn.position)?;
            self.check_finite(object, "the velocity", index, spawn.velocity)?;
        }
        Ok(())
    }

    fn check_activity(&self, object: ObjectHandle, particles: &[u32], present: bool) -> Result<(), WorldError> {
        let refuse = |index, must| {
            let object = self.object(object)?.name.clone();
            Err(WorldError::ParticleActivity { object, index, must })
        };
        let mut named = vec![false; self.object(object)?.range.len()];
        for &particle in particles {
            let index = particle as usize;
            let i = self.particle_index(object, index)?;
            if self.particles.inactive[i] == present {
                return refuse(index, if present { "present" } else { "absent" });
            }
            if std::mem::replace(&mut named[index], true) {
                return refuse(index, "named once");
            }
        }
        Ok(())
    }

    /// Lets checked particles appear.
    fn activate(
        &mut self,
        object: ObjectHandle,
        particles: &[u32],
        spawns: &[ParticleSpawn],
    ) -> Result<(), WorldError> {
        if particles.is_empty() {
            return Ok(());
        }
        self.prepare_particle_edit();
        self.renew_direct_systems(object);
        self.wake_with_attached(object);
        let object = self.object(object)?;
        let (start, frozen) = (object.range.start, object.frozen);
        for (&particle, spawn) in particles.iter().zip(spawns) {
            let i = start + particle as usize;
            let velocity = if frozen { Vec3::ZERO } else { spawn.velocity };
            self.particles.activate(i, spawn.position, velocity);
            self.contacts.surfaces.forget_particle(i);
            if frozen {
                self.particles.anchor[i].w = 0.0;
            }
        }
        Ok(())
    }

    /// Wakes an object, and the bodies that constraints tie to it.
    pub(super) fn wake_with_attached(&mut self, object: ObjectHandle) {
        self.wake_object(object);
        let tied =
            |(_, batch): &(_, &super::state::BatchState)| !batch.bodies.is_empty() && batch.objects.contains(&object);
        let batches: Vec<_> = self.batches.iter().filter(tied).map(|(handle, _)| handle).collect();
        batches.into_iter().for_each(|batch| self.wake_batch(batch));
    }
}
