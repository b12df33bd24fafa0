//! What a joint holds stays held while its bodies swing and spin.

use glam::Vec3;
use xpbd_rigid::prelude::*;

use super::support::{End, FRAME, Probe, at, brick, skew, world};

/// The largest error of a swinging joint \[m or rad\]: a few times g h² = 7e-6 m, and as much from
/// turning by ω h = 5e-3 in a substep.
const HELD: f64 = 1e-4;

const ANCHOR: Vec3 = Vec3::new(0.4, 0.1, -0.1);

fn axes() -> [Vec3; 2] {
    [skew() * Vec3::X, skew() * Vec3::Y]
}

/// The rows that a joint holds, from the definition of each.
type Rows = fn(End, End) -> Vec<f64>;

fn points([x0, ..]: End, [x1, ..]: End) -> Vec<f64> {
    (x1 - x0).to_array().into()
}

fn on_axis([x0, _, b0, c0]: End, [x1, ..]: End) -> Vec<f64> {
    vec![(x1 - x0).dot(b0), (x1 - x0).dot(c0)]
}

fn parallel([_, a0, ..]: End, [_, a1, ..]: End) -> Vec<f64> {
    a0.cross(a1).to_array().into()
}

fn aligned([_, a0, b0, c0]: End, [_, a1, b1, c1]: End) -> Vec<f64> {
    [(a0, a1), (b0, b1), (c0, c1)].iter().flat_map(|(u, v)| (*u - *v).to_array()).collect()
}

/// Returns the largest residual in a second in which b swings on a, which is free and spins.
fn swing<J: Joint>(joint: J, rows: Rows) -> f64 {
    let mut world = world(9.81);
    let [axis, across] = axes();
    let stand = world.add_body(Body::dynamic(at(0.0, 0.0, 0.0), Mass::ball(50.0, 1.0)).gravity_scale(0.0)).unwrap();
    let body = Body::dynamic(at(0.7, 0.3, 0.1), brick()).angular_velocity(Vec3::new(1.0, 3.0, -2.0)).velocity(Vec3::Z);
    let body = world.add_body(body).unwrap();
    let joint = joint.add(&mut world, stand, body).unwrap();
    let probe = Probe::new(&world, &joint, ANCHOR, axis, across);
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    let mut largest = 0.0_f64;
    for frame in 0..60 {
        world.step(&mut cpu, FRAME).unwrap();
        let [a, b] = probe.ends(&world);
        // The velocities that it starts with do not fit the joint.
        if frame > 5 {
            largest = rows(a, b).iter().fold(largest, |largest, row| largest.max(row.abs()));
        }
    }
    let turned = world.body_pose(joint.bodies()[1]).unwrap();
    assert!((turned.translation - Vec3::new(0.7, 0.3, 0.1)).length() > 0.05, "it has not moved");
    largest
}

#[track_caller]
fn holds<J: Joint>(joint: J, rows: Rows) {
    let error = swing(joint, rows);
    assert!(error < HELD, "{error}");
}

#[test]
fn a_ball_joint_holds_its_points() {
    holds(BallJoint::new(ANCHOR), points);
}

#[test]
fn a_hinge_holds_points_and_axis() {
    let rows = |a, b| [points(a, b), parallel(a, b)].concat();
    holds(HingeJoint::new(ANCHOR, axes()[0]), rows);
}

#[test]
fn a_slider_holds_line_and_rotation() {
    let rows = |a, b| [on_axis(a, b), aligned(a, b)].concat();
    holds(SliderJoint::new(ANCHOR, axes()[0]), rows);
}

#[test]
fn a_cylindrical_joint_holds_line_and_axis() {
    let rows = |a, b| [on_axis(a, b), parallel(a, b)].concat();
    holds(CylindricalJoint::new(ANCHOR, axes()[0]), rows);
}

#[test]
fn a_universal_joint_holds_points_and_the_right_angle() {
    let rows = |a: End, b: End| [points(a, b), vec![a[1].dot(b[2])]].concat();
    holds(UniversalJoint::new(ANCHOR, axes()[0], axes()[1]), rows);
}

#[test]
fn a_fixed_joint_holds_everything() {
    let rows = |a, b| [points(a, b), aligned(a, b)].concat();
    holds(FixedJoint::new(ANCHOR), rows);
}

#[test]
fn points_stay_on_their_line_and_plane() {
    holds(PointOnLineJoint::new(ANCHOR, axes()[0]), on_axis);
    holds(PointOnPlaneJoint::new(ANCHOR, axes()[0]), |a, b| vec![(b[0] - a[0]).dot(a[1])]);
}

#[test]
fn a_rod_and_a_leash_keep_their_distance() {
    let on_b = ANCHOR - Vec3::new(0.7, 0.3, 0.1);
    let length = (ANCHOR - Vec3::new(0.0, -0.5, 0.0)).length();
    for shortest in [length, 0.0] {
        let mut world = world(9.81);
        let stand = world.add_body(Body::fixed(at(0.0, 0.0, 0.0))).unwrap();
        let body = Body::dynamic(at(0.7, 0.3, 0.1), brick()).angular_velocity(Vec3::new(1.0, 3.0, -2.0));
        let body = world.add_body(body).unwrap();
        let joint = DistanceJoint::new(Vec3::new(0.0, -0.5, 0.0), on_b, shortest, length);
        let joint = joint.add(&mut world, stand, body).unwrap();
        let mut cpu = CpuBackend::new(Threads::Exactly(1));
        let mut longest = 0.0_f32;
        for _ in 0..120 {
            world.step(&mut cpu, FRAME).unwrap();
            let found = joint.coordinate(&world, JointAxis::Distance).unwrap();
            longest = longest.max(found);
            assert!(found < length + 1e-4 && found > shortest - 1e-4, "{found} {length}");
        }
        assert!(longest > length - 1e-4, "it was never taut: {longest} {length}");
    }
}
