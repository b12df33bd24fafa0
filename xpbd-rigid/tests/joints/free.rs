//! What a joint leaves free moves as if there were none.

use std::f64::consts::TAU;

use glam::Vec3;
use xpbd_core::scalar::trig;
use xpbd_rigid::prelude::*;

use super::support::{FRAME, G, assert_near, at, brick, frames, skew, world};

/// Σ of the discrete fall: a h² k(k + 1)/2.
fn fallen(acceleration: f32, frames: f32) -> f32 {
    let (h, k) = (FRAME / 20.0, 20.0 * frames);
    acceleration * h * h * k * (k + 1.0) / 2.0
}

#[test]
fn what_slides_falls_along_its_axis() {
    let axis = Vec3::new(3.0, -4.0, 0.0).normalize();
    let fall = |add: fn(Vec3, &mut World, BodyHandle) -> JointHandle, axis| {
        let mut world = world(G);
        let body = world.add_body(Body::dynamic(at(0.0, 0.0, 0.0), brick())).unwrap();
        let joint = add(axis, &mut world, body);
        frames(&mut world, 30);
        let slid = joint.coordinate(&world, JointAxis::Linear).unwrap();
        (slid, world.body(body).unwrap())
    };
    let slider = |axis, world: &mut World, body| SliderJoint::new(Vec3::ZERO, axis).add_to_world(world, body).unwrap();
    let sleeve =
        |axis, world: &mut World, body| CylindricalJoint::new(Vec3::ZERO, axis).add_to_world(world, body).unwrap();
    let ring =
        |axis, world: &mut World, body| PointOnLineJoint::new(Vec3::ZERO, axis).add_to_world(world, body).unwrap();
    for add in [slider as fn(Vec3, &mut World, BodyHandle) -> JointHandle, sleeve, ring] {
        let (slid, body) = fall(add, axis);
        assert_near(slid, fallen(0.8 * G, 30.0), 1e-4);
        assert!(body.angular_velocity.length() < 1e-4, "{}", body.angular_velocity);
    }
}

#[test]
fn spin_about_a_free_axis_is_kept() {
    let spun = |joint: fn(&mut World, BodyHandle), spin: Vec3| {
        let mut world = world(0.0);
        let body =
            world.add_body(Body::dynamic(at(0.0, 0.0, 0.0), Mass::ball(1.0, 0.2)).angular_velocity(spin)).unwrap();
        joint(&mut world, body);
        frames(&mut world, 60);
        world.body(body).unwrap().angular_velocity
    };
    let held = |joint: fn(&mut World, BodyHandle), free: &[Vec3]| {
        for &axis in free {
            let spin = axis * 3.0;
            let found = spun(joint, spin);
            assert!((found - spin).length() < 1e-3, "{found} {spin}");
        }
    };
    held(|world, body| drop(HingeJoint::new(Vec3::ZERO, Vec3::X).add_to_world(world, body)), &[Vec3::X]);
    held(|world, body| drop(CylindricalJoint::new(Vec3::ZERO, Vec3::X).add_to_world(world, body)), &[Vec3::X]);
    held(
        |world, body| drop(UniversalJoint::new(Vec3::ZERO, Vec3::X, Vec3::Y).add_to_world(world, body)),
        &[Vec3::X, Vec3::Y],
    );
    let any = [Vec3::X, Vec3::Y, skew() * Vec3::Z];
    held(|world, body| drop(BallJoint::new(Vec3::ZERO).add_to_world(world, body)), &any);
    held(|world, body| drop(PointOnLineJoint::new(Vec3::ZERO, Vec3::X).add_to_world(world, body)), &any);
    held(|world, body| drop(PointOnPlaneJoint::new(Vec3::ZERO, Vec3::X).add_to_world(world, body)), &any);
    // And what is not free is stopped.
    let stopped =
        spun(|world, body| drop(UniversalJoint::new(Vec3::ZERO, Vec3::X, Vec3::Y).add_to_world(world, body)), Vec3::Z);
    assert!(stopped.length() < 1e-3, "{stopped}");
}

