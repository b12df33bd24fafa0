//! A joint of six axes: what it locks, limits, drives and leaves free.

use glam::Vec3;
use xpbd_rigid::prelude::*;

use super::support::{FRAME, G, assert_near, at, brick, frames, world};

const LINEAR: [JointAxis; 3] = [JointAxis::Linear, JointAxis::SecondLinear, JointAxis::ThirdLinear];
const ANGULAR: [JointAxis; 3] = [JointAxis::Twist, JointAxis::FirstSwing, JointAxis::SecondSwing];
const DIRECTIONS: [Vec3; 3] = [Vec3::X, Vec3::Y, Vec3::Z];

/// Returns a joint whose axes are those of the world.
fn joint() -> SixAxisJoint {
    SixAxisJoint::new(JointFrame::new(Vec3::ZERO, Vec3::X).reference_axis(Vec3::Y))
}

/// Returns a brick at the anchor of a joint to the world.
fn stage(gravity: f32, joint: SixAxisJoint) -> (World, BodyHandle, JointHandle) {
    let mut world = world(gravity);
    let body = world.add_body(Body::dynamic(at(0.0, 0.0, 0.0), brick())).unwrap();
    let joint = joint.add_to_world(&mut world, body).unwrap();
    (world, body, joint)
}

/// Steps a world under a force \[N\] and a torque \[N m\] on a body.
fn push(world: &mut World, body: BodyHandle, force: Vec3, torque: Vec3, count: usize) {
    for _ in 0..count {
        world.add_body_force(body, force).unwrap();
        world.add_body_torque(body, torque).unwrap();
        frames(world, 1);
    }
}

/// Returns the coordinates of all axes.
fn coordinates(world: &World, joint: &JointHandle) -> [f32; 6] {
    [LINEAR, ANGULAR]
        .concat()
        .try_into()
        .map(|axes: [_; 6]| axes.map(|axis| joint.coordinate(world, axis).unwrap()))
        .unwrap()
}

#[test]
fn a_joint_with_all_axes_locked_holds_a_cantilever() {
    let mut world = world(G);
    let body = world.add_body(Body::dynamic(at(0.5, 0.0, 0.0), brick())).unwrap();
    let weld = joint().add_to_world(&mut world, body).unwrap();
    for _ in 0..120 {
        frames(&mut world, 1);
        let JointReaction { force, torque } = weld.reaction(&world).unwrap();
        assert!((force - Vec3::Y * 2.0 * G).length() < 2e-2 * 2.0 * G, "{force}");
        assert!((torque - Vec3::Z * G).length() < 2e-2 * G, "{torque}");
    }
    assert!(coordinates(&world, &weld).iter().all(|coordinate| coordinate.abs() < 1e-5));
}

/// x = F t²/2m and ω = τ t/I along and about the free axis, and 0 along and about the others, under a push on all.
#[test]
fn a_free_axis_moves_as_if_it_were_alone() {
    let (force, torque) = (Vec3::new(3.0, -2.0, 4.0), Vec3::new(0.02, 0.03, -0.04));
    for k in 0..3 {
        let (mut world, body, joint) = stage(0.0, joint().free(LINEAR[k]));
        push(&mut world, body, force, torque, 30);
        let found = coordinates(&world, &joint);
        // Of the discretised motion in 600 substeps.
        assert_near(found[k], force[k] / 2.0 * 0.125 * (1.0 + 1.0 / 600.0), 1e-3);
        assert!((0..6).all(|other| other == k || found[other].abs() < 1e-4), "{found:?}");
    }
    for k in 0..3 {
        let (mut world, body, joint) = stage(0.0, joint().free(ANGULAR[k]));
        push(&mut world, body, force, torque, 30);
        let velocity = world.body(body).unwrap().angular_velocity;
        let expected = torque[k] / brick().principal_inertia[k] * 0.5;
        assert!((velocity - DIRECTIONS[k] * expected).length() < 2e-3 * expected.abs(), "{velocity} {expected}");
        let found = coordinates(&world, &joint);
        assert!((0..6).all(|other| other == 3 + k || found[other].abs() < 1e-4), "{found:?}");
    }
}

#[test]
fn limits_of_any_axis_stop_it() {
    for k in 0..6 {
        let axis = [LINEAR, ANGULAR].concat()[k];
        let (mut world, body, joint) = stage(0.0, joint().limits(axis, -0.2, 0.3));
        for side in [1.0, -1.0] {
            let direction = DIRECTIONS[k % 3] * side;
            let (force, torque) = if k < 3 { (direction * 20.0, Vec3::ZERO) } else { (Vec3::ZERO, direction * 0.2) };
            let stop = if side > 0.0 { 0.3 } else { -0.2 };
            push(&mut world, body, force, torque, 60);
            let found = joint.coordinate(&world, axis).unwrap();
            assert!((found - stop).abs() < 1e-4, "{axis}: {found}");
            let reaction = joint.reaction(&world).unwrap();
            let held = if k < 3 { reaction.force + force } else { reaction.torque + torque };
            assert!(held.length() < 0.02 * (force.length() + torque.length()), "{axis}: {reaction:?}");
        }
    }
}

#[test]
fn motors_of_all_axes_reach_their_positions_together() {
    let targets = [0.2, -0.1, 0.3, 0.5, -0.4, 0.3];
    let mut driven = joint();
    for (axis, target) in [LINEAR, ANGULAR].concat().into_iter().zip(targets) {
        driven = driven.motor(axis, JointMotor::position(target).max_speed(0.7));
    }
    let (mut world, _, joint) = stage(G, driven);
    frames(&mut world, 120);
    for (found, target) in coordinates(&world, &joint).into_iter().zip(targets) {
        assert!((found - target).abs() < 1e-3, "{found} {target}");
    }
}

