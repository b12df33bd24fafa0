//! The law by which a rest shape follows what deforms it too much.

use serde::{Deserialize, Serialize};

use crate::number::NumberError;

/// A law of plastic flow: the strain beyond `yield_strain` becomes permanent at the rate `creep`, up to `limit`.
///
/// The strain of an edge, a soft body or a cluster is a number without a unit; that of a fold is its angle \[rad\].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct Plasticity {
    /// Strain \[1\] (of folds: angle \[rad\]) up to which the material is elastic, at least 0. Usually 0.01 to 0.2; of
    /// folds 0.02 (foil) to 0.5, at each edge, so that a finer mesh yields at a larger curvature.
    pub yield_strain: f32,
    /// Creep \[1/s\], positive: the part of the strain beyond `yield_strain` that becomes permanent in a second.
    /// Usually 1 (clay) to 60 (metal: at once).
    pub creep: f32,
    /// Largest plastic strain \[1\] (of folds: angle \[rad\]), positive. For edges and clusters it is below 1, so that the
    /// rest shape never folds; usually 0.3 to 0.7.
    pub limit: f32,
}

impl Plasticity {
    /// Checks the three numbers.
    ///
    /// # Errors
    /// The first number that is out of range.
    pub fn check(self) -> Result<(), NumberError> {
        NumberError::check_not_negative("yield strain", self.yield_strain)?;
        NumberError::check_positive("creep", self.creep)?;
        NumberError::check_positive("limit of the plastic strain", self.limit)
    }
}
