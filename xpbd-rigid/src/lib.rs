//! Rigid bodies for [`xpbd_core`]: joints between bodies, and shape-matched clusters of particles.

pub mod cluster;

pub use cluster::{Cluster, ClusterBatch, ClusterError, Plasticity, Skin};

use xpbd_core::constraint::{ConstraintError, Registry};

/// Makes every constraint of this crate known to a registry, which reads them from snapshots.
///
/// # Errors
/// A name is taken by another type.
pub fn register(registry: &mut Registry) -> Result<(), ConstraintError> {
    cluster::register(registry)
}

/// What one needs to fill a world with rigid bodies.
pub mod prelude {
    pub use crate::{Cluster, Plasticity};
    pub use xpbd_core::prelude::*;
}
