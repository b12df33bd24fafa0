//! Rigid bodies for [`xpbd_core`]: joints between bodies, and shape-matched clusters of particles.

/// What one needs to fill a world with rigid bodies.
pub mod prelude {
    pub use xpbd_core::prelude::*;
}
