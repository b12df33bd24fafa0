//! Who has come, in the order of their births.

use serde::{Deserialize, Serialize};
use xpbd_core::world::{World, WorldError};

use super::{Emission, Emitter, WhenFull};
use crate::flow::FlowError;

/// A particle that has come; another may have its number by now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Alive {
    particle: u32,
    life: u32,
    /// When it left the opening \[s\].
    birth: f64,
}

impl Emitter {
    fn is_there(&self, world: &World, alive: &Alive) -> bool {
        let particle = alive.particle as usize;
        let is = || Ok::<_, WorldError>((world.is_present(self.object, particle)?, world.life(self.object, particle)?));
        is().is_ok_and(|(present, life)| present && life == alive.life)
    }

    /// Lets those go whose time has come.
    pub(super) fn expire(&mut self, world: &mut World, emission: &mut Emission) -> Result<(), FlowError> {
        let Some(lifetime) = self.lifetime else { return Ok(()) };
        let mut gone = Vec::new();
        while let Some(&first) = self.alive.front().filter(|first| first.birth + f64::from(lifetime) <= self.now) {
            self.alive.pop_front();
            if self.is_there(world, &first) {
                gone.push(first.particle);
            }
        }
        world.retire(self.object, &gone)?;
        self.retired += gone.len() as u64;
        emission.expired = gone;
        Ok(())
    }

    /// Lets the oldest go, as many as are wanted or there are.
    pub(super) fn recycle(
        &mut self,
        world: &mut World,
        count: usize,
        emission: &mut Emission,
    ) -> Result<(), FlowError> {
        let mut gone = Vec::new();
        while gone.len() < count {
            let Some(first) = self.alive.pop_front() else { break };
            if self.is_there(world, &first) {
                gone.push(first.particle);
            }
        }
        world.retire(self.object, &gone)?;
        self.retired += gone.len() as u64;
        emission.recycled = gone;
        Ok(())
    }

    /// Takes note of those that have come.
    pub(super) fn remember(&mut self, world: &World, particles: &[u32], births: &[f64]) -> Result<(), FlowError> {
        if self.lifetime.is_none() && self.when_full == WhenFull::Wait {
            return Ok(());
        }
        for (&particle, &birth) in particles.iter().zip(births) {
            let life = world.life(self.object, particle as usize)?;
            self.alive.push_back(Alive { particle, life, birth });
        }
        // Others may have made them go.
        if self.alive.len() > 2 * world.positions(self.object)?.len() {
            let mut alive = std::mem::take(&mut self.alive);
            alive.retain(|alive| self.is_there(world, alive));
            self.alive = alive;
        }
        Ok(())
    }
}
