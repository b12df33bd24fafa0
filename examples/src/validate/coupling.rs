//! Checks of gears, racks, joints of six axes, motors of rotations and conveyor belts.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::world::BodyHandle;
use xpbd_rigid::joint::{
    BallJoint, HingeJoint, Joint, JointAxis, JointCoupling, JointFrame, JointHandle, JointMotor, RotationMotor,
    SixAxisJoint, SliderJoint,
};

use super::lab::{G, Lab, built, passes, weightless};
use super::yard::{block, cuboid, ground};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::SceneError;

pub(super) const ROWS: &[Row] =
    rows![gear_ratio, gear_does_not_drift, rack_falls, rotation_spring, suspension_sags, belt_way];

/// Adds a wheel of this moment of inertia \[kg m²\] on a hinge about z.
fn wheel(lab: &mut Lab, x: f32, inertia: f32, motor: JointMotor) -> Result<(BodyHandle, JointHandle), SceneError> {
    let body = Body::dynamic(Pose::translation(x, 0.0, 0.0), Mass::new(1.0, Vec3::splat(inertia))).can_sleep(false);
    let body = lab.world.add_body(body)?;
    let hinge = HingeJoint::new(Vec3::X * x, Vec3::Z).motor(motor);
    Ok((body, built(hinge.add_to_world(&mut lab.world, body))?))
}

/// Adds two wheels in mesh, of 12 and 42 teeth, the first of which has a motor.
fn gear(device: &Device) -> Result<(Lab, BodyHandle, [JointHandle; 2]), SceneError> {
    let mut lab = Lab::new(device, weightless(20, 1))?;
    let (_, first) = wheel(&mut lab, 0.0, 0.1, JointMotor::velocity(12.0))?;
    let (driven, second) = wheel(&mut lab, 1.0, 0.4, JointMotor::off())?;
    built(JointCoupling::gear(12, 42).add(&mut lab.world, [&first, &second]))?;
    Ok((lab, driven, [first, second]))
}

/// Compares the speed of the second wheel with ω n₁/n₂.
pub fn gear_ratio(device: &Device) -> Outcome {
    let (mut lab, driven, _) = gear(device)?;
    lab.steps(120)?;
    let speed = f64::from(lab.world.body(driven)?.angular_velocity.z);
    Check::relative("gear of 12 and 42 teeth: driven wheel [rad/s]", -12.0 * 12.0 / 42.0, speed, 1e-3)
}

/// Measures how far the teeth are apart after 19 turns of the first wheel, at the second wheel.
pub fn gear_does_not_drift(device: &Device) -> Outcome {
    let (mut lab, _, joints) = gear(device)?;
    lab.steps(600)?;
    let [first, second] = joints.map(|joint| built(joint.coordinate(&lab.world, JointAxis::Angular)).map(f64::from));
    let turns = (12.0 * first? + 42.0 * second?) / std::f64::consts::TAU;
    let slip = (turns - libm::round(turns)) * std::f64::consts::TAU / 42.0;
    Check::at_most("gear: slip after 19 turns [rad]", 1e-3, slip)
}

/// Compares the fall of a rack that drives its pinion with g m/(m + I/r²).
pub fn rack_falls(device: &Device) -> Outcome {
    let mut lab = Lab::new(device, passes(20, 1))?;
    let (_, hinge) = wheel(&mut lab, 0.0, 0.03, JointMotor::off())?;
    let rack = Body::dynamic(Pose::translation(0.1, 0.0, 0.0), Mass::ball(2.0, 0.1)).can_sleep(false);
    let rack = lab.world.add_body(rack)?;
    let slider = built(SliderJoint::new(Vec3::X * 0.1, Vec3::Y).add_to_world(&mut lab.world, rack))?;
    built(JointCoupling::rack(0.1).add(&mut lab.world, [&hinge, &slider]))?;
    lab.steps(90)?;
    let speed = f64::from(lab.world.body(rack)?.velocity.y);
    Check::relative("rack and pinion: speed after 1.5 s [m/s]", -G * 1.5 * 2.0 / 5.0, speed, 5e-3)
}

/// Compares the torque of a spring to a rotation 1.5 rad away with k θ.
pub fn rotation_spring(device: &Device) -> Outcome {
    let mut lab = Lab::new(device, weightless(20, 1))?;
    let body = lab.world.add_body(Body::dynamic(Pose::IDENTITY, Mass::ball(1e3, 1.0)).can_sleep(false))?;
    let target = Quat::from_axis_angle(Vec3::new(2.0, 1.0, -2.0) / 3.0, 1.5);
    let ball = BallJoint::new(Vec3::ZERO).motor(RotationMotor::rotation(target).spring(3.0, 0.0));
    let joint = built(ball.add_to_world(&mut lab.world, body))?;
    lab.step()?;
    let torque = f64::from(built(joint.reaction(&lab.world))?.torque.length());
    Check::relative("ball joint: torque of a spring to a rotation [N m]", 4.5, torque, 2e-3)
}

/// Compares the sag of a suspension, of which one axis is a spring and one is free, with m g/k.
pub fn suspension_sags(device: &Device) -> Outcome {
    let mut lab = Lab::new(device, passes(20, 1))?;
    let body = lab.world.add_body(Body::dynamic(Pose::IDENTITY, Mass::ball(20.0, 0.3)).can_sleep(false))?;
    let frame = JointFrame::new(Vec3::ZERO, Vec3::X).reference_axis(Vec3::Y);
    let strut = JointMotor::position(0.0).spring(4e3, 400.0);
    let joint = SixAxisJoint::new(frame).free(JointAxis::Twist).motor(JointAxis::SecondLinear, strut);
    let joint = built(joint.add_to_world(&mut lab.world, body))?;
    lab.steps(300)?;
    let sag = f64::from(built(joint.coordinate(&lab.world, JointAxis::SecondLinear))?);
    Check::relative("joint of six axes: sag of a suspension [m]", -20.0 * G / 4e3, sag, 2e-3)
}

/// Compares the way of a box that a belt takes along with u t − u²/2μg.
pub fn belt_way(device: &Device) -> Outcome {
    let mut lab = ground(device, passes(20, 1), Quat::IDENTITY, 0.5)?;
    for belt in lab.world.state().colliders.keys().to_vec() {
        lab.world.edit_collider(belt, |belt| belt.surface_velocity = Vec3::X)?;
    }
    let half = Vec3::splat(0.1);
    let body = cuboid(Pose::translation(0.0, 0.1, 0.0), half, 2.0).can_sleep(false);
    let body = block(&mut lab, body, half, 0.5)?;
    lab.steps(600)?;
    Check::relative("belt: way of a box in 10 s [m]", 10.0 - 1.0 / G, lab.place(body)?.x, 1e-3)
}
