//! Which approaches rebound, and how far particles rebound in a substep.

use crate::settings::Settings;

/// The slowest approach that rebounds, as a multiple of what gravity adds in a substep (\[Rigid20\] §3.6): what rests
/// approaches at no more than once that speed.
const RESTITUTION_THRESHOLD_FACTOR: f32 = 2.0;

/// Returns the slowest approach that rebounds in substeps of `h` \[s\] \[m/s\].
pub fn slowest_rebound(settings: &Settings, h: f32) -> f32 {
    RESTITUTION_THRESHOLD_FACTOR * settings.gravity.length() * h
}

/// The rebounds of particles in a substep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rebound {
    /// The slowest approach that rebounds \[m/s\].
    slowest: f32,
    /// Length of the substep \[s\].
    h: f32,
}

impl Rebound {
    /// Returns the rebounds in a substep of `h` \[s\].
    pub fn new(settings: &Settings, h: f32) -> Self {
        Self { slowest: slowest_rebound(settings, h), h }
    }

    /// Returns how far surfaces of a restitution rebound \[m\], from the speed \[m/s\] at which they part if nothing pushes
    /// them, and the part of it that gravity and forces have added in this substep.
    pub fn way(self, restitution: f32, parting: f32, added: f32) -> f32 {
        let approach = (-parting).min(added - parting);
        if restitution > 0.0 && approach > self.slowest { restitution * approach * self.h } else { 0.0 }
    }
}
