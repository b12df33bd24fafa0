//! The constraint of a ball joint with a motor: the rows of one without, and between its forces and its limits the three
//! torques of the [motor](super::super::motor::rotation).

use xpbd_core::parameters;
use xpbd_core::prelude::*;

use super::super::geometry::sample_frames;
use super::super::lock::axes::{AxisLock, AxisLockParameters};
use super::super::lock::diagonal;
use super::super::motor::rotation::RotationMotorParameters;
use super::BallRows;

/// The constraint of a ball joint without a motor.
type Undriven = AxisLock<BallRows, 2, 3, 2>;

parameters! {
    /// Parameters of a [`BallDrive`].
    pub struct BallDriveParameters<S> {
        /// Those of the lock and of the limits.
        pub axes: AxisLockParameters<S, 2>,
        /// Parameters of the motor.
        pub motor: RotationMotorParameters<S>,
    }
}

impl BallDriveParameters {
    /// Returns whether any row is damped.
    pub(in super::super) fn is_damped(&self) -> bool {
        self.axes.is_damped() || self.motor.is_damped()
    }
}

/// The constraint of a ball joint with a motor. Compliance \[m/N and rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct BallDrive;

/// Returns the entries of the eight rows.
fn arranged<T>([x, y, z, swing, twist]: [T; 5], [a, b, c]: [T; 3]) -> [T; 8] {
    [x, y, z, a, b, c, swing, twist]
}

impl Constraint<6, 8> for BallDrive {
    type Parameters<S: Copy> = BallDriveParameters<S>;

    const NAME: &'static str = "ball-joint-with-motor";
    const ARMS_OF_START: bool = <Undriven as Constraint<6, 5>>::ARMS_OF_START;

    fn value<S: Real>(x: &Points<S, 6>, parameters: BallDriveParameters<S>) -> [S; 8] {
        let axes = |[_, _, a0, b0, a1, b1]: [_; 6]| [a0, b0, a1, b1];
        let motor = parameters.motor.value(axes(x.now), axes(x.before), x.dt);
        arranged(Undriven::value(x, parameters.axes), motor)
    }

    fn admissible<S: Real>(lambda: [S; 8], parameters: BallDriveParameters<S>, per_force: S) -> [S; 8] {
        let [x, y, z, a, b, c, swing, twist] = lambda;
        let motor = [a, b, c].map(|torque| parameters.motor.admissible(torque, per_force));
        arranged(Undriven::admissible([x, y, z, swing, twist], parameters.axes, per_force), motor)
    }

    fn stops<S: Real>(x: &Points<S, 6>, parameters: BallDriveParameters<S>) -> [Option<[S; 2]>; 8] {
        arranged(Undriven::stops(x, parameters.axes), [None; 3])
    }

    fn compliance<S: Real>(alpha: S, parameters: BallDriveParameters<S>) -> [[S; 8]; 8] {
        let undriven = <Undriven as Constraint<6, 5>>::compliance(alpha, parameters.axes);
        let motor = [alpha * parameters.motor.compliance; 3];
        diagonal(arranged(std::array::from_fn(|row| undriven[row][row]), motor))
    }

    fn damping<S: Real>(gamma: S, parameters: BallDriveParameters<S>) -> [S; 8] {
        let motor = gamma * parameters.motor.compliance * parameters.motor.damping_coefficient;
        arranged(<Undriven as Constraint<6, 5>>::damping(gamma, parameters.axes), [motor; 3])
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 6], BallDriveParameters)> {
        let motor = RotationMotorParameters { reaches_rotation: 1.0, max_speed: 1e-3, ..RotationMotorParameters::OFF };
        Some((sample_frames(number), BallDriveParameters { axes: AxisLockParameters::SAMPLE, motor }))
    }
}