/// A bushing of six springs gives way by F/k and τ/k.
#[test]
fn springs_of_all_axes_yield_by_the_load() {
    let mut bushing = joint();
    for k in 0..3 {
        bushing = bushing.motor(LINEAR[k], JointMotor::position(0.0).spring(500.0, 60.0));
        bushing = bushing.motor(ANGULAR[k], JointMotor::position(0.0).spring(3.0, 0.1));
    }
    let (mut world, body, joint) = stage(G, bushing);
    let (force, torque) = (Vec3::new(5.0, 0.0, -3.0), Vec3::new(0.0, 0.02, 0.0));
    push(&mut world, body, force, torque, 300);
    let found = coordinates(&world, &joint);
    assert_near(found[0], 5.0 / 500.0, 2e-3);
    assert_near(found[1], -2.0 * G / 500.0, 2e-3);
    assert_near(found[2], -3.0 / 500.0, 2e-3);
    assert_near(found[4], 0.02 / 3.0, 5e-3);
}

/// A pendulum on the twist is one on a hinge.
#[test]
fn a_pendulum_on_the_twist_swings_as_on_a_hinge_and_turns_over() {
    let mut angles = Vec::new();
    for six in [false, true] {
        let mut world = world(G);
        let body = Body::dynamic(at(0.0, -0.5, 0.0), brick()).velocity(Vec3::X * 5.5).angular_velocity(Vec3::Z * 11.0);
        let body = world.add_body(body).unwrap();
        let frame = JointFrame::new(Vec3::ZERO, Vec3::Z);
        let joint = if six {
            SixAxisJoint::new(frame).free(JointAxis::Twist).add_to_world(&mut world, body).unwrap()
        } else {
            HingeJoint::new(Vec3::ZERO, Vec3::Z).add_to_world(&mut world, body).unwrap()
        };
        let axis = if six { JointAxis::Twist } else { JointAxis::Angular };
        let angle = |world: &World| joint.coordinate(world, axis).unwrap();
        angles.push(
            (0..60)
                .map(|_| {
                    frames(&mut world, 1);
                    angle(&world)
                })
                .collect::<Vec<_>>(),
        );
    }
    assert!(angles[0].windows(2).any(|pair| pair[1] < pair[0] - 1.0), "it has turned over");
    for (hinge, twist) in angles[0].iter().zip(&angles[1]) {
        let apart = (hinge - twist + 9.42).rem_euclid(std::f32::consts::TAU) - std::f32::consts::PI;
        assert!(apart.abs() < 0.01, "{hinge} {twist}");
    }
}

/// A soft limit gives way by α F, a soft lock likewise.
#[test]
fn soft_limits_and_soft_locks_yield_by_the_load() {
    let limits = JointLimits::new(-0.1, 0.1).soft(1e-3, 100.0);
    let (mut world, body, joint) =
        stage(0.0, joint().joint_limits(JointAxis::SecondLinear, limits).compliance(2e-3).damping_coefficient(100.0));
    push(&mut world, body, Vec3::new(4.0, 8.0, 0.0), Vec3::ZERO, 300);
    assert_near(joint.coordinate(&world, JointAxis::SecondLinear).unwrap(), 0.1 + 8e-3, 2e-3);
    assert_near(joint.coordinate(&world, JointAxis::Linear).unwrap(), 8e-3, 2e-3);
    let swing = joint_with_soft_swing();
    let (mut world, body, joint) = stage(0.0, swing);
    push(&mut world, body, Vec3::ZERO, Vec3::Z * 0.1, 300);
    assert_near(joint.coordinate(&world, JointAxis::SecondSwing).unwrap(), 0.2 + 0.05, 5e-3);
}

fn joint_with_soft_swing() -> SixAxisJoint {
    joint().joint_limits(JointAxis::SecondSwing, JointLimits::new(-0.2, 0.2).soft(0.5, 0.2))
}

#[test]
fn numbers_of_axes_change_without_a_new_plan() {
    let axis = JointAxis::ThirdLinear;
    let described = joint().limits(axis, -1.0, 1.0).motor(axis, JointMotor::off());
    let (mut world, body, joint) = stage(0.0, described);
    frames(&mut world, 2);
    let plan = world.state().plan_generation;
    joint.set_motor(&mut world, axis, JointMotor::velocity(2.0)).unwrap();
    frames(&mut world, 12);
    assert_near(joint.coordinate(&world, axis).unwrap(), 12.0 * FRAME * 2.0, 1e-3);
    joint.set_limits(&mut world, axis, -0.5, 0.5).unwrap();
    frames(&mut world, 30);
    assert_near(joint.coordinate(&world, axis).unwrap(), 0.5, 1e-3);
    joint.set_compliance(&mut world, 1e-2, 0.0).unwrap();
    joint.set_damping_coefficient(&mut world, 30.0).unwrap();
    push(&mut world, body, Vec3::X * 3.0, Vec3::ZERO, 240);
    assert_near(joint.coordinate(&world, JointAxis::Linear).unwrap(), 0.03, 5e-3);
    joint.update(&mut world, described, described.compliance(5e-3)).unwrap();
    push(&mut world, body, Vec3::X * 3.0, Vec3::ZERO, 240);
    assert_near(joint.coordinate(&world, JointAxis::Linear).unwrap(), 0.015, 5e-3);
    assert_eq!(world.state().plan_generation, plan);
    assert!(matches!(
        joint.set_motor(&mut world, JointAxis::Twist, JointMotor::off()),
        Err(JointError::Missing { axis: JointAxis::Twist, .. })
    ));
}
