//! A motor that slides.
//!
//! q = (x₁ − x₀)·a₀ as for its [limits](super::super::limit::slide); λ/h² is a force \[N\].

use xpbd_core::prelude::*;

use super::{bounded, stride};

/// Slides one body along an axis of another. Parameters: 1 to reach the target or 0 to keep the speed,
/// target \[m\], speed \[m/s\], greatest force \[N\]. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct SlideMotor;

impl Constraint<3, 1> for SlideMotor {
    type Parameters<S: Copy> = [S; 4];

    const NAME: &'static str = "slide-motor";

    fn value<S: Real>(x: &Points<S, 3>, params: [S; 4]) -> [S; 1] {
        let slide = |points: &[xpbd_core::constraint::Point<S>; 3]| (points[1] - points[0]).dot(points[2].axis());
        let before = slide(&x.before);
        [slide(&x.now) - before - stride(params[1] - before, params, x.dt)]
    }

    fn admissible<S: Real>([lambda]: [S; 1], params: [S; 4], per_force: S) -> [S; 1] {
        [bounded(lambda, params, per_force)]
    }
}
