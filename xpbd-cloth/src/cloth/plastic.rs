//! What of a sheet stays bent or stretched.

use serde::{Deserialize, Serialize};

use super::Cloth;
use crate::parameter::{self, NumberError};

/// When something yields, how fast, and how far. Of folds these are angles \[rad\], of edges and soft bodies strains
/// \[1\].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Yielding {
    /// What is borne elastically, at least 0. Of folds usually 0.02 (foil) to 0.5; it is the angle at each
    /// edge, so that a finer mesh yields at a larger curvature.
    pub threshold: f32,
    /// The part of what is beyond the threshold that becomes permanent in a second \[1/s\], above 0; usually 1
    /// (clay) to 60 (metal: at once).
    pub creep: f32,
    /// How far the rest shape changes at most, above 0; of edges below 1.
    pub limit: f32,
}

impl Yielding {
    pub(crate) fn check(self) -> Result<(), NumberError> {
        parameter::not_negative("yield threshold", self.threshold)?;
        parameter::positive("creep", self.creep)?;
        parameter::positive("yield limit", self.limit)
    }

    /// Returns the parameters of [`PlasticDihedral`](crate::constraint::PlasticDihedral) for a fold with this rest
    /// angle \[rad\].
    pub fn of_fold(self, angle: f32) -> [f32; 5] {
        let Self { threshold, creep, limit } = self;
        [angle, threshold, creep, angle - limit, angle + limit]
    }

    /// Returns the parameters of [`PlasticDistance`](crate::constraint::PlasticDistance) for an edge of this length
    /// \[m\].
    pub fn of_edge(self, length: f32) -> [f32; 5] {
        let Self { threshold, creep, limit } = self;
        [length, threshold, creep, length * (1.0 - limit), length * (1.0 + limit)]
    }
}

impl Cloth {
    /// Lets folds stay: bending is that of [`PlasticDihedral`](crate::constraint::PlasticDihedral) with the stiffness that was asked for.
    #[must_use]
    pub fn bending_plasticity(mut self, yielding: Yielding) -> Self {
        self.plastic.bending = Some(yielding);
        self
    }

    /// Lets edges stay longer or shorter: they are [`PlasticDistance`](crate::constraint::PlasticDistance) with the stiffness that was asked for.
    #[must_use]
    pub fn stretch_plasticity(mut self, yielding: Yielding) -> Self {
        self.plastic.stretch = Some(yielding);
        self
    }
}

/// What yields.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Plastic {
    pub bending: Option<Yielding>,
    pub stretch: Option<Yielding>,
}

impl Plastic {
    pub fn check(self) -> Result<(), NumberError> {
        self.bending.iter().chain(&self.stretch).try_for_each(|yielding| yielding.check())?;
        match self.stretch {
            Some(Yielding { limit, .. }) if limit >= 1.0 => {
                Err(NumberError { what: "yield limit of edges", value: limit, must: "below 1" })
            }
            _ => Ok(()),
        }
    }
}
