//! Motors of a rotation.
//!
//! A motor rotates b against a by δ in a substep, in the frame of the joint on a, with no more than its greatest torque T
//! about each axis of that frame:
//!
//! ```text
//! C = δ − Δ, three rows [rad],   |λₖ| ≤ T h²
//! Δ = ω h                          to keep an angular velocity ω
//! Δ = ε min(1, s h/|ε|)            to reach a rotation no faster than s
//! ```
//!
//! ε is the rotation vector from the rotation at the start of the substep to the target, the shorter way round; at the half
//! turn there is none. δ is 2 tan(|δ|/2) long, which does not differ from the angle over a substep.

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use xpbd_core::constraint::Point;
use xpbd_core::parameters;
use xpbd_core::scalar::rotation::normalized;
use xpbd_core::scalar::{self, Real};

use super::super::geometry::{rotation_between, rotation_vector};
use super::super::settings::{check_soft, check_threshold};
use super::super::{JointBasis, JointError};
use super::UNBOUNDED;

parameters! {
    /// Parameters of the motor of a rotation, in the frame of the joint on the first body.
    pub struct RotationMotorParameters<S> {
        /// 1 for a motor that reaches a rotation, 0 for one that keeps an angular velocity \[1\].
        pub reaches_rotation: S,
        /// Rotation to reach, a quaternion x, y, z, w.
        pub rotation: [S; 4],
        /// Angular velocity to keep \[rad/s\].
        pub angular_velocity: scalar::Vec3<S>,
        /// Greatest speed on the way to the rotation \[rad/s\].
        pub max_speed: S,
        /// Greatest torque about each axis \[N m\].
        pub max_torque: S,
        /// Compliance \[rad/(N m)\].
        pub compliance: S,
        /// Damping coefficient \[N m s/rad\].
        pub damping_coefficient: S,
    }
}

impl<S: Real> RotationMotorParameters<S> {
    /// Returns C for the axes a and b of both bodies now and at the start of a substep of `dt` \[s\].
    pub(in super::super) fn value(&self, now: [Point<S>; 4], before: [Point<S>; 4], dt: S) -> [S; 3] {
        let (now, before) = (relative(now), relative(before));
        let axis = |x: f32, y: f32| scalar::Vec3::new(S::literal(x), S::literal(y), S::zero()).rotate(self.rotation);
        let way = rotation_vector(before, [axis(1.0, 0.0), axis(0.0, 1.0)]);
        let length = way.length().max(S::literal(1e-20));
        let way = way * ((self.max_speed * dt).min(length) / length);
        let way = scalar::Vec3::select_lt(self.reaches_rotation, S::literal(0.5), self.angular_velocity * dt, way);
        (rotation_between(before, now) - way).to_array()
    }

    /// Returns the multiplier nearest to `lambda` that a row can have.
    pub(in super::super) fn admissible(&self, lambda: S, per_force: S) -> S {
        let most = self.max_torque * per_force;
        lambda.clamp(-most, most)
    }
}

impl RotationMotorParameters {
    /// A motor without torque.
    pub(in super::super) const OFF: Self = Self {
        reaches_rotation: 0.0,
        rotation: [0.0, 0.0, 0.0, 1.0],
        angular_velocity: scalar::Vec3 { x: 0.0, y: 0.0, z: 0.0 },
        max_speed: 0.0,
        max_torque: 0.0,
        compliance: 0.0,
        damping_coefficient: 0.0,
    };

    /// Returns whether the motor is damped.
    pub(in super::super) fn is_damped(&self) -> bool {
        self.compliance * self.damping_coefficient > 0.0
    }
}

/// Returns the axes a and b of the second body in the frame of the first, given those of the first and the second.
fn relative<S: Real>(axes: [Point<S>; 4]) -> [scalar::Vec3<S>; 2] {
    let [a0, b0, a1, b1] = axes.map(Point::axis);
    let c0 = a0.cross(b0);
    [a1, b1].map(|axis| scalar::Vec3::new(a0.dot(axis), b0.dot(axis), c0.dot(axis)))
}

/// The motion that a motor of a rotation aims at, in the frame of the first body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum RotationTarget {
    /// Keeps an angular velocity of the second body against the first \[rad/s\].
    AngularVelocity(Vec3),
    /// Reaches a rotation the shorter way round.
    Rotation {
        /// Rotation of the second body against the first, from where the frames of the joint coincide.
        rotation: Quat,
        /// Greatest speed on the way \[rad/s\], not negative.
        max_speed: f32,
    },
}

