//! Gears, belts, racks and pinions.

use glam::Vec3;
use xpbd_rigid::prelude::*;

use super::support::{FRAME, G, assert_near, at, brick, frames, world};

/// Returns a wheel about z to the right, of this moment of inertia \[kg m²\], on a hinge to the world.
fn wheel(world: &mut World, x: f32, inertia: f32) -> (BodyHandle, JointHandle) {
    let body = world.add_body(Body::dynamic(at(x, 0.0, 0.0), Mass::new(1.0, Vec3::splat(inertia)))).unwrap();
    let hinge = HingeJoint::new(Vec3::X * x, Vec3::Z).motor(JointMotor::off());
    (body, hinge.add_to_world(world, body).unwrap())
}

fn spin(world: &World, body: BodyHandle) -> f32 {
    world.body(body).unwrap().angular_velocity.z
}

/// ω₂ = −ω₁ n₁/n₂, and after 38 turns of the first wheel the teeth are where they were.
#[test]
fn wheels_in_mesh_turn_opposite_ways_by_their_teeth_and_do_not_drift() {
    let mut world = world(0.0);
    let (_, first) = wheel(&mut world, 0.0, 0.1);
    let (driven, second) = wheel(&mut world, 1.0, 0.4);
    JointCoupling::gear(12, 42).add(&mut world, [&first, &second]).unwrap();
    first.set_motor(&mut world, JointAxis::Angular, JointMotor::velocity(12.0)).unwrap();
    for _ in 0..20 {
        frames(&mut world, 60);
        assert_near(spin(&world, driven), -12.0 * 12.0 / 42.0, 1e-3);
        let angle = |joint: &JointHandle| f64::from(joint.coordinate(&world, JointAxis::Angular).unwrap());
        let apart = 12.0 * angle(&first) + 42.0 * angle(&second);
        let slip = (apart / std::f64::consts::TAU - (apart / std::f64::consts::TAU).round()) * std::f64::consts::TAU;
        assert!(slip.abs() < 0.02, "{slip}");
    }
}

/// α₁ = τ/(I₁ + I₂ (n₁/n₂)²), and the second wheel takes I₂ α₂. Of 30 teeth times an angle single precision knows a tenth
/// of what a substep adds, of which the mean over a frame leaves a percent.
#[test]
fn a_gear_hands_on_the_torque_by_its_ratio() {
    for (coupling, way) in [(JointCoupling::gear(10, 30), -1.0), (JointCoupling::belt(10, 30), 1.0)] {
        let mut world = world(0.0);
        let (driving, first) = wheel(&mut world, 0.0, 0.1);
        let (driven, second) = wheel(&mut world, 1.0, 0.4);
        let gear = coupling.add(&mut world, [&first, &second]).unwrap();
        for _ in 0..60 {
            world.add_body_torque(driving, Vec3::Z * 0.5).unwrap();
            frames(&mut world, 1);
        }
        let acceleration = 0.5 / (0.1 + 0.4 / 9.0);
        assert_near(spin(&world, driving), acceleration, 2e-3);
        assert_near(spin(&world, driven), way * acceleration / 3.0, 2e-3);
        assert_near(gear.load(&world).unwrap().abs(), 0.4 * acceleration / 3.0, 2e-2);
    }
}

/// A weight on a rack drives the pinion: a = g m/(m + I/r²).
#[test]
fn a_rack_and_its_pinion_fall_together() {
    for radius in [0.1, -0.1_f32] {
        let mut world = world(G);
        let (pinion, hinge) = wheel(&mut world, 0.0, 0.03);
        let rack = world.add_body(Body::dynamic(at(0.1, 0.0, 0.0), brick())).unwrap();
        let slider = SliderJoint::new(Vec3::X * 0.1, Vec3::Y).add_to_world(&mut world, rack).unwrap();
        let coupling = JointCoupling::rack(radius).add(&mut world, [&hinge, &slider]).unwrap();
        frames(&mut world, 90);
        let acceleration = G * 2.0 / (2.0 + 0.03 / (radius * radius));
        let speed = world.body(rack).unwrap().velocity.y;
        assert_near(speed, -acceleration * 90.0 * FRAME, 5e-3);
        assert_near(spin(&world, pinion), speed / radius, 2e-3);
        assert_near(coupling.load(&world).unwrap(), 2.0 * (G - acceleration), 2e-2);
    }
}

