//! A motor that slides.
//!
//! q = (x₁ − x₀)·a₀ as for its [limits](super::super::limit::slide); λ/h² is a force \[N\].

use xpbd_core::prelude::*;

use super::{clamp_force, target_displacement};

/// Slides one body along an axis of another. Parameters: 1 to reach the target or 0 to keep the speed,
/// target \[m\], speed \[m/s\], greatest force \[N\]. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct LinearMotorRow;

impl Constraint<3, 1> for LinearMotorRow {
    type Parameters<S: Copy> = [S; 4];

    const NAME: &'static str = "slide-motor";

    fn value<S: Real>(x: &Points<S, 3>, params: [S; 4]) -> [S; 1] {
        let slide = |points: &[xpbd_core::constraint::Point<S>; 3]| (points[1] - points[0]).dot(points[2].axis());
        let before = slide(&x.before);
        [slide(&x.now) - before - target_displacement(params[1] - before, params, x.dt)]
    }

    fn admissible<S: Real>([lambda]: [S; 1], params: [S; 4], per_force: S) -> [S; 1] {
        [clamp_force(lambda, params, per_force)]
    }
}
