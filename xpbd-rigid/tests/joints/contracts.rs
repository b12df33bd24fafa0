//! The same bits from a snapshot and for any number of threads; the same result far from the origin.

use glam::Vec3;
use xpbd_rigid::prelude::*;

use super::support::{FRAME, at, brick, skew, world};

/// Returns a chain of all joints from a point, and beside it a wheel that a motor turns.
fn machine(origin: Vec3) -> World {
    let mut world = world(9.81);
    let place = |k: usize| origin + Vec3::new(0.5 * k as f32, 0.0, 0.0625 * (k % 3) as f32);
    let bodies: Vec<_> = (0..9)
        .map(|k| {
            let pose = at(place(k).x, place(k).y, place(k).z);
            world.add_body(Body::dynamic(pose, brick().with_mass(2.0 - 0.2 * k as f32))).unwrap()
        })
        .collect();
    let anchor = |k: usize| 0.5 * (place(k) + place(k + 1));
    let axis = skew() * Vec3::X;
    BallJoint::new(place(0))
        .axis(Vec3::X)
        .swing_limit(1.0)
        .twist_limit(-0.4, 0.4)
        .add_to_world(&mut world, bodies[0])
        .unwrap();
    let pair = |k: usize| (bodies[k], bodies[k + 1]);
    let (a, b) = pair(0);
    HingeJoint::new(anchor(0), Vec3::Z)
        .limits(-0.3, 0.3)
        .motor(JointMotor::velocity(1.0).max_torque(2.0))
        .add(&mut world, a, b)
        .unwrap();
    let (a, b) = pair(1);
    SliderJoint::new(anchor(1), Vec3::X).limits(-0.05, 0.1).add(&mut world, a, b).unwrap();
    let (a, b) = pair(2);
    CylindricalJoint::new(anchor(2), Vec3::X).linear_limits(0.0, 0.1).add(&mut world, a, b).unwrap();
    let (a, b) = pair(3);
    UniversalJoint::new(anchor(3), Vec3::Y, Vec3::Z).limits(-0.2, 0.2).add(&mut world, a, b).unwrap();
    let (a, b) = pair(4);
    FixedJoint::new(anchor(4))
        .compliance(1e-4)
        .rotational_compliance(1e-2)
        .damping_coefficient(1.0)
        .add(&mut world, a, b)
        .unwrap();
    let (a, b) = pair(5);
    SpringJoint::new(Vec3::ZERO, Vec3::ZERO, 0.5)
        .stiffness(500.0)
        .damping_coefficient(3.0)
        .add(&mut world, a, b)
        .unwrap();
    let (a, b) = pair(6);
    DistanceJoint::new(Vec3::ZERO, Vec3::ZERO, 0.2, 0.6).add(&mut world, a, b).unwrap();
    let (a, b) = pair(7);
    PointOnLineJoint::new(anchor(7), axis).limits(-0.1, 0.1).add(&mut world, a, b).unwrap();
    world
}

fn run(world: &mut World, threads: usize, count: usize) {
    let mut cpu = CpuBackend::new(Threads::Exactly(threads));
    (0..count).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let hash = |threads| {
        let mut world = machine(Vec3::ZERO);
        run(&mut world, threads, 60);
        world.state_hash()
    };
    let one = hash(1);
    assert_eq!([hash(2), hash(7)], [one, one]);
}

#[test]
fn a_snapshot_goes_on_with_the_same_bits() {
    let mut world = machine(Vec3::ZERO);
    run(&mut world, 1, 30);
    let bytes = world.snapshot().unwrap();
    let mut other = World::new(Settings::default()).unwrap();
    xpbd_rigid::register(other.registry_mut()).unwrap();
    other.restore(&bytes).unwrap();
    run(&mut world, 1, 30);
    run(&mut other, 1, 30);
    assert_eq!(world.state_hash(), other.state_hash());
}

#[test]
fn a_kilometre_away_it_swings_alike() {
    let shift = Vec3::new(1000.0, -1000.0, 1000.0);
    let (mut near, mut far) = (machine(Vec3::ZERO), machine(shift));
    run(&mut near, 1, 30);
    run(&mut far, 1, 30);
    let place = |world: &World, k: usize| {
        let bodies = &world.state().bodies;
        (bodies.anchor[k].truncate().as_dvec3(), bodies.offset[k].truncate().as_dvec3())
    };
    for k in 0..9 {
        let (here, there) = (place(&near, k), place(&far, k));
        let apart = (there.0 - shift.as_dvec3() - here.0 + there.1 - here.1).length();
        assert!(apart < 1e-3 * 4.0, "body {k}: {apart}");
    }
}

/// Batches of the same type share a pass, whether their joints were added together or not.
#[test]
fn many_joints_are_one_pass() {
    let build = |together: bool| {
        let mut world = world(9.81);
        let bodies: Vec<_> =
            (0..31).map(|k| world.add_body(Body::dynamic(at(0.2 * k as f32, 0.0, 0.0), brick())).unwrap()).collect();
        let joints = (0..30).map(|k| (BallJoint::new(Vec3::X * (0.2 * k as f32 + 0.1)), bodies[k], bodies[k + 1]));
        if together {
            BallJoint::add_all(&mut world, joints).unwrap();
        } else {
            joints.for_each(|(joint, a, b)| drop(joint.add(&mut world, a, b).unwrap()));
        }
        BallJoint::new(Vec3::ZERO).add_to_world(&mut world, bodies[0]).unwrap();
        run(&mut world, 2, 20);
        assert_eq!(world.plan().passes.len(), 1);
        world.state_hash()
    };
    assert_eq!(build(true), build(false));
}
