//! Bodies that spin on a joint keep their spin.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_rigid::prelude::*;

use super::support::{G, frames, world};

/// The spin of a top about its axis at the start \[rad/s\].
const SPIN: f32 = 50.0;

/// A disc of 0.5 kg on a tip 0.1 m below its centre, which leans by 30°.
#[test]
fn a_top_keeps_its_spin() {
    let mut world = world(G);
    let axis = Quat::from_rotation_z(-0.52) * Vec3::Y;
    let rotation = Quat::from_rotation_arc(Vec3::Y, axis);
    let body = Body::dynamic(Pose::from_parts(axis * 0.1, rotation), Mass::new(0.5, Vec3::new(8e-4, 1.6e-3, 8e-4)));
    let body = world.add_body(body.angular_velocity(axis * SPIN)).unwrap();
    BallJoint::new(Vec3::ZERO).add_to_world(&mut world, body).unwrap();
    for second in 0..10 {
        frames(&mut world, 60);
        let body = world.body(body).unwrap();
        let spin = body.angular_velocity.dot(body.pose.rotation * Vec3::Y);
        assert!((spin / SPIN - 1.0).abs() < 0.01, "{spin} rad/s after {} s", second + 1);
    }
}

/// A brick whose centre goes round the joint, without weight.
#[test]
fn a_body_off_its_joint_keeps_its_spin() {
    for is_ball in [false, true] {
        let mut world = world(0.0);
        let mass = Mass::cuboid(2.0, Vec3::new(0.2, 0.1, 0.1));
        let body = Body::dynamic(Pose::translation(0.2, 0.0, 0.0), mass);
        let body = body.angular_velocity(Vec3::Y * SPIN).velocity(Vec3::NEG_Z * 0.2 * SPIN);
        let body = world.add_body(body).unwrap();
        if is_ball {
            BallJoint::new(Vec3::ZERO).add_to_world(&mut world, body).unwrap();
        } else {
            HingeJoint::new(Vec3::ZERO, Vec3::Y).add_to_world(&mut world, body).unwrap();
        }
        for second in 0..10 {
            frames(&mut world, 60);
            let spin = world.body(body).unwrap().angular_velocity.y;
            assert!((spin / SPIN - 1.0).abs() < 0.01, "{spin} rad/s after {} s", second + 1);
        }
    }
}
