//! Bounds of free axes hold, from both sides and across the half turn.

use std::f32::consts::{PI, TAU};

use glam::Vec3;
use xpbd_core::scalar::trig;
use xpbd_rigid::prelude::*;

use super::support::{FRAME, at, brick, frames, skew, world};

/// How far a bound may be passed \[rad or m\].
const OVER: f32 = 1e-3;

/// Runs and gives the smallest and the largest coordinate, and the last.
fn range(world: &mut World, joint: &JointHandle, freedom: JointAxis, count: usize) -> [f32; 3] {
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    let (mut low, mut high, mut last) = (f32::MAX, f32::MIN, 0.0);
    for _ in 0..count {
        world.step(&mut cpu, FRAME).unwrap();
        last = joint.coordinate(world, freedom).unwrap();
        (low, high) = (low.min(last), high.max(last));
    }
    [low, high, last]
}

#[test]
fn a_hinge_falls_to_its_stop_and_stays() {
    for side in [1.0, -1.0] {
        let mut world = world(9.81);
        let body =
            world.add_body(Body::dynamic(at(side * 0.5, 0.0, 0.0), brick()).angular_velocity(Vec3::Z * side)).unwrap();
        let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z).limits(-0.5, 0.5).add_to_world(&mut world, body).unwrap();
        let [low, high, last] = range(&mut world, &hinge, JointAxis::Angular, 300);
        assert!(low > -0.5 - OVER && high < 0.5 + OVER, "{low} {high}");
        assert!((last + 0.5 * side).abs() < OVER, "{last}");
    }
}

#[test]
fn a_range_may_span_the_half_turn() {
    for turns in [-TAU, 0.0, 3.0 * TAU] {
        let mut world = world(0.0);
        let body = world.add_body(Body::dynamic(at(0.5, 0.0, 0.0), brick())).unwrap();
        let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z).limits(turns - 0.1, turns + PI + 0.5);
        let hinge = hinge.motor(JointMotor::velocity(4.0).max_torque(5.0)).add_to_world(&mut world, body).unwrap();
        let [.., last] = range(&mut world, &hinge, JointAxis::Angular, 120);
        assert!((last - (0.5 - PI)).abs() < OVER, "{last}");
        hinge.set_motor(&mut world, JointAxis::Angular, JointMotor::velocity(-4.0).max_torque(5.0)).unwrap();
        let [.., last] = range(&mut world, &hinge, JointAxis::Angular, 120);
        assert!((last + 0.1).abs() < OVER, "{last}");
    }
}

#[test]
fn a_whole_turn_bounds_nothing() {
    let mut world = world(0.0);
    let body = world.add_body(Body::dynamic(at(0.0, 0.0, 0.0), brick()).angular_velocity(Vec3::Z * 5.0)).unwrap();
    let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z).limits(-PI, PI).add_to_world(&mut world, body).unwrap();
    frames(&mut world, 120);
    assert!((world.body(body).unwrap().angular_velocity.z - 5.0).abs() < 1e-3);
    assert!(hinge.reaction(&world).unwrap().torque.length() < 1e-2);
}

#[test]
fn a_slider_stops_at_both_ends() {
    let mut world = world(9.81);
    let axis = skew() * Vec3::Y;
    let body = world.add_body(Body::dynamic(at(0.0, 0.0, 0.0), brick()).velocity(axis * 9.0)).unwrap();
    let slider = SliderJoint::new(Vec3::ZERO, axis).limits(-0.3, 0.2).add_to_world(&mut world, body).unwrap();
    let [low, high, last] = range(&mut world, &slider, JointAxis::Linear, 180);
    assert!(low > -0.3 - OVER && (high - 0.2).abs() < OVER, "{low} {high}");
    assert!((last - if axis.y > 0.0 { -0.3 } else { 0.2 }).abs() < OVER, "{last}");
}

#[test]
fn a_ball_stays_in_its_cone_and_its_twist() {
    let mut world = world(9.81);
    let down = Vec3::NEG_Y;
    let body =
        Body::dynamic(at(0.0, -0.5, 0.0), brick()).velocity(Vec3::new(4.0, 0.0, 3.0)).angular_velocity(Vec3::Y * 6.0);
    let body = world.add_body(body).unwrap();
    let ball = BallJoint::new(Vec3::ZERO)
        .axis(down)
        .swing_limit(0.6)
        .twist_limit(-0.3, 0.4)
        .add_to_world(&mut world, body)
        .unwrap();
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    let (mut swing, mut twist) = (0.0_f32, [0.0_f32; 2]);
    for _ in 0..180 {
        world.step(&mut cpu, FRAME).unwrap();
        swing = swing.max(ball.coordinate(&world, JointAxis::Swing).unwrap());
        let now = ball.coordinate(&world, JointAxis::Twist).unwrap();
        twist = [twist[0].min(now), twist[1].max(now)];
    }
    assert!((swing - 0.6).abs() < 5.0 * OVER, "{swing}");
    assert!(twist[0] > -0.3 - 5.0 * OVER && twist[1] < 0.4 + 5.0 * OVER, "{twist:?}");
    assert!(twist[0] < -0.25, "the twist never reached its bound: {twist:?}");
}

