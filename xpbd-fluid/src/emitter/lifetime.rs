//! Who has come, in the order of their births.

use serde::{Deserialize, Serialize};
use xpbd_core::world::{World, WorldError};

use super::{EmissionReport, Emitter, WhenFull};
use crate::flow::SpawnError;

/// A particle that has come; another may have its number by now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct LiveParticle {
    particle: u32,
    generation: u32,
    /// When it left the opening \[s\].
    birth_time: f64,
}

impl Emitter {
    fn is_alive(&self, world: &World, alive: &LiveParticle) -> bool {
        let particle = alive.particle as usize;
        let is =
            || Ok::<_, WorldError>((world.is_active(self.object, particle)?, world.generation(self.object, particle)?));
        is().is_ok_and(|(present, life)| present && life == alive.generation)
    }

    /// Lets those go whose time has come.
    pub(super) fn expire(&mut self, world: &mut World, emission: &mut EmissionReport) -> Result<(), SpawnError> {
        let Some(lifetime) = self.lifetime else { return Ok(()) };
        let mut gone = Vec::new();
        while let Some(&first) =
            self.live_particles.front().filter(|first| first.birth_time + f64::from(lifetime) <= self.time)
        {
            self.live_particles.pop_front();
            if self.is_alive(world, &first) {
                gone.push(first.particle);
            }
        }
        world.deactivate(self.object, &gone)?;
        self.deactivated += gone.len() as u64;
        emission.expired = gone;
        Ok(())
    }

    /// Lets the oldest go, as many as are wanted or there are.
    pub(super) fn recycle(
        &mut self,
        world: &mut World,
        count: usize,
        emission: &mut EmissionReport,
    ) -> Result<(), SpawnError> {
        let mut gone = Vec::new();
        while gone.len() < count {
            let Some(first) = self.live_particles.pop_front() else { break };
            if self.is_alive(world, &first) {
                gone.push(first.particle);
            }
        }
        world.deactivate(self.object, &gone)?;
        self.deactivated += gone.len() as u64;
        emission.recycled = gone;
        Ok(())
    }

    /// Takes note of those that have come.
    pub(super) fn track(&mut self, world: &World, particles: &[u32], births: &[f64]) -> Result<(), SpawnError> {
        if self.lifetime.is_none() && self.when_full == WhenFull::Wait {
            return Ok(());
        }
        for (&particle, &birth) in particles.iter().zip(births) {
            let life = world.generation(self.object, particle as usize)?;
            self.live_particles.push_back(LiveParticle { particle, generation: life, birth_time: birth });
        }
        // Others may have made them go.
        if self.live_particles.len() > 2 * world.positions(self.object)?.len() {
            let mut alive = std::mem::take(&mut self.live_particles);
            alive.retain(|alive| self.is_alive(world, alive));
            self.live_particles = alive;
        }
        Ok(())
    }
}
