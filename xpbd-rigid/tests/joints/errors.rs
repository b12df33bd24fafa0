//! What is refused, with the element at fault; the world is then as it was.

use glam::Vec3;
use parry3d::math::Pose;
use xpbd_rigid::prelude::*;

use super::support::{at, brick, frames, world};

fn pair() -> (World, BodyHandle, BodyHandle) {
    let mut world = world(9.81);
    let a = world.add_body(Body::fixed(Pose::IDENTITY)).unwrap();
    let b = world.add_body(Body::dynamic(at(0.5, 0.0, 0.0), brick())).unwrap();
    (world, a, b)
}

#[track_caller]
fn refused<J: Joint>(joint: J, expected: &str) {
    let (mut world, a, b) = pair();
    let error = joint.add(&mut world, a, b).unwrap_err();
    assert!(error.to_string().contains(expected), "{error}");
    assert_eq!(world.state().batches.len(), 0);
}

#[test]
fn vectors_and_numbers() {
    let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z);
    refused(BallJoint::new(Vec3::new(f32::NAN, 0.0, 0.0)), "anchor of joint 0");
    refused(HingeJoint::new(Vec3::ZERO, Vec3::ZERO), "axis of joint 0 is [0, 0, 0]; it must have a length");
    refused(SliderJoint::new(Vec3::ZERO, Vec3::X * f32::INFINITY), "axis of joint 0");
    refused(UniversalJoint::new(Vec3::ZERO, Vec3::X, Vec3::X * 2.0), "reference axis of joint 0");
    refused(hinge.limits(0.5, -0.5), "angular limits of joint 0 are 0.5 and -0.5");
    refused(hinge.limits(f32::NAN, 1.0), "angular limits");
    refused(BallJoint::new(Vec3::ZERO).swing_limit(-0.1), "swing limits");
    refused(hinge.compliance(-1.0), "compliance of joint 0 is -1");
    refused(hinge.rotational_compliance(f32::NAN), "rotational compliance");
    refused(hinge.damping_coefficient(-1.0), "damping");
    refused(hinge.break_force(-1.0), "break force");
    refused(hinge.break_torque(f32::NAN), "break torque");
    refused(hinge.motor(JointMotor::velocity(f32::NAN)), "motor's velocity");
    refused(hinge.motor(JointMotor::position(f32::INFINITY)), "motor's position");
    refused(hinge.motor(JointMotor::velocity(1.0).max_torque(-1.0)), "motor's greatest force");
    refused(hinge.motor(JointMotor::position(1.0).spring(0.0, 0.0)), "motor's compliance");
    refused(DistanceJoint::new(Vec3::ZERO, Vec3::ZERO, 2.0, 1.0), "distance limits");
    refused(DistanceJoint::new(Vec3::ZERO, Vec3::ZERO, -1.0, 1.0), "shortest distance");
    refused(SpringJoint::new(Vec3::ZERO, Vec3::ZERO, 1.0).stiffness(0.0), "compliance");
    refused(SpringJoint::new(Vec3::ZERO, Vec3::ZERO, -1.0), "rest length");
}

#[test]
fn bodies() {
    let (mut world, a, b) = pair();
    let ball = BallJoint::new(Vec3::ZERO);
    assert_eq!(ball.add(&mut world, b, b), Err(JointError::SameBody(0)));
    world.remove_body(b).unwrap();
    assert_eq!(ball.add(&mut world, a, b), Err(JointError::Body { joint: 0, which: "second" }));
    let bodies = world.state().bodies.len();
    assert!(ball.add_to_world(&mut world, b).is_err());
    assert!(BallJoint::new(Vec3::NAN).add_to_world(&mut world, a).is_err());
    assert_eq!(world.state().bodies.len(), bodies, "no fixed body stays behind");
}

#[test]
fn the_joint_at_fault_is_named_and_none_is_added() {
    let (mut world, a, b) = pair();
    let good = HingeJoint::new(Vec3::ZERO, Vec3::Z);
    let joints = [(good, a, b), (good.limits(0.0, 1.0), a, b), (good.limits(1.0, 0.0), a, b)];
    let error = HingeJoint::add_all(&mut world, joints).unwrap_err();
    assert_eq!(error, JointError::Limits { joint: 2, axis: JointAxis::Angular, min: 1.0, max: 0.0 });
    assert_eq!(world.state().batches.len(), 0);
}

#[test]
fn handles() {
    let (mut world, a, b) = pair();
    let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z).motor(JointMotor::off()).add(&mut world, a, b).unwrap();
    frames(&mut world, 1);
    let hash = world.state_hash();
    let missing = JointError::Missing { part: "limit", axis: JointAxis::Angular };
    assert_eq!(hinge.set_limits(&mut world, JointAxis::Angular, 0.0, 1.0), Err(missing));
    assert!(hinge.set_motor(&mut world, JointAxis::Linear, JointMotor::off()).is_err());
    assert!(hinge.set_motor(&mut world, JointAxis::Angular, JointMotor::velocity(f32::NAN)).is_err());
    assert_eq!(world.state_hash(), hash);
    hinge.remove(&mut world).unwrap();
    assert!(hinge.remove(&mut world).is_err() && hinge.reaction(&world).is_err());
    assert!(hinge.is_broken(&world).is_err() && hinge.set_broken(&mut world, true).is_err());
    assert!(hinge.set_motor(&mut world, JointAxis::Angular, JointMotor::off()).is_err());
    let ball = BallJoint::new(Vec3::ZERO).add(&mut world, a, b).unwrap();
    world.remove_body(b).unwrap();
    assert!(ball.reaction(&world).is_err() && ball.coordinate(&world, JointAxis::Swing).is_err());
}
