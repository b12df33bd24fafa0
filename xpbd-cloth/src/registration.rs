//! Registration of the constraints and batches of this crate.

use xpbd_core::batch::Registry;
use xpbd_core::constraint::ConstraintError;

use crate::{constraint, inflation, mass_scaling, multilevel};

/// Registers every constraint of this crate, so that snapshots that contain them can be read.
///
/// # Errors
/// A name is taken by another type.
pub fn register(registry: &mut Registry) -> Result<(), ConstraintError> {
    constraint::register(registry)?;
    inflation::register(registry)?;
    mass_scaling::register(registry)?;
    multilevel::register(registry)
}
