//! What a joint bears, in newtons and newton metres; and what it gives way under it.

use glam::Vec3;
use parry3d::math::Pose;
use xpbd_rigid::joint::JointReaction;
use xpbd_rigid::prelude::*;

use super::support::{FRAME, G, assert_near, at, brick, frames, skew, world};

/// Returns the mean over a second.
fn mean(world: &mut World, joint: &JointHandle) -> JointReaction {
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    let mut sum = JointReaction::default();
    for _ in 0..60 {
        world.step(&mut cpu, FRAME).unwrap();
        let JointReaction { force, torque } = joint.reaction(world).unwrap();
        (sum.force, sum.torque) = (sum.force + force / 60.0, sum.torque + torque / 60.0);
    }
    sum
}

/// Returns a world of few substeps, in which forces are read with more digits.
fn coarse() -> World {
    let mut world = world(G);
    let settings = Settings { substeps: 4, ..world.settings().clone() };
    world.set_settings(settings).unwrap();
    world
}

fn hanging<J: Joint>(joint: J) -> JointReaction {
    let mut world = coarse();
    let body = world.add_body(Body::dynamic(at(0.0, -0.5, 0.0), brick())).unwrap();
    let joint = joint.add_to_world(&mut world, body).unwrap();
    frames(&mut world, 30);
    mean(&mut world, &joint)
}

#[track_caller]
fn bears_the_weight(reaction: JointReaction) {
    let weight = Vec3::Y * 2.0 * G;
    assert!((reaction.force - weight).length() < 1e-3 * weight.length(), "{reaction:?}");
    assert!(reaction.torque.length() < 1e-3 * weight.length(), "{reaction:?}");
}

#[test]
fn a_hanging_body_weighs_on_every_joint() {
    bears_the_weight(hanging(BallJoint::new(Vec3::ZERO)));
    bears_the_weight(hanging(HingeJoint::new(Vec3::ZERO, Vec3::Z)));
    bears_the_weight(hanging(UniversalJoint::new(Vec3::ZERO, Vec3::X, Vec3::Z)));
    bears_the_weight(hanging(FixedJoint::new(Vec3::ZERO)));
    bears_the_weight(hanging(SliderJoint::new(Vec3::ZERO, Vec3::X)));
    bears_the_weight(hanging(CylindricalJoint::new(Vec3::ZERO, Vec3::X)));
    bears_the_weight(hanging(PointOnLineJoint::new(Vec3::ZERO, Vec3::X)));
    bears_the_weight(hanging(PointOnPlaneJoint::new(Vec3::ZERO, Vec3::Y)));
    // By its stop, its motor, its rope.
    bears_the_weight(hanging(SliderJoint::new(Vec3::ZERO, Vec3::Y).limits(0.0, 1.0)));
    bears_the_weight(hanging(SliderJoint::new(Vec3::ZERO, Vec3::Y).motor(JointMotor::position(0.0))));
}

/// A substep moves a body by g h² = 7e-6 m, of which single precision knows a percent. Over the 20 substeps of a
/// frame these errors cancel but for the first and the last.
#[test]
fn the_reaction_of_a_hanging_body_is_its_weight_in_every_frame() {
    let mut world = world(G);
    let body = world.add_body(Body::dynamic(at(0.3, -0.5, 0.1), brick())).unwrap();
    let joint = FixedJoint::new(Vec3::ZERO).add_to_world(&mut world, body).unwrap();
    frames(&mut world, 30);
    let weight = Vec3::Y * 2.0 * G;
    for _ in 0..120 {
        frames(&mut world, 1);
        let force = joint.reaction(&world).unwrap().force;
        assert!((force - weight).length() < 1e-3 * weight.length(), "{force}");
    }
}

#[test]
fn a_leash_bears_the_weight() {
    let mut world = coarse();
    let stand = world.add_body(Body::fixed(Pose::IDENTITY)).unwrap();
    let body = world.add_body(Body::dynamic(at(0.0, -0.5, 0.0), brick())).unwrap();
    let leash = DistanceJoint::new(Vec3::ZERO, Vec3::ZERO, 0.0, 0.5).add(&mut world, stand, body).unwrap();
    frames(&mut world, 30);
    bears_the_weight(mean(&mut world, &leash));
}

/// A cantilever: force m g, torque m g r about the anchor, whatever the axes of body and joint.
#[test]
fn a_cantilever_bears_a_torque() {
    for turn in [glam::Quat::IDENTITY, skew()] {
        let mut world = coarse();
        let center = Vec3::new(0.05, -0.1, 0.02);
        let mass = Mass { center_of_mass: turn.inverse() * center, ..brick() };
        let body = Body::dynamic(Pose::from_parts(Vec3::new(0.6, 0.0, 0.0), turn), mass);
        let body = world.add_body(body).unwrap();
        let weld = FixedJoint::new(Vec3::ZERO).add_to_world(&mut world, body).unwrap();
        frames(&mut world, 30);
        let JointReaction { force, torque } = mean(&mut world, &weld);
        let weight = Vec3::Y * 2.0 * G;
        let expected = -(Vec3::new(0.6, 0.0, 0.0) + center).cross(-weight);
        assert!((force - weight).length() < 1e-3 * weight.length(), "{force}");
        assert!((torque - expected).length() < 2e-3 * expected.length(), "{torque} {expected}");
    }
}