#[test]
fn a_point_on_a_plane_glides_over_it() {
    let mut world = world(G);
    let body = Body::dynamic(at(0.0, 0.0, 0.0), brick()).velocity(Vec3::new(1.0, 0.0, -2.0));
    let body = world.add_body(body).unwrap();
    PointOnPlaneJoint::new(Vec3::ZERO, Vec3::Y).add_to_world(&mut world, body).unwrap();
    frames(&mut world, 60);
    let place = world.body_pose(body).unwrap().translation;
    assert!((place - Vec3::new(1.0, 0.0, -2.0)).length() < 1e-3, "{place}");
}

/// T = 2π √((I + m r²)/(m g r)) (1 + θ₀²/16).
#[test]
fn a_hinged_body_is_a_compound_pendulum() {
    let (mass, arm, start) = (brick(), 0.5_f32, 0.1_f32);
    let mut world = world(G);
    let place = Vec3::new(arm * trig::sin(start), -arm * trig::cos(start), 0.0);
    let body = world.add_body(Body::dynamic(at(place.x, place.y, place.z), mass)).unwrap();
    let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Z).add_to_world(&mut world, body).unwrap();
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    let (mut crossings, mut last) = (Vec::new(), start);
    for frame in 1..600 {
        world.step(&mut cpu, FRAME).unwrap();
        let angle = hinge.coordinate(&world, JointAxis::Angular).unwrap() + start;
        if last < 0.0 && angle >= 0.0 {
            crossings.push(f64::from(frame) - f64::from(angle / (angle - last)));
        }
        last = angle;
    }
    let periods = (crossings.len() - 1) as f64;
    let period = (crossings[crossings.len() - 1] - crossings[0]) / periods / 60.0;
    let inertia = f64::from(mass.principal_inertia.z + mass.mass * arm * arm);
    let expected = TAU * (inertia / f64::from(mass.mass * G * arm)).sqrt() * (1.0 + f64::from(start * start) / 16.0);
    assert!(periods > 4.0 && (period / expected - 1.0).abs() < 0.005, "{period} {expected}");
}

/// x_k = l + (x₀ − l) ρ^k cos kφ, ρ = (1 + ω² h²)^(−1/2), φ = atan ωh \[XPBD16\].
#[test]
fn a_spring_oscillates() {
    let mut world = world(0.0);
    let body = world.add_body(Body::dynamic(at(1.5, 0.0, 0.0), Mass::ball(1.0, 0.1))).unwrap();
    let stand = world.add_body(Body::fixed(at(0.0, 0.0, 0.0))).unwrap();
    SpringJoint::new(Vec3::ZERO, Vec3::ZERO, 1.0).stiffness(1e3).add(&mut world, stand, body).unwrap();
    frames(&mut world, 60);
    let (k, omega_h) = (1200.0_f64, 1e3_f64.sqrt() / 1200.0);
    let rho = (1.0 + omega_h * omega_h).powf(-0.5 * k);
    let expected = 1.0 + 0.5 * rho * (k * omega_h.atan()).cos();
    let found = f64::from(world.body_pose(body).unwrap().translation.x);
    assert!((found - expected).abs() < 1e-4, "{found} {expected}");
}

#[test]
fn nothing_pulls_on_a_slack_leash() {
    let mut world = world(G);
    let body = world.add_body(Body::dynamic(at(0.0, 0.0, 0.0), brick())).unwrap();
    let stand = world.add_body(Body::fixed(at(0.0, 0.0, 0.0))).unwrap();
    let leash = DistanceJoint::new(Vec3::ZERO, Vec3::ZERO, 0.0, 2.0).add(&mut world, stand, body).unwrap();
    frames(&mut world, 30);
    assert_near(-world.body_pose(body).unwrap().translation.y, fallen(G, 30.0), 1e-5);
    assert_eq!(leash.reaction(&world).unwrap().force, Vec3::ZERO);
}
