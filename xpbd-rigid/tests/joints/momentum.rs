//! Joints push both ways: without external forces momentum stays.

use glam::Vec3;
use parry3d::math::Pose;
use xpbd_rigid::prelude::*;

use super::support::{at, brick, frames, skew, world};

/// Returns a pair of bodies in free space that move against each other at this speed \[m/s, rad/s\].
fn pair(speed: f32) -> (World, [BodyHandle; 2]) {
    let mut world = world(0.0);
    let pose = Pose::from_parts(Vec3::new(-0.4, 0.1, 0.0), skew());
    let a = Body::dynamic(pose, brick()).angular_velocity(Vec3::new(1.0, 2.0, 0.5) * speed);
    let b = Body::dynamic(at(0.4, 0.0, 0.1), Mass::ball(1.0, 0.3)).velocity(Vec3::new(0.3, 1.0, 0.2) * speed);
    let bodies = [a, b].map(|body| world.add_body(body).unwrap());
    (world, bodies)
}

/// Momentum stays within 1e-5 a second. Backward Euler takes ω² h of the angular momentum of a pair that
/// turns by ω, so the pair turns slowly; that it gives no energy is true at any speed.
#[track_caller]
fn keeps_momentum(add: impl Fn(&mut World, BodyHandle, BodyHandle) -> JointHandle) {
    let (mut world, [a, b]) = pair(0.03);
    add(&mut world, a, b);
    let before = world.momentum();
    frames(&mut world, 120);
    let after = world.momentum();
    let linear = (after.linear - before.linear).length() / before.linear.length();
    let angular = (after.angular - before.angular).length() / before.angular.length();
    assert!(linear < 2e-5 && angular < 2e-5, "linear {linear}, angular {angular}");
    acts_both_ways(add);
}

/// At full speed: force and torque on one body are the opposite of those on the other.
#[track_caller]
fn acts_both_ways(add: impl Fn(&mut World, BodyHandle, BodyHandle) -> JointHandle) {
    let (mut world, [a, b]) = pair(1.0);
    let joint = add(&mut world, a, b);
    let energy = world.energy().kinetic;
    let mut pushed = 0.0_f32;
    for _ in 0..60 {
        frames(&mut world, 1);
        let (parts, index) = joint.batches();
        for part in parts {
            let loads = world.reaction(part.batch, index).unwrap();
            let [on_a, on_b] = [loads[0], loads[1]];
            let arm = world.body_pose(b).unwrap().translation - world.body_pose(a).unwrap().translation;
            let torque = on_a.torque + on_b.torque + arm.cross(on_b.force);
            let size = on_b.force.length().max(on_b.torque.length());
            assert!((on_a.force + on_b.force).length() <= 1e-6 * size, "{loads:?}");
            // Equal and opposite forces at points that are apart by the error of the joint, 1e-4 m.
            assert!(torque.length() <= 1e-4 * size, "{torque} {loads:?}");
            pushed = pushed.max(size);
        }
    }
    assert!(pushed > 0.1, "nothing was pushed: {pushed}");
    assert!(world.energy().kinetic < energy * 1.001, "{} {energy}", world.energy().kinetic);
}

const AXIS: Vec3 = Vec3::new(0.6, 0.8, 0.0);

#[test]
fn of_bodies_held_at_a_point() {
    keeps_momentum(|world, a, b| BallJoint::new(Vec3::ZERO).add(world, a, b).unwrap());
    keeps_momentum(|world, a, b| HingeJoint::new(Vec3::ZERO, AXIS).add(world, a, b).unwrap());
    keeps_momentum(|world, a, b| UniversalJoint::new(Vec3::ZERO, AXIS, Vec3::Z).add(world, a, b).unwrap());
    keeps_momentum(|world, a, b| FixedJoint::new(Vec3::ZERO).add(world, a, b).unwrap());
}

#[test]
fn of_bodies_that_slide() {
    keeps_momentum(|world, a, b| SliderJoint::new(Vec3::ZERO, AXIS).limits(-0.2, 0.2).add(world, a, b).unwrap());
    keeps_momentum(|world, a, b| CylindricalJoint::new(Vec3::ZERO, AXIS).add(world, a, b).unwrap());
    keeps_momentum(|world, a, b| PointOnLineJoint::new(Vec3::ZERO, AXIS).add(world, a, b).unwrap());
    keeps_momentum(|world, a, b| PointOnPlaneJoint::new(Vec3::ZERO, AXIS).add(world, a, b).unwrap());
}

#[test]
fn of_bodies_at_a_distance() {
    let ends = [Vec3::new(0.1, 0.1, 0.0), Vec3::new(0.0, 0.2, 0.0)];
    keeps_momentum(|world, a, b| {
        let place = |body, local| world.body_pose(body).unwrap().transform_point(local);
        let rest = place(a, ends[0]).distance(place(b, ends[1]));
        SpringJoint::new(ends[0], ends[1], rest).stiffness(50.0).add(world, a, b).unwrap()
    });
    keeps_momentum(|world, a, b| DistanceJoint::new(ends[0], ends[1], 0.3, 0.9).add(world, a, b).unwrap());
}

#[test]
fn of_bodies_that_are_bounded() {
    keeps_momentum(|world, a, b| HingeJoint::new(Vec3::ZERO, AXIS).limits(-0.3, 0.3).add(world, a, b).unwrap());
    keeps_momentum(|world, a, b| {
        let ball = BallJoint::new(Vec3::ZERO).axis(AXIS).swing_limit(0.5).twist_limit(-0.1, 0.1);
        ball.add(world, a, b).unwrap()
    });
}