/// A motor that drives all three rotations of a joint.
///
/// ```
/// # use glam::{Quat, Vec3};
/// # use xpbd_rigid::prelude::*;
/// let raised = Quat::from_rotation_x(1.2);
/// let muscle = RotationMotor::rotation(raised).spring(200.0, 20.0).max_torque(80.0);
/// let shoulder = BallJoint::new(Vec3::ZERO).axis(Vec3::NEG_Y).swing_limit(1.5).motor(muscle);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct RotationMotor {
    /// The motion that it aims at.
    pub target: RotationTarget,
    /// Greatest torque \[N m\] about each axis of the frame of the joint on the first body.
    pub max_torque: f32,
    /// Compliance \[rad/(N m)\]; 0 for a motor that is limited by its greatest torque alone.
    pub compliance: f32,
    /// Damping coefficient of the compliance \[N m s/rad\].
    pub damping_coefficient: f32,
}

impl RotationMotor {
    /// Returns a motor that keeps an angular velocity \[rad/s\] of the second body, in the frame of the first.
    pub fn angular_velocity(angular_velocity: Vec3) -> Self {
        Self::new(RotationTarget::AngularVelocity(angular_velocity))
    }

    /// Returns a motor that reaches a rotation of the second body against the first, from where the frames of the joint
    /// coincide, in the frame of the first body.
    pub fn rotation(rotation: Quat) -> Self {
        Self::new(RotationTarget::Rotation { rotation, max_speed: f32::INFINITY })
    }

    /// Returns a motor without torque, to be set later.
    pub fn off() -> Self {
        Self::angular_velocity(Vec3::ZERO).max_torque(0.0)
    }

    fn new(target: RotationTarget) -> Self {
        Self { target, max_torque: f32::INFINITY, compliance: 0.0, damping_coefficient: 0.0 }
    }

    /// Sets the greatest torque \[N m\] about each axis of the frame of the joint on the first body.
    #[must_use]
    pub fn max_torque(self, torque: f32) -> Self {
        Self { max_torque: torque, ..self }
    }

    /// Sets the greatest speed \[rad/s\] on the way to a rotation; a motor that keeps an angular velocity has none.
    #[must_use]
    pub fn max_speed(mut self, speed: f32) -> Self {
        if let RotationTarget::Rotation { max_speed, .. } = &mut self.target {
            *max_speed = speed;
        }
        self
    }

    /// Makes the motor a spring of this stiffness \[N m/rad\] and damping coefficient \[N m s/rad\].
    #[must_use]
    pub fn spring(self, stiffness: f32, damping_coefficient: f32) -> Self {
        Self { compliance: 1.0 / stiffness, damping_coefficient, ..self }
    }

    /// Returns its parameters for a joint with these axes on the first body.
    pub(in super::super) fn parameters(
        &self,
        joint: usize,
        basis: &JointBasis,
    ) -> Result<RotationMotorParameters, JointError> {
        let to_joint = basis.to_body().inverse();
        let (reaches_rotation, rotation, angular_velocity, max_speed) = match self.target {
            RotationTarget::AngularVelocity(value) if !value.is_finite() => {
                return Err(JointError::Vector { joint, what: "motor's angular velocity", value });
            }
            RotationTarget::AngularVelocity(velocity) => (0.0, Quat::IDENTITY, to_joint * velocity, 0.0),
            RotationTarget::Rotation { rotation, max_speed } => {
                check_threshold(joint, "motor's greatest speed", max_speed)?;
                let length = rotation.length();
                if !(length.is_finite() && length > 1e-4) {
                    let must = "finite and not zero";
                    return Err(JointError::Number {
                        joint,
                        what: "length of the motor's rotation",
                        value: length,
                        must,
                    });
                }
                (1.0, to_joint * normalized(rotation) * to_joint.inverse(), Vec3::ZERO, max_speed.min(UNBOUNDED))
            }
        };
        check_threshold(joint, "motor's greatest torque", self.max_torque)?;
        check_soft(joint, "motor's compliance", self.compliance)?;
        check_soft(joint, "motor's damping coefficient", self.damping_coefficient)?;
        Ok(RotationMotorParameters {
            reaches_rotation,
            rotation: rotation.to_array(),
            angular_velocity: angular_velocity.into(),
            max_speed,
            max_torque: self.max_torque.min(UNBOUNDED),
            compliance: self.compliance,
            damping_coefficient: self.damping_coefficient,
        })
    }
}
