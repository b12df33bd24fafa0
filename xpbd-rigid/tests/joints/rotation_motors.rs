//! Motors of the rotation of a ball joint.

use glam::{Quat, Vec3};
use xpbd_core::scalar::trig;
use xpbd_rigid::prelude::*;

use super::support::{G, assert_near, at, brick, frames, skew, world};

const ARM: f32 = 0.5;

/// Returns a brick on a ball joint at an arm to the right.
fn arm(gravity: f32, motor: RotationMotor) -> (World, BodyHandle, JointHandle) {
    let mut world = world(gravity);
    let body = world.add_body(Body::dynamic(at(ARM, 0.0, 0.0), brick())).unwrap();
    let joint = BallJoint::new(Vec3::ZERO).motor(motor).add_to_world(&mut world, body).unwrap();
    (world, body, joint)
}

/// Returns the angle \[rad\] between the rotation of a joint and another.
fn off(world: &World, joint: &JointHandle, rotation: Quat) -> f32 {
    joint.rotation(world).unwrap().angle_between(rotation)
}

#[test]
fn a_motor_keeps_an_angular_velocity_about_any_axis_against_gravity() {
    let velocity = Vec3::new(1.0, -2.0, 2.0);
    let (mut world, body, _) = arm(G, RotationMotor::angular_velocity(velocity));
    for _ in 0..4 {
        frames(&mut world, 60);
        let found = world.body(body).unwrap().angular_velocity;
        assert!((found - velocity).length() < 3e-3 * velocity.length(), "{found}");
    }
}

/// ω = τ t/(I + m r²), about an axis of the joint.
#[test]
fn a_stalled_motor_gives_its_torque() {
    let (mut world, body, joint) = arm(0.0, RotationMotor::angular_velocity(Vec3::Z * 1e3).max_torque(0.8));
    frames(&mut world, 60);
    let inertia = brick().principal_inertia.z + brick().mass * ARM * ARM;
    assert_near(world.body(body).unwrap().angular_velocity.z, 0.8 / inertia, 2e-3);
    assert_near(joint.reaction(&world).unwrap().torque.z, 0.8, 2e-3);
}

/// |ω| t = |θ| on the way, and there it stays, wherever it comes from.
#[test]
fn a_motor_reaches_a_rotation_at_its_speed_and_stays() {
    for target in [Quat::from_rotation_y(2.0), skew(), Quat::from_axis_angle(Vec3::ONE.normalize(), -3.0)] {
        let (mut world, _, joint) = arm(G, RotationMotor::rotation(target).max_speed(1.5));
        let way = off(&world, &joint, target);
        frames(&mut world, 60);
        assert!((off(&world, &joint, target) - (way - 1.5).max(0.0)).abs() < 0.01, "{target}");
        frames(&mut world, 120);
        assert!(off(&world, &joint, target) < 2e-3, "{target}");
    }
}

/// k |ε| = m g r cos q for an arm that a spring holds near q*, and all of the error is about z.
#[test]
fn a_spring_to_a_rotation_sags_by_the_load() {
    let target = Quat::from_rotation_z(0.5);
    let (mut world, _, joint) = arm(G, RotationMotor::rotation(target).spring(100.0, 20.0));
    frames(&mut world, 600);
    let error = joint.rotation(&world).unwrap().inverse() * target;
    let (axis, angle) = error.to_axis_angle();
    assert!(axis.z > 1.0 - 1e-4, "{axis}");
    assert_near(100.0 * angle, brick().mass * G * ARM * trig::cos(0.5 - angle), 1e-3);
}

/// The torque of a spring grows with the angle, far from the target as near it: k θ.
#[test]
fn a_spring_pulls_in_proportion_to_the_angle() {
    for angle in [0.2, 1.5, 3.0_f32] {
        let target = Quat::from_axis_angle(Vec3::new(2.0, 1.0, -2.0) / 3.0, angle);
        let mut world = world(0.0);
        let body = world.add_body(Body::dynamic(at(0.0, 0.0, 0.0), Mass::ball(1e3, 1.0))).unwrap();
        let spring = RotationMotor::rotation(target).spring(3.0, 0.0);
        let joint = BallJoint::new(Vec3::ZERO).motor(spring).add_to_world(&mut world, body).unwrap();
        frames(&mut world, 1);
        let torque = joint.reaction(&world).unwrap().torque;
        assert_near(torque.length(), 3.0 * angle, 2e-3);
    }
}

#[test]
fn a_motor_of_any_torque_leaves_the_limits_alone() {
    for most in [20.0, f32::INFINITY] {
        let mut world = world(G);
        let body = world.add_body(Body::dynamic(at(0.0, -ARM, 0.0), brick())).unwrap();
        let motor = RotationMotor::rotation(Quat::from_rotation_x(1.4)).max_torque(most).max_speed(3.0);
        let joint = BallJoint::new(Vec3::ZERO).axis(Vec3::NEG_Y).swing_limit(0.6).twist_limit(-0.1, 0.1).motor(motor);
        let joint = joint.add_to_world(&mut world, body).unwrap();
        for _ in 0..120 {
            frames(&mut world, 1);
            let swing = joint.coordinate(&world, JointAxis::Swing).unwrap();
            let twist = joint.coordinate(&world, JointAxis::Twist).unwrap();
            assert!(swing < 0.6 + 2e-3 && twist.abs() < 0.1 + 2e-3, "{most}: {swing} {twist}");
        }
        assert_near(joint.coordinate(&world, JointAxis::Swing).unwrap(), 0.6, 5e-3);
    }
}

#[test]
fn a_motor_changes_while_the_world_runs_without_a_new_plan() {
    let (mut world, body, joint) = arm(0.0, RotationMotor::off());
    frames(&mut world, 10);
    let plan = world.state().plan_generation;
    joint.set_rotation_motor(&mut world, RotationMotor::angular_velocity(Vec3::Y)).unwrap();
    frames(&mut world, 10);
    assert_near(world.body(body).unwrap().angular_velocity.y, 1.0, 1e-3);
    let before = BallJoint::new(Vec3::ZERO).motor(RotationMotor::off());
    let after = before.motor(RotationMotor::angular_velocity(Vec3::X));
    joint.update(&mut world, before, after).unwrap();
    frames(&mut world, 10);
    assert_near(world.body(body).unwrap().angular_velocity.x, 1.0, 1e-3);
    assert_eq!(world.state().plan_generation, plan);
    let plain = BallJoint::new(Vec3::ZERO).add_to_world(&mut world, body).unwrap();
    assert!(matches!(
        plain.set_rotation_motor(&mut world, RotationMotor::off()),
        Err(JointError::MissingRotationMotor)
    ));
}

#[test]
fn a_motor_that_is_not_valid_is_refused_by_name() {
    let refused = |motor| {
        let mut world = world(G);
        let body = world.add_body(Body::dynamic(at(0.0, -ARM, 0.0), brick())).unwrap();
        BallJoint::new(Vec3::ZERO).motor(motor).add_to_world(&mut world, body).unwrap_err().to_string()
    };
    let none = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    assert!(refused(RotationMotor::rotation(none)).contains("motor's rotation"));
    assert!(refused(RotationMotor::angular_velocity(Vec3::NAN)).contains("motor's angular velocity"));
    assert!(refused(RotationMotor::off().max_torque(-1.0)).contains("motor's greatest torque"));
}
