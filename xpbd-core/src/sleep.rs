//! The sleep of bodies and objects.

use serde::{Deserialize, Serialize};

/// The sleep of a body or an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct SleepState {
    /// Time for which it has been at rest \[s\].
    pub still_time: f32,
    /// True if it sleeps.
    pub asleep: bool,
    /// Number of the island with which it fell asleep and will wake.
    pub island: u32,
}

impl SleepState {
    /// Returns whether the numbers are those of a sleep.
    pub fn is_valid(&self) -> bool {
        self.still_time.is_finite() && self.island < u32::MAX
    }

    /// Counts a frame of `dt` \[s\], in which it was slow or not.
    pub(crate) fn rest(&mut self, slow: bool, dt: f32) {
        self.still_time = if slow { self.still_time + dt } else { 0.0 };
    }
}