/// Two wheels on one arm that turns: the coupling reaches three bodies.
#[test]
fn wheels_on_one_carrier_mesh() {
    let mut world = world(0.0);
    let arm = world.add_body(Body::dynamic(at(0.5, 0.0, 0.0), brick())).unwrap();
    let mut carried = |x: f32| {
        let body = world.add_body(Body::dynamic(at(x, 0.0, 0.0), Mass::new(1.0, Vec3::splat(0.1)))).unwrap();
        let hinge = HingeJoint::new(Vec3::X * x, Vec3::Z).motor(JointMotor::off());
        hinge.add(&mut world, arm, body).unwrap()
    };
    let [first, second] = [carried(0.0), carried(1.0)];
    JointCoupling::gear(20, 10).add(&mut world, [&first, &second]).unwrap();
    first.set_motor(&mut world, JointAxis::Angular, JointMotor::velocity(1.0)).unwrap();
    frames(&mut world, 30);
    let angle = |world: &World, joint: &JointHandle| joint.coordinate(world, JointAxis::Angular).unwrap();
    let before = angle(&world, &first);
    frames(&mut world, 30);
    assert_near(angle(&world, &first) - before, 0.5, 2e-3);
    assert_near(angle(&world, &second), -2.0 * angle(&world, &first), 1e-3);
    let momentum = world.momentum();
    assert!(momentum.angular.length() < 1e-4 && momentum.linear.length() < 1e-4, "{momentum:?}");
}

#[test]
fn a_coupling_breaks_at_its_load_and_the_wheels_turn_on() {
    let mut world = world(0.0);
    let (driving, first) = wheel(&mut world, 0.0, 0.1);
    let (driven, second) = wheel(&mut world, 1.0, 0.4);
    let gear = JointCoupling::gear(10, 10).break_load(1.0).add(&mut world, [&first, &second]).unwrap();
    let mut broke = None;
    for frame in 0..100u8 {
        world.add_body_torque(driving, Vec3::Z * 0.02 * f32::from(frame)).unwrap();
        frames(&mut world, 1);
        if broke.is_none() && !world.broken().is_empty() {
            assert_eq!(world.broken()[0].batch, gear.batch());
            broke = Some(frame);
        }
    }
    // The second wheel takes four fifths of the torque.
    assert!(matches!(broke, Some(62..=64)), "{broke:?}");
    assert!(gear.is_broken(&world).unwrap() && spin(&world, driving) > 2.0 * spin(&world, driven).abs());
}

#[test]
fn teeth_change_while_the_wheels_turn_without_a_new_plan() {
    let mut world = world(0.0);
    let (_, first) = wheel(&mut world, 0.0, 0.1);
    let (driven, second) = wheel(&mut world, 1.0, 0.4);
    let gear = JointCoupling::gear(10, 30).add(&mut world, [&first, &second]).unwrap();
    first.set_motor(&mut world, JointAxis::Angular, JointMotor::velocity(3.0)).unwrap();
    frames(&mut world, 35);
    let plan = world.state().plan_generation;
    gear.update(&mut world, JointCoupling::gear(10, 15)).unwrap();
    frames(&mut world, 35);
    assert_near(spin(&world, driven), -2.0, 1e-3);
    assert_eq!(world.state().plan_generation, plan);
    assert_eq!(gear.update(&mut world, JointCoupling::rack(0.1)), Err(JointError::CouplingKind));
    gear.remove(&mut world).unwrap();
    assert!(gear.load(&world).is_err());
}

#[test]
fn a_restored_coupling_stays_in_mesh_to_the_bit() {
    let mut world = world(0.0);
    let (_, first) = wheel(&mut world, 0.0, 0.1);
    let (_, second) = wheel(&mut world, 1.0, 0.4);
    JointCoupling::gear(7, 30).soft(1e-3, 0.1).add(&mut world, [&first, &second]).unwrap();
    first.set_motor(&mut world, JointAxis::Angular, JointMotor::velocity(9.0).max_torque(5.0)).unwrap();
    frames(&mut world, 25);
    let mut other = World::new(Settings::default()).unwrap();
    xpbd_rigid::register(other.registry_mut()).unwrap();
    other.restore(&world.snapshot().unwrap()).unwrap();
    frames(&mut world, 25);
    frames(&mut other, 25);
    assert_eq!(world.state_hash(), other.state_hash());
}

#[test]
fn a_coupling_that_is_not_valid_is_refused_by_name() {
    let mut world = world(0.0);
    let (_, first) = wheel(&mut world, 0.0, 0.1);
    let (_, second) = wheel(&mut world, 1.0, 0.4);
    let mut refused = |coupling: JointCoupling| coupling.add(&mut world, [&first, &second]).unwrap_err().to_string();
    assert!(refused(JointCoupling::gear(0, 3)).contains("number of teeth of joint 0 is 0"));
    assert!(refused(JointCoupling::gear(3, 5000)).contains("number of teeth of joint 1 is 5000"));
    assert!(refused(JointCoupling::rack(0.0)).contains("pitch radius"));
    assert!(refused(JointCoupling::gear(1, 1).soft(-1.0, 0.0)).contains("coupling's compliance"));
}
