//! The constraints of motors.

use xpbd_core::constraint::Point;
use xpbd_core::prelude::*;

use super::super::geometry::{signed_angle, wrap_angle};
use super::MotorParameters;

/// Returns Δ \[rad or m\], given what is left to the position.
fn target_displacement<S: Real>(left: S, motor: MotorParameters<S>, dt: S) -> S {
    let most = motor.velocity * dt;
    motor.reaches_position.select_lt(S::literal(0.5), most, left.clamp(-most, most))
}

/// Returns the nearest λ with |λ| ≤ F h².
fn clamp_force<S: Real>(lambda: S, motor: MotorParameters<S>, per_force: S) -> S {
    let most = motor.max_force * per_force;
    lambda.clamp(-most, most)
}

/// Rotates one body against another.
///
/// q = atan2(u·w, u·v) as for a [limit](super::super::limit::rows::AngularLimitRow); λ/h² is a torque \[N m\].
/// Differences of angles are taken within ±π, so that it passes through the half turn. Compliance \[rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct AngularMotorRow;

impl Constraint<3, 1> for AngularMotorRow {
    type Parameters<S: Copy> = MotorParameters<S>;

    const NAME: &'static str = "angle-motor";

    fn value<S: Real>(x: &Points<S, 3>, motor: MotorParameters<S>) -> [S; 1] {
        let angle = |points: &[Point<S>; 3]| {
            let [u, v, w] = points.map(|point| point.axis());
            signed_angle(u, [v, w])
        };
        let before = angle(&x.before);
        [wrap_angle(angle(&x.now) - before) - target_displacement(wrap_angle(motor.position - before), motor, x.dt)]
    }

    fn admissible<S: Real>([lambda]: [S; 1], motor: MotorParameters<S>, per_force: S) -> [S; 1] {
        [clamp_force(lambda, motor, per_force)]
    }
}

/// Moves one body along an axis of another.
///
/// q = (x₁ − x₀)·a₀ as for a [limit](super::super::limit::rows::LinearLimitRow); λ/h² is a force \[N\]. Compliance
/// \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct LinearMotorRow;

impl Constraint<3, 1> for LinearMotorRow {
    type Parameters<S: Copy> = MotorParameters<S>;

    const NAME: &'static str = "slide-motor";

    fn value<S: Real>(x: &Points<S, 3>, motor: MotorParameters<S>) -> [S; 1] {
        let coordinate = |points: &[Point<S>; 3]| (points[1] - points[0]).dot(points[2].axis());
        let before = coordinate(&x.before);
        [coordinate(&x.now) - before - target_displacement(motor.position - before, motor, x.dt)]
    }

    fn admissible<S: Real>([lambda]: [S; 1], motor: MotorParameters<S>, per_force: S) -> [S; 1] {
        [clamp_force(lambda, motor, per_force)]
    }
}