/// Two boxes on compliant links, \[Rigid20\] fig. 4: each link gives way by α F whatever the substeps.
/// A few iterations, since one sweep over two links on one body leaves (1 + γ) g h² of an error, 9 % here
/// in a single substep.
#[test]
fn compliant_links_stretch_by_their_load() {
    for substeps in [1, 5, 20, 50] {
        let mut world = world(G);
        world.set_settings(Settings { substeps, iterations: 6, ..world.settings().clone() }).unwrap();
        let stand = world.add_body(Body::fixed(Pose::IDENTITY)).unwrap();
        let [upper, lower] = [-1.0, -2.0].map(|y| world.add_body(Body::dynamic(at(0.0, y, 0.0), brick())).unwrap());
        let link = || SpringJoint::new(Vec3::ZERO, Vec3::ZERO, 1.0).compliance(0.01).damping_coefficient(20.0);
        let first = link().add(&mut world, stand, upper).unwrap();
        let second = link().add(&mut world, upper, lower).unwrap();
        frames(&mut world, 1200);
        for (link, load) in [(first, 4.0 * G), (second, 2.0 * G)] {
            assert_near(link.coordinate(&world, JointAxis::Distance).unwrap() - 1.0, 0.01 * load, 1e-3);
        }
    }
}

/// Every joint that has a compliance gives way by α F, and by α_r τ about what it holds.
#[test]
fn soft_joints_give_way_by_their_load() {
    let mut world = world(G);
    let body = Body::dynamic(at(0.5, 0.0, 0.0), brick()).damping(4.0, 4.0);
    let body = world.add_body(body).unwrap();
    let weld = FixedJoint::new(Vec3::ZERO).compliance(1e-3).rotational_compliance(2e-3);
    let weld = weld.add_to_world(&mut world, body).unwrap();
    frames(&mut world, 900);
    let pose = world.body_pose(body).unwrap();
    let sag = (pose.transform_point(Vec3::new(-0.5, 0.0, 0.0))).y;
    assert_near(-sag, 1e-3 * 2.0 * G, 1e-3);
    let angle = weld.coordinate(&world, JointAxis::Angular).unwrap();
    assert!(angle.abs() < 1e-4);
    let tilt = f64::from(-(pose.rotation * Vec3::X).y).asin();
    let torque = f64::from(2.0 * G * 0.5) * tilt.cos();
    // 2 tan(θ/2) = α_r τ.
    assert_near((2.0 * (0.5 * tilt).tan()) as f32, (2e-3 * torque) as f32, 2e-3);
}

/// Returns the largest λ w of joints of all kinds that tie bodies in their places, anywhere and turned anyhow: each kind a
/// pair of its own, or all the same pair.
fn push_of_rest_poses(share_a_pair: bool) -> f32 {
    let mut most = 0.0f32;
    for (place, turn) in [(Vec3::ZERO, skew()), (Vec3::new(3.0, -2.0, 5.0), skew().inverse())] {
        let pose = |local: Vec3| Pose::from_parts(place + turn * local, turn);
        let mut world = world(0.0);
        let pairs: Vec<[BodyHandle; 2]> = (0..if share_a_pair { 1 } else { 8 })
            .map(|_| [Vec3::ZERO, Vec3::new(0.8, 0.1, 0.0)].map(|at| Body::dynamic(pose(at), brick())))
            .map(|pair| pair.map(|body| world.add_body(body).unwrap()))
            .collect();
        let [a, b]: [[BodyHandle; 8]; 2] = [0, 1].map(|end| std::array::from_fn(|k| pairs[k % pairs.len()][end]));
        let (anchor, axis) = (place + turn * Vec3::new(0.4, 0.0, 0.1), turn * Vec3::Y);
        let ball = BallJoint::new(anchor).axis(axis).swing_limit(0.5).twist_limit(-0.5, 0.5);
        let hinge = HingeJoint::new(anchor, axis).limits(-0.5, 0.5).motor(JointMotor::position(0.0));
        let joints = [
            ball.add(&mut world, a[0], b[0]).unwrap(),
            hinge.add(&mut world, a[1], b[1]).unwrap(),
            SliderJoint::new(anchor, axis).motor(JointMotor::velocity(0.0)).add(&mut world, a[2], b[2]).unwrap(),
            CylindricalJoint::new(anchor, axis).add(&mut world, a[3], b[3]).unwrap(),
            UniversalJoint::new(anchor, axis, turn * Vec3::X).add(&mut world, a[4], b[4]).unwrap(),
            FixedJoint::new(anchor).add(&mut world, a[5], b[5]).unwrap(),
            PointOnLineJoint::new(anchor, axis).add(&mut world, a[6], b[6]).unwrap(),
            PointOnPlaneJoint::new(anchor, axis).add(&mut world, a[7], b[7]).unwrap(),
        ];
        frames(&mut world, 1);
        let h = FRAME / 20.0;
        for joint in joints {
            let JointReaction { force, torque } = joint.reaction(&world).unwrap();
            let push = force.length() * h * h / 2.0 + torque.length() * h * h / brick().principal_inertia.max_element();
            most = most.max(push);
        }
    }
    most
}

#[test]
fn a_rest_pose_bears_nothing() {
    let push = push_of_rest_poses(false);
    assert!(push < 5e-6, "{push} of the size");
}

/// Rows of joints that say the same differ by the rounding of places, which pivots of 1e-4 turn into a push.
#[test]
fn joints_that_say_the_same_hardly_push_against_each_other() {
    let push = push_of_rest_poses(true);
    assert!(push < 1e-3, "{push} of the size");
}
