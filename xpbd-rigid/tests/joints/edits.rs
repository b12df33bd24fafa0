//! Every number of a joint changes while the world runs, without a new plan.

use glam::Vec3;
use xpbd_core::world::UpdateOutcome;
use xpbd_rigid::prelude::*;

use super::support::{G, assert_near, at, brick, frames, world};

/// Returns a brick at an arm of half a metre from the world.
fn arm() -> (World, BodyHandle) {
    let mut world = world(G);
    let body = world.add_body(Body::dynamic(at(0.5, 0.0, 0.0), brick())).unwrap();
    (world, body)
}

/// Adds a joint, calls every setter that it has once a frame, and returns how many plans that made.
fn plans(add: impl Fn(&mut World, BodyHandle) -> JointHandle, edit: impl Fn(&mut World, &JointHandle, f32)) -> u64 {
    let (mut world, body) = arm();
    let joint = add(&mut world, body);
    frames(&mut world, 1);
    let before = world.plan_generation();
    for frame in 0..10 {
        edit(&mut world, &joint, 0.1 * frame as f32);
        joint.set_compliance(&mut world, 1e-4, 1e-3 * frame as f32).unwrap();
        joint.set_damping_coefficient(&mut world, frame as f32).unwrap();
        joint.set_break_thresholds(&mut world, 1e6, 1e6 + frame as f32).unwrap();
        frames(&mut world, 1);
    }
    assert!(!joint.is_broken(&world).unwrap());
    world.plan_generation() - before
}

#[test]
fn setters_of_a_hinge_make_no_new_plan() {
    let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z).limits(-1.0, 1.0).motor(JointMotor::velocity(0.0));
    let made = plans(
        |world, body| hinge.add_to_world(world, body).unwrap(),
        |world, hinge, x| {
            hinge.set_motor(world, JointAxis::Angular, JointMotor::position(x).spring(100.0, 1.0 + x)).unwrap();
            hinge.set_limits(world, JointAxis::Angular, -1.0 - x, 1.0).unwrap();
        },
    );
    assert_eq!(made, 0);
}

#[test]
fn setters_of_soft_limits_make_no_new_plan() {
    let mut ball = BallJoint::new(Vec3::ZERO);
    ball.swing_limit = Some(JointLimits::new(0.0, 0.5).soft(1e-3, 1.0));
    ball.twist_limit = Some(JointLimits::new(-0.5, 0.5));
    let made = plans(
        |world, body| ball.add_to_world(world, body).unwrap(),
        |world, ball, x| {
            ball.set_limits(world, JointAxis::Swing, 0.0, 0.5 + x).unwrap();
            ball.set_limits(world, JointAxis::Twist, -0.5, 0.5 + x).unwrap();
            ball.set_limit_compliance(world, JointAxis::Swing, 1e-3 + x, x).unwrap();
        },
    );
    assert_eq!(made, 0);
}

#[test]
fn setters_of_a_spring_make_no_new_plan() {
    let made = plans(
        |world, body| SpringJoint::new(Vec3::ZERO, Vec3::ZERO, 0.5).add_to_world(world, body).unwrap(),
        |world, spring, x| spring.set_rest_length(world, 0.5 + x).unwrap(),
    );
    assert_eq!(made, 0);
}

/// The elongation of a spring that bears a weight is α m g, with the compliance as it is now.
#[test]
fn a_spring_bears_by_the_compliance_that_it_is_given() {
    let mut world = world(G);
    let body = world.add_body(Body::dynamic(at(0.0, -1.0, 0.0), brick())).unwrap();
    let spring = SpringJoint::new(Vec3::ZERO, Vec3::ZERO, 1.0).stiffness(1e3).damping_coefficient(100.0);
    let spring = spring.add_to_world(&mut world, body).unwrap();
    for stiffness in [1e3, 500.0] {
        spring.set_compliance(&mut world, 1.0 / stiffness, 0.0).unwrap();
        frames(&mut world, 600);
        let length = spring.coordinate(&world, JointAxis::Distance).unwrap();
        assert_near(length - 1.0, brick().mass * G / stiffness, 1e-2);
    }
    spring.set_rest_length(&mut world, 2.0).unwrap();
    frames(&mut world, 600);
    assert_near(spring.coordinate(&world, JointAxis::Distance).unwrap() - 2.0, brick().mass * G / 500.0, 1e-2);
}

#[test]
fn a_joint_that_was_unbreakable_breaks_above_the_torque_that_it_is_given() {
    for (torque, breaks) in [(5.0, true), (20.0, false)] {
        let (mut world, body) = arm();
        let motor = JointMotor::velocity(0.0);
        let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z).motor(motor).add_to_world(&mut world, body).unwrap();
        frames(&mut world, 2);
        // The motor bears m g r = 9.8 N m, the lock a force of 19.6 N.
        hinge.set_break_thresholds(&mut world, 1e3, torque).unwrap();
        frames(&mut world, 2);
        assert_eq!(hinge.is_broken(&world).unwrap(), breaks);
    }
}

