//! Lines, but not without end.

use bevy::prelude::*;
use xpbd_core::scalar::trig;

use super::XpbdGizmos;

/// Lines of a circle.
const SIDES: u32 = 32;

/// Draws no more than a number of lines.
pub(super) struct LimitedGizmos<'a, 'w, 's> {
    gizmos: &'a mut Gizmos<'w, 's, XpbdGizmos>,
    left: usize,
    cut: bool,
}

impl<'a, 'w, 's> LimitedGizmos<'a, 'w, 's> {
    pub fn new(gizmos: &'a mut Gizmos<'w, 's, XpbdGizmos>, most: usize) -> Self {
        Self { gizmos, left: most, cut: false }
    }

    /// Returns whether there were more lines.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Draws a line, if both ends are numbers.
    pub fn line(&mut self, from: Vec3, to: Vec3, color: Color) {
        if self.left == 0 {
            self.cut = true;
        } else if from.is_finite() && to.is_finite() {
            self.left -= 1;
            self.gizmos.line(from, to, color);
        }
    }

    /// Draws the circle about `center` through the ends of two vectors, or its half from `u` over `v` to −`u`.
    pub fn circle(&mut self, center: Vec3, [u, v]: [Vec3; 2], half: bool, color: Color) {
        let at = |k: u32| {
            let angle = k as f32 * (std::f32::consts::TAU / SIDES as f32);
            center + u * trig::cos(angle) + v * trig::sin(angle)
        };
        let sides = if half { SIDES / 2 } else { SIDES };
        (0..sides).for_each(|k| self.line(at(k), at(k + 1), color));
    }
}
