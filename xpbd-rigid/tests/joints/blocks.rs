//! Limits and motors are solved together with what holds the joint.

use glam::Vec3;
use xpbd_core::scalar::trig;
use xpbd_rigid::prelude::*;

use super::support::{FRAME, G, at, frames, world};

/// The length of a substep \[s\].
const H: f32 = FRAME / 20.0;

/// Returns an arm of 4 kg whose centre is half a metre from the origin, lowered by an angle.
fn arm(angle: f32) -> Body {
    let pose = glam::Quat::from_rotation_z(-angle);
    let pose = parry3d::math::Pose::from_parts(pose * Vec3::new(0.5, 0.0, 0.0), pose);
    Body::dynamic(pose, Mass::cuboid(4.0, Vec3::new(0.5, 0.05, 0.05)))
}

/// Runs substeps one by one, and returns the smallest and the largest torque \[N m\] about z of the last 100.
fn torques(world: &mut World, joint: &JointHandle, count: usize) -> [f32; 2] {
    world.set_settings(Settings { substeps: 1, ..world.settings().clone() }).unwrap();
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    let mut range = [f32::MAX, f32::MIN];
    for substep in 0..count {
        world.step(&mut cpu, H).unwrap();
        if substep + 100 >= count {
            let torque = joint.reaction(world).unwrap().torque.z;
            range = [range[0].min(torque), range[1].max(torque)];
        }
    }
    range
}

#[track_caller]
fn assert_within_a_hundredth(range: [f32; 2], exact: f32) {
    assert!(range[0] > 0.99 * exact && range[1] < 1.01 * exact, "{range:?} is not {exact}");
}

/// The first substep turns the free arm by θ = m g r h²/I; a gap takes its part of that.
#[test]
fn a_hinge_that_just_touches_its_limit_bears_all_of_the_load() {
    let inertia = 4.0 * (0.5 * 0.5 + 0.05 * 0.05) / 3.0 + 4.0 * 0.25;
    let (load, turned) = (4.0 * G * 0.5, 4.0 * G * 0.5 * H * H / inertia);
    for gap in [1e-7, 1e-8, 0.0] {
        let mut world = world(G);
        let body = world.add_body(arm(0.0)).unwrap();
        let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z).limits(-gap, 1.0).add_to_world(&mut world, body).unwrap();
        let range = torques(&mut world, &hinge, 1);
        assert_within_a_hundredth(range, load * (1.0 - gap / turned));
    }
}

/// τ = m g r cos 0.3.
#[test]
fn a_hinge_at_rest_on_its_limit_has_a_constant_torque() {
    let mut world = world(G);
    let body = world.add_body(arm(0.0)).unwrap();
    let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z).limits(-0.3, 1.0).add_to_world(&mut world, body).unwrap();
    frames(&mut world, 120);
    let range = torques(&mut world, &hinge, 1200);
    assert_within_a_hundredth(range, 4.0 * G * 0.5 * trig::cos(0.3));
}

#[test]
fn a_ball_joint_at_rest_in_its_cone_has_a_constant_torque() {
    let mut world = world(G);
    let body = world.add_body(arm(0.0)).unwrap();
    let ball = BallJoint::new(Vec3::ZERO).axis(Vec3::X).swing_limit(0.3).twist_limit(-0.5, 0.5);
    let ball = ball.add_to_world(&mut world, body).unwrap();
    frames(&mut world, 120);
    let range = torques(&mut world, &ball, 1200);
    assert_within_a_hundredth(range, 4.0 * G * 0.5 * trig::cos(0.3));
}

/// The reaction is the weight and its moment about the anchor, whatever the limits share.
#[test]
fn a_ball_joint_at_both_of_its_limits_has_a_constant_reaction() {
    let mut world = world(G);
    let mut body = arm(0.0).damping(0.0, 4.0);
    body.mass.center_of_mass = Vec3::new(0.1, 0.05, 0.2);
    let body = world.add_body(body).unwrap();
    let ball = BallJoint::new(Vec3::ZERO).axis(Vec3::X).swing_limit(0.3).twist_limit(-0.1, 0.1);
    let ball = ball.add_to_world(&mut world, body).unwrap();
    frames(&mut world, 600);
    let [swing, twist] = [JointAxis::Swing, JointAxis::Twist].map(|axis| ball.coordinate(&world, axis).unwrap());
    assert!((swing - 0.3).abs() < 1e-4 && (twist.abs() - 0.1).abs() < 1e-4, "{swing} {twist}");
    world.set_settings(Settings { substeps: 1, ..world.settings().clone() }).unwrap();
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    let pose = world.body_pose(body).unwrap();
    let moment = pose.transform_point(Vec3::new(0.1, 0.05, 0.2)).cross(Vec3::Y * 4.0 * G);
    for _ in 0..200 {
        world.step(&mut cpu, H).unwrap();
        let torque = ball.reaction(&world).unwrap().torque;
        assert!((torque - moment).length() < 0.02 * moment.length(), "{torque} is not {moment}");
    }
}

/// 500 N against 98 N gives 10 kg a speed of 1 m/s in 0.025 s.
#[test]
fn a_slider_reaches_its_speed_with_a_load_off_its_axis() {
    let mut world = world(G);
    let body = world.add_body(Body::dynamic(at(3.0, 0.0, 0.0), Mass::cuboid(10.0, Vec3::splat(0.5)))).unwrap();
    let motor = JointMotor::velocity(1.0).max_force(500.0);
    SliderJoint::new(Vec3::ZERO, Vec3::Y).motor(motor).add_to_world(&mut world, body).unwrap();
    world.set_settings(Settings { substeps: 1, ..world.settings().clone() }).unwrap();
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    for substep in 1..=2400 {
        world.step(&mut cpu, H).unwrap();
        let speed = world.body(body).unwrap().velocity.y;
        let time = substep as f32 * H;
        if time < 0.024 {
            assert!((speed - 40.19 * time).abs() < 0.02, "{speed} m/s after {time} s");
        } else if time >= 0.03 {
            assert!((speed - 1.0).abs() < 0.02, "{speed} m/s after {time} s");
        }
    }
}

/// A motor presses against the limit with its greatest force, and the limit bears it.
#[test]
fn a_motor_against_a_limit_stays_there_with_any_force() {
    for force in [20.0, f32::INFINITY] {
        let mut world = world(G);
        let body = world.add_body(arm(0.0)).unwrap();
        let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z).limits(-0.2, 0.3);
        let hinge = hinge.motor(JointMotor::position(1.0).max_speed(1.0).max_torque(force));
        let hinge = hinge.add_to_world(&mut world, body).unwrap();
        frames(&mut world, 120);
        let angle = hinge.coordinate(&world, JointAxis::Angular).unwrap();
        assert!((angle - 0.3).abs() < 1e-5, "{angle}");
        let range = torques(&mut world, &hinge, 200);
        assert_within_a_hundredth(range, 4.0 * G * 0.5 * trig::cos(0.3));
    }
}
