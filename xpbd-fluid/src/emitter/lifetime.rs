//! The particles of an emitter, in the order in which they left it.

use serde::{Deserialize, Serialize};
use xpbd_core::world::{World, WorldError};

use super::{EmissionReport, Emitter, WhenFull};
use crate::error::SpawnError;

/// A particle that left an emitter; another one may have its number by now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct LiveParticle {
    /// Its number in the object.
    particle: u32,
    /// The generation of that number.
    generation: u32,
    /// The time at which it left the opening \[s\].
    birth_time: f64,
}

impl Emitter {
    /// Returns whether a particle is still active.
    fn is_alive(&self, world: &World, tracked: &LiveParticle) -> bool {
        let particle = tracked.particle as usize;
        let state =
            || Ok::<_, WorldError>((world.is_active(self.object, particle)?, world.generation(self.object, particle)?));
        state().is_ok_and(|(active, generation)| active && generation == tracked.generation)
    }

    /// Deactivates the particles whose lifetime has ended.
    pub(super) fn expire(&mut self, world: &mut World, report: &mut EmissionReport) -> Result<(), SpawnError> {
        let Some(lifetime) = self.lifetime else { return Ok(()) };
        let mut expired = Vec::new();
        while let Some(&first) =
            self.live_particles.front().filter(|first| first.birth_time + f64::from(lifetime) <= self.time)
        {
            self.live_particles.pop_front();
            if self.is_alive(world, &first) {
                expired.push(first.particle);
            }
        }
        world.deactivate(self.object, &expired)?;
        self.deactivated += expired.len() as u64;
        report.expired = expired;
        Ok(())
    }

    /// Deactivates the oldest particles, at most `count`.
    pub(super) fn recycle(
        &mut self,
        world: &mut World,
        count: usize,
        report: &mut EmissionReport,
    ) -> Result<(), SpawnError> {
        let mut recycled = Vec::new();
        while recycled.len() < count {
            let Some(first) = self.live_particles.pop_front() else { break };
            if self.is_alive(world, &first) {
                recycled.push(first.particle);
            }
        }
        world.deactivate(self.object, &recycled)?;
        self.deactivated += recycled.len() as u64;
        report.recycled = recycled;
        Ok(())
    }

    /// Appends particles that have left, where their lifetime or order matters.
    pub(super) fn track(&mut self, world: &World, particles: &[u32], birth_times: &[f64]) -> Result<(), SpawnError> {
        if self.lifetime.is_none() && self.when_full == WhenFull::Wait {
            return Ok(());
        }
        for (&particle, &birth_time) in particles.iter().zip(birth_times) {
            let generation = world.generation(self.object, particle as usize)?;
            self.live_particles.push_back(LiveParticle { particle, generation, birth_time });
        }
        // Particles may have been deactivated elsewhere.
        if self.live_particles.len() > 2 * world.positions(self.object)?.len() {
            let mut alive = std::mem::take(&mut self.live_particles);
            alive.retain(|alive| self.is_alive(world, alive));
            self.live_particles = alive;
        }
        Ok(())
    }
}