#[test]
fn numbers_that_are_not_valid_are_refused() {
    let (mut world, body) = arm();
    let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z).add_to_world(&mut world, body).unwrap();
    assert!(hinge.set_compliance(&mut world, -1.0, 0.0).is_err());
    assert!(hinge.set_damping_coefficient(&mut world, f32::NAN).is_err());
    assert!(hinge.set_break_thresholds(&mut world, -1.0, 1.0).is_err());
    assert!(hinge.set_rest_length(&mut world, 1.0).is_err());
    assert!(hinge.set_limit_compliance(&mut world, JointAxis::Angular, 1.0, 0.0).is_err());
}

/// Asserts that a joint that was updated moves as one that was added so.
fn assert_updates<J: Joint + Copy>(before: J, after: J) {
    let moved = |update: bool| {
        let (mut world, body) = arm();
        let joint = if update { before } else { after }.add_to_world(&mut world, body).unwrap();
        if update {
            assert_eq!(joint.update(&mut world, before, after), Ok(UpdateOutcome::Updated));
        }
        frames(&mut world, 20);
        (world.state_hash(), joint.is_broken(&world).unwrap(), world.plan_generation())
    };
    assert_eq!(moved(true), moved(false));
}

#[test]
fn updated_joints_move_as_those_that_were_added_so() {
    let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z).limits(-1.0, 1.0).motor(JointMotor::velocity(0.0));
    let motor = JointMotor::position(0.3).spring(100.0, 2.0).max_torque(30.0);
    let soft = hinge.limits(-0.1, 0.5).motor(motor).compliance(1e-4).rotational_compliance(1e-3);
    assert_updates(hinge, soft.damping_coefficient(2.0).break_torque(1e4));
    assert_updates(hinge, hinge.break_force(1.0));
    let mut ball = BallJoint::new(Vec3::ZERO);
    ball.swing_limit = Some(JointLimits::new(0.0, 0.5).soft(1e-3, 1.0));
    let mut other = ball;
    other.swing_limit = Some(JointLimits::new(0.0, 0.2).soft(2e-3, 3.0));
    assert_updates(ball, other);
    let spring = SpringJoint::new(Vec3::ZERO, Vec3::ZERO, 0.5).stiffness(100.0);
    assert_updates(spring, SpringJoint { rest_length: 0.3, ..spring.stiffness(200.0).damping_coefficient(3.0) });
}

#[test]
fn an_update_writes_only_numbers_that_differ() {
    let (mut world, body) = arm();
    let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z).limits(-1.0, 1.0).motor(JointMotor::velocity(0.0));
    let joint = hinge.add_to_world(&mut world, body).unwrap();
    joint.set_motor(&mut world, JointAxis::Angular, JointMotor::velocity(2.0)).unwrap();
    assert_eq!(joint.update(&mut world, hinge, hinge.limits(-2.0, 2.0)), Ok(UpdateOutcome::Updated));
    frames(&mut world, 10);
    assert_near(world.body(body).unwrap().angular_velocity.z, 2.0, 1e-2);
    let differs = [
        HingeJoint { motor: None, ..hinge },
        HingeJoint { limits: Some(JointLimits::new(-1.0, 1.0).soft(1e-3, 0.0)), ..hinge },
        hinge.contacts_enabled(true),
        HingeJoint { settings: HingeJoint::new(Vec3::X, Vec3::Z).settings, ..hinge },
    ];
    for other in differs {
        assert_eq!(joint.update(&mut world, hinge, other), Ok(UpdateOutcome::TopologyDiffers));
    }
    assert!(joint.update(&mut world, hinge, hinge.compliance(-1.0)).is_err());
}

#[test]
fn a_changed_motor_wakes_the_bodies_of_its_joint_alone() {
    let mut world = World::new(Settings::default()).unwrap();
    let arms = [0.0, 5.0, 10.0].map(|x| {
        let body = world.add_body(Body::dynamic(at(x, -0.5, 0.0), brick())).unwrap();
        let wall = world.add_body(Body::fixed(at(x, 0.0, 0.0))).unwrap();
        (HingeJoint::new(Vec3::X * x, Vec3::Z).motor(JointMotor::velocity(0.0).max_torque(1e-3)), wall, body)
    });
    let bodies = arms.map(|(_, _, body)| body);
    let hinges = HingeJoint::add_all(&mut world, arms).unwrap();
    frames(&mut world, 120);
    let asleep = |world: &World| bodies.map(|body| world.is_asleep(body).unwrap());
    assert_eq!(asleep(&world), [true; 3]);
    hinges[1].set_motor(&mut world, JointAxis::Angular, JointMotor::velocity(1.0).max_torque(100.0)).unwrap();
    assert_eq!(asleep(&world), [true, false, true]);
}
