//! Joints break under more than they bear, once, and say so.

use glam::Vec3;
use parry3d::math::Pose;
use xpbd_rigid::prelude::*;

use super::support::{FRAME, G, at, brick, frames, world};

/// Returns a brick that hangs on a joint, pulled down harder each frame.
fn pull<J: Joint>(joint: J, count: usize) -> (World, BodyHandle, JointHandle, Vec<(usize, f32)>) {
    let mut world = world(G);
    let body = world.add_body(Body::dynamic(at(0.0, -0.5, 0.0), brick())).unwrap();
    let joint = joint.add_to_world(&mut world, body).unwrap();
    frames(&mut world, 30);
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    let mut events = Vec::new();
    for frame in 0..count {
        world.add_body_force(body, Vec3::NEG_Y * frame as f32).unwrap();
        world.step(&mut cpu, FRAME).unwrap();
        for broken in world.broken() {
            assert!(joint.owns(broken.batch, broken.constraint));
            events.push((frame, broken.force));
        }
    }
    (world, body, joint, events)
}

/// With 1 N more each frame, from 19.6 N, 50 N are passed in the frame of 31 N.
#[test]
fn a_joint_breaks_at_its_force_and_says_so_once() {
    let hinge =
        HingeJoint::new(Vec3::ZERO, Vec3::Z).limits(-1.0, 1.0).motor(JointMotor::velocity(0.0)).break_force(50.0);
    let (mut world, body, joint, events) = pull(hinge, 60);
    let [(frame, force)] = events[..] else { panic!("{events:?}") };
    assert!((30..=32).contains(&frame) && (force - 50.5).abs() < 1.0, "{frame} {force}");
    assert!(joint.is_broken(&world).unwrap());
    assert_eq!(world.plan().traced().map(|pass| pass.len()).sum::<usize>(), 0, "limit and motor go with it");
    assert_eq!(joint.reaction(&world).unwrap().force, Vec3::ZERO);
    let falling = world.body(body).unwrap().velocity.y;
    frames(&mut world, 30);
    let fallen = world.body(body).unwrap().velocity.y;
    assert!((fallen - falling + 0.5 * G).abs() < 1e-3, "it is free: {falling} {fallen}");
}

#[test]
fn a_whole_joint_bears_just_less() {
    let (world, _, joint, events) = pull(BallJoint::new(Vec3::ZERO).break_force(81.0), 60);
    assert!(events.is_empty() && !joint.is_broken(&world).unwrap(), "{events:?}");
}

/// A cantilever of torque m g r breaks by torque, though not by force.
#[test]
fn a_joint_breaks_at_its_torque() {
    let lever = |bears: f32| {
        let mut world = world(G);
        let body = world.add_body(Body::dynamic(at(0.5, 0.0, 0.0), brick())).unwrap();
        let weld = FixedJoint::new(Vec3::ZERO).break_torque(bears).add_to_world(&mut world, body).unwrap();
        frames(&mut world, 60);
        weld.is_broken(&world).unwrap()
    };
    assert!(lever(9.6) && !lever(10.2));
}

#[test]
fn what_is_broken_stays_so_in_a_snapshot_and_can_be_mended() {
    let (mut world, body, joint, _) = pull(BallJoint::new(Vec3::ZERO).break_force(30.0), 40);
    let bytes = world.snapshot().unwrap();
    let mut other = World::new(Settings::default()).unwrap();
    xpbd_rigid::register(other.registry_mut()).unwrap();
    other.restore(&bytes).unwrap();
    assert!(joint.is_broken(&other).unwrap());
    frames(&mut world, 10);
    frames(&mut other, 10);
    assert_eq!(world.state_hash(), other.state_hash());
    world.edit_body(body, |body| *body = Body::dynamic(at(0.0, -0.5, 0.0), brick())).unwrap();
    joint.set_broken(&mut world, false).unwrap();
    frames(&mut world, 60);
    assert!((world.body_pose(body).unwrap().translation.y + 0.5).abs() < 1e-4, "it hangs again");
    assert!(world.broken().is_empty());
}

/// Of many joints in one batch, one that breaks leaves the others.
#[test]
fn one_of_many_breaks_alone() {
    let mut world = world(G);
    let stand = world.add_body(Body::fixed(Pose::IDENTITY)).unwrap();
    let joints: Vec<_> = (0..20u8)
        .map(|k| {
            let x = f32::from(k);
            let heavy = if k == 7 { 4.0 } else { 1.0 };
            let body = Body::dynamic(at(x, -0.5, 0.0), brick().with_mass(heavy));
            (BallJoint::new(Vec3::X * x).swing_limit(1.0).break_force(20.0), stand, world.add_body(body).unwrap())
        })
        .collect();
    let joints = BallJoint::add_all(&mut world, joints).unwrap();
    frames(&mut world, 1);
    let broken: Vec<u32> = world.broken().iter().map(|broken| broken.constraint).collect();
    assert_eq!(broken, [7]);
    frames(&mut world, 30);
    let whole = joints.iter().filter(|joint| !joint.is_broken(&world).unwrap()).count();
    assert_eq!((whole, world.plan().traced().map(|pass| pass.len()).sum::<usize>()), (19, 19));
}
