//! Sinks: parts of space in which particles go.

use serde::{Deserialize, Serialize};
use xpbd_core::world::{ObjectHandle, World};

use crate::flow::{Region, SpawnError};

/// Lets the particles of an object go that are in a region: a drain, or all that has left the scene
/// ([`Region::inverted`]).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sink {
    region: Region,
}

impl Sink {
    /// Creates a sink.
    ///
    /// # Errors
    /// A region that is none.
    pub fn new(region: Region) -> Result<Self, SpawnError> {
        region.check()?;
        Ok(Self { region })
    }

    /// Returns where particles go.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Lets those go that are inside now, and names them. A world on a device is synchronized first, so that
    /// what goes does not depend on how far the device has come.
    ///
    /// # Errors
    /// A stale handle, or a device that is lost.
    pub fn step(&self, world: &mut World, object: ObjectHandle) -> Result<Vec<u32>, SpawnError> {
        world.synchronize()?;
        let positions = world.packed_positions(object)?;
        let inside = |&k: &u32| positions.get(k as usize).is_some_and(|x| self.region.contains(x.truncate()));
        let gone: Vec<u32> = world.active_particles(object)?.filter(inside).collect();
        world.deactivate(object, &gone)?;
        Ok(gone)
    }
}
