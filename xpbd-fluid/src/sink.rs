//! Sinks: regions of space in which particles are deactivated.

use serde::{Deserialize, Serialize};
use xpbd_core::world::{ObjectHandle, World};

use crate::error::SpawnError;
use crate::region::Region;

/// A region in which the particles of an object are deactivated: a drain, or all that is outside of the scene
/// ([`Region::inverted`]).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sink {
    region: Region,
}

impl Sink {
    /// Returns a sink.
    ///
    /// # Errors
    /// A number of the region is not valid.
    pub fn new(region: Region) -> Result<Self, SpawnError> {
        region.check()?;
        Ok(Self { region })
    }

    /// Returns the region.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Deactivates the particles that are inside now, and returns them. A world on a device is synchronized first, so
    /// that the result does not depend on how far the device has come.
    ///
    /// # Errors
    /// The object has been removed, or the device is lost.
    pub fn step(&self, world: &mut World, object: ObjectHandle) -> Result<Vec<u32>, SpawnError> {
        world.synchronize()?;
        let positions = world.packed_positions(object)?;
        let inside = |&k: &u32| positions.get(k as usize).is_some_and(|x| self.region.contains(x.truncate()));
        let gone: Vec<u32> = world.active_particles(object)?.filter(inside).collect();
        world.deactivate(object, &gone)?;
        Ok(gone)
    }
}