#[test]
fn a_universal_joint_has_bounds_about_both_axes() {
    for (freedom, spin) in [(JointAxis::Angular, Vec3::X), (JointAxis::SecondAngular, Vec3::Z)] {
        let mut world = world(0.0);
        let velocity = (3.0 * spin).cross(Vec3::new(0.0, -0.5, 0.0));
        let body = Body::dynamic(at(0.0, -0.5, 0.0), brick()).angular_velocity(spin * 3.0).velocity(velocity);
        let body = world.add_body(body).unwrap();
        let joint = UniversalJoint::new(Vec3::ZERO, Vec3::X, Vec3::Z).limits(-0.4, 0.5).second_limits(-0.2, 0.3);
        let joint = joint.add_to_world(&mut world, body).unwrap();
        let [low, high, _] = range(&mut world, &joint, freedom, 60);
        let bound = if freedom == JointAxis::Angular { 0.5 } else { 0.3 };
        assert!((high - bound).abs() < OVER && low > -0.01, "{low} {high}");
    }
}

/// Soft stops yield by α τ.
#[test]
fn a_soft_stop_yields() {
    let mut world = world(9.81);
    let body = Body::dynamic(at(0.5, 0.0, 0.0), brick()).damping(0.0, 5.0);
    let body = world.add_body(body).unwrap();
    let mut hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z);
    hinge.limits = Some(JointLimits::new(-0.05, 1.0).soft(1e-3, 100.0));
    let hinge = hinge.add_to_world(&mut world, body).unwrap();
    frames(&mut world, 600);
    let angle = hinge.coordinate(&world, JointAxis::Angular).unwrap();
    let torque = 2.0 * 9.81 * 0.5 * trig::cos(angle);
    assert!((angle + 0.05 + 1e-3 * torque).abs() < 1e-4, "{angle} {torque}");
    hinge.set_limits(&mut world, JointAxis::Angular, 0.2, 1.0).unwrap();
    frames(&mut world, 600);
    let moved = hinge.coordinate(&world, JointAxis::Angular).unwrap();
    assert!((moved - angle - 0.25).abs() < 1e-3, "{moved} {angle}");
}

/// A soft stop beside a hard one is the one that is changed.
#[test]
fn hard_and_soft_stops_go_together() {
    let mut world = world(0.0);
    let body = world.add_body(Body::dynamic(at(0.0, -0.5, 0.0), brick())).unwrap();
    let mut joint = UniversalJoint::new(Vec3::ZERO, Vec3::X, Vec3::Z).limits(-0.4, 0.5);
    joint.second_limits = Some(JointLimits::new(-0.3, 0.3).soft(0.01, 10.0));
    let push = |torque| JointMotor::velocity(9.0).max_torque(torque);
    let joint = joint.motor(push(1.0)).second_motor(push(2.0)).add_to_world(&mut world, body).unwrap();
    for [first, second] in [[0.5, 0.3], [0.2, 0.1]] {
        joint.set_limits(&mut world, JointAxis::Angular, -0.4, first).unwrap();
        joint.set_limits(&mut world, JointAxis::SecondAngular, -0.3, second).unwrap();
        frames(&mut world, 300);
        let angle = |freedom| joint.coordinate(&world, freedom).unwrap();
        assert!((angle(JointAxis::Angular) - first).abs() < OVER, "{}", angle(JointAxis::Angular));
        assert!((angle(JointAxis::SecondAngular) - second - 0.02).abs() < OVER, "{}", angle(JointAxis::SecondAngular));
    }
}

#[test]
fn a_leash_can_be_shortened() {
    let mut world = world(9.81);
    let stand = world.add_body(Body::fixed(at(0.0, 0.0, 0.0))).unwrap();
    let body = world.add_body(Body::dynamic(at(0.0, -1.0, 0.0), brick())).unwrap();
    let leash = DistanceJoint::new(Vec3::ZERO, Vec3::ZERO, 0.0, 1.0).add(&mut world, stand, body).unwrap();
    frames(&mut world, 10);
    leash.set_limits(&mut world, JointAxis::Distance, 0.0, 0.999).unwrap();
    frames(&mut world, 300);
    let length = leash.coordinate(&world, JointAxis::Distance).unwrap();
    assert!((length - 0.999).abs() < 1e-4, "{length}");
}
