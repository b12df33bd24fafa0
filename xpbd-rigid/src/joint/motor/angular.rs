//! A motor that turns.
//!
//! q = atan2(u·w, u·v) as for its [limits](super::super::limit::angle); λ/h² is a torque \[N m\].
//! Differences of angles are taken within ±π, so that it turns on through the half turn.

use xpbd_core::prelude::*;

use super::super::geometry::{signed_angle, wrap_angle};
use super::{clamp_force, target_displacement};

/// Turns one body against another. Parameters: 1 to reach the target or 0 to keep the speed, target
/// \[rad\], speed \[rad/s\], greatest torque \[N m\]. Compliance \[rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct AngularMotorRow;

impl Constraint<3, 1> for AngularMotorRow {
    type Parameters<S: Copy> = [S; 4];

    const NAME: &'static str = "angle-motor";

    fn value<S: Real>(x: &Points<S, 3>, params: [S; 4]) -> [S; 1] {
        let angle = |points: &[xpbd_core::constraint::Point<S>; 3]| {
            let [u, v, w] = points.map(|point| point.axis());
            signed_angle(u, [v, w])
        };
        let before = angle(&x.before);
        [wrap_angle(angle(&x.now) - before) - target_displacement(wrap_angle(params[1] - before), params, x.dt)]
    }

    fn admissible<S: Real>([lambda]: [S; 1], params: [S; 4], per_force: S) -> [S; 1] {
        [clamp_force(lambda, params, per_force)]
    }
}
