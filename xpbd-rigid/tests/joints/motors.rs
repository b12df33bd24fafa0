//! Motors reach their speed or target, and no more than their strength.

use glam::Vec3;
use xpbd_core::scalar::trig;
use xpbd_rigid::prelude::*;

use super::support::{G, assert_near, at, brick, frames, world};

const ARM: f32 = 0.5;

/// Returns a brick on a hinge about z, at an arm to the right, and its inertia about the hinge.
fn arm(gravity: f32, motor: JointMotor) -> (World, BodyHandle, JointHandle, f32) {
    let mut world = world(gravity);
    let body = world.add_body(Body::dynamic(at(ARM, 0.0, 0.0), brick())).unwrap();
    let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z).motor(motor).add_to_world(&mut world, body).unwrap();
    (world, body, hinge, brick().principal_inertia.z + brick().mass * ARM * ARM)
}

#[test]
fn a_motor_keeps_its_speed_against_gravity_and_through_the_half_turn() {
    let (mut world, body, hinge, _) = arm(G, JointMotor::velocity(3.0));
    for _ in 0..4 {
        frames(&mut world, 60);
        assert_near(world.body(body).unwrap().angular_velocity.z, 3.0, 1e-3);
    }
    hinge.set_motor(&mut world, JointAxis::Angular, JointMotor::velocity(-1.0)).unwrap();
    frames(&mut world, 60);
    assert_near(world.body(body).unwrap().angular_velocity.z, -1.0, 1e-3);
}

/// ω = τ t/(I + m r²).
#[test]
fn a_stalled_motor_gives_its_torque() {
    let (mut world, body, hinge, inertia) = arm(0.0, JointMotor::velocity(1e3).max_torque(0.8));
    frames(&mut world, 60);
    assert_near(world.body(body).unwrap().angular_velocity.z, 0.8 / inertia, 1e-3);
    assert_near(hinge.reaction(&world).unwrap().torque.z, 0.8, 1e-3);
    hinge.set_motor(&mut world, JointAxis::Angular, JointMotor::off()).unwrap();
    frames(&mut world, 60);
    assert_near(world.body(body).unwrap().angular_velocity.z, 0.8 / inertia, 2e-3);
}

/// A weak motor lets the arm fall with (m g r − τ)/(I + m r²).
#[test]
fn a_brake_that_is_too_weak_slips() {
    let (mut world, body, _, inertia) = arm(G, JointMotor::velocity(0.0).max_torque(4.0));
    frames(&mut world, 6);
    let expected = -(brick().mass * G * ARM - 4.0) / inertia * 6.0 / 60.0;
    assert_near(world.body(body).unwrap().angular_velocity.z, expected, 0.01);
    let (mut world, _, hinge, _) = arm(G, JointMotor::velocity(0.0).max_torque(20.0));
    frames(&mut world, 300);
    let crept = hinge.coordinate(&world, JointAxis::Angular).unwrap();
    assert!(crept.abs() < 1e-3, "a brake that is strong enough holds: {crept}");
}

#[test]
fn a_servo_goes_to_its_target_at_its_speed() {
    let (mut world, body, hinge, _) = arm(G, JointMotor::position(2.0).max_speed(1.5));
    frames(&mut world, 60);
    assert_near(hinge.coordinate(&world, JointAxis::Angular).unwrap(), 1.5, 2e-3);
    assert_near(world.body(body).unwrap().angular_velocity.z, 1.5, 2e-3);
    frames(&mut world, 60);
    assert_near(hinge.coordinate(&world, JointAxis::Angular).unwrap(), 2.0, 1e-4);
    // The shorter way to −2 is through the half turn.
    hinge.set_motor(&mut world, JointAxis::Angular, JointMotor::position(-2.0).max_speed(1.5)).unwrap();
    frames(&mut world, 30);
    assert!(hinge.coordinate(&world, JointAxis::Angular).unwrap() > 2.5);
    frames(&mut world, 90);
    assert_near(hinge.coordinate(&world, JointAxis::Angular).unwrap(), -2.0, 1e-4);
}

/// k (q* − q) = m g r cos q.
#[test]
fn a_spring_to_a_target_sags_by_the_load() {
    let (mut world, _, hinge, _) = arm(G, JointMotor::position(0.5).spring(100.0, 20.0));
    frames(&mut world, 600);
    let angle = hinge.coordinate(&world, JointAxis::Angular).unwrap();
    assert_near(100.0 * (0.5 - angle), brick().mass * G * ARM * trig::cos(angle), 1e-3);
}

#[test]
fn a_slider_is_driven_likewise() {
    let mut world = world(G);
    let body = world.add_body(Body::dynamic(at(0.0, 0.0, 0.0), brick())).unwrap();
    let lift =
        SliderJoint::new(Vec3::ZERO, Vec3::Y).motor(JointMotor::velocity(0.7)).add_to_world(&mut world, body).unwrap();
    frames(&mut world, 60);
    assert_near(lift.coordinate(&world, JointAxis::Linear).unwrap(), 0.7, 2e-3);
    assert_near(world.body(body).unwrap().velocity.y, 0.7, 1e-3);
    lift.set_motor(&mut world, JointAxis::Linear, JointMotor::position(0.2).max_speed(1.0)).unwrap();
    frames(&mut world, 60);
    assert_near(lift.coordinate(&world, JointAxis::Linear).unwrap(), 0.2, 1e-4);
    // F/m − g.
    lift.set_motor(&mut world, JointAxis::Linear, JointMotor::velocity(1e3).max_force(30.0)).unwrap();
    frames(&mut world, 60);
    assert_near(world.body(body).unwrap().velocity.y, 30.0 / 2.0 - G, 1e-3);
}

#[test]
fn the_other_joints_have_motors_on_their_axes() {
    let drive = |add: fn(&mut World, BodyHandle)| {
        let mut world = world(0.0);
        let body = world.add_body(Body::dynamic(at(0.0, 0.0, 0.0), brick())).unwrap();
        add(&mut world, body);
        frames(&mut world, 30);
        world.body(body).unwrap()
    };
    let bolt = drive(|world, body| {
        let bolt = CylindricalJoint::new(Vec3::ZERO, Vec3::X).angular_motor(JointMotor::velocity(2.0));
        bolt.linear_motor(JointMotor::velocity(0.5)).add_to_world(world, body).unwrap();
    });
    assert!((bolt.angular_velocity - 2.0 * Vec3::X).length() < 2e-3 && (bolt.velocity - 0.5 * Vec3::X).length() < 1e-3);
    let ring = drive(|world, body| {
        let ring = PointOnLineJoint::new(Vec3::ZERO, Vec3::X).motor(JointMotor::velocity(0.5));
        ring.add_to_world(world, body).unwrap();
    });
    assert!((ring.velocity - 0.5 * Vec3::X).length() < 1e-3);
    let cross = drive(|world, body| {
        let cross = UniversalJoint::new(Vec3::ZERO, Vec3::X, Vec3::Y).second_motor(JointMotor::velocity(2.0));
        cross.motor(JointMotor::velocity(0.0)).add_to_world(world, body).unwrap();
    });
    assert!((cross.angular_velocity - 2.0 * Vec3::Y).length() < 4e-3, "{}", cross.angular_velocity);
}
