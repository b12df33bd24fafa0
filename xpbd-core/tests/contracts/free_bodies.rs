//! Bodies that nothing touches, against closed forms.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::prelude::*;

use super::yard::{FRAME, frames};

/// What 12 000 substeps of a few roundings each may make of an angular momentum, as a part of it.
const ROUNDED: f64 = 1e-4;

fn lone(gravity: Vec3, body: Body) -> (World, BodyHandle) {
    let mut world = World::new(Settings { gravity, ..Settings::default() }).unwrap();
    let handle = world.add_body(body).unwrap();
    (world, handle)
}

/// y_k = v₀ k h − g h² k(k+1)/2, near the origin and a kilometre from it.
#[test]
fn free_fall_is_the_discrete_parabola() {
    for x in [0.0, 1000.0] {
        let pose = Pose::from_translation(Vec3::new(x, x, 0.0));
        let body = Body::dynamic(pose, Mass::ball(2.0, 0.1)).velocity(Vec3::new(0.0, 3.0, 1.0));
        let (mut world, handle) = lone(Vec3::new(0.0, -9.81, 0.0), body);
        frames(&mut world, 60);
        let (k, h) = (1200.0, f64::from(FRAME) / 20.0);
        let expected = 3.0 * k * h - 9.81 * h * h * k * (k + 1.0) / 2.0;
        let k = 0;
        let bodies = &world.state().bodies;
        let fallen = f64::from(bodies.anchor[k].y) - f64::from(x) + f64::from(bodies.offset[k].y);
        // 1e-5 of the longer of the two ways that it is the difference of.
        assert!((fallen - expected).abs() < 1e-5 * 4.9, "{fallen} {expected}");
        assert!((world.body(handle).unwrap().pose.translation.z - 1.0).abs() < 1e-5);
    }
}

/// A symmetric top in free space: its angular momentum stays, and in the frame of the body ω turns
/// about the axis at (I₃ − I₁)/I₁ ω₃.
#[test]
fn a_free_top_keeps_its_momentum_and_precesses() {
    let inertia = Vec3::new(0.02, 0.02, 0.03);
    let spin = Vec3::new(0.5, 0.0, 4.0);
    let body = Body::dynamic(Pose::IDENTITY, Mass::new(1.0, inertia)).angular_velocity(spin);
    let (mut world, handle) = lone(Vec3::ZERO, body);
    let before = world.momentum().angular;
    let energy = world.energy().kinetic;
    frames(&mut world, 600);
    let after = world.momentum().angular;
    assert!((after - before).length() / before.length() < ROUNDED, "{before} {after}");
    assert!((world.energy().kinetic / energy - 1.0).abs() < 5e-3);
    let body = world.body(handle).unwrap();
    let local = body.pose.rotation.inverse() * body.angular_velocity;
    let expected = f64::from((inertia.z - inertia.x) / inertia.x * spin.z) * 10.0;
    let angle = f64::from(local.y).atan2(f64::from(local.x));
    let turns = ((expected - angle) / std::f64::consts::TAU).round();
    let angle = angle + turns * std::f64::consts::TAU;
    assert!((angle / expected - 1.0).abs() < 0.01, "{angle} {expected}");
}

/// A thin rod spins about its axis and tumbles, at angles per substep that no small-angle formula stands. Its energy stays, and
/// its axis goes round its angular momentum L at |L|/I₁.
#[test]
fn a_thin_rod_spins_and_tumbles_at_any_speed() {
    let inertia = Vec3::new(0.04, 4e-4, 0.04);
    for (spin, tumble) in [(600.0, 76.0), (2000.0, 200.0), (0.0, 100.0), (50.0, 3.0)] {
        let body = Body::dynamic(Pose::IDENTITY, Mass::new(1.0, inertia));
        let (mut world, handle) = lone(Vec3::ZERO, body.angular_velocity(Vec3::new(tumble, spin, 0.0)));
        world.set_settings(Settings { substeps: 4, ..world.settings().clone() }).unwrap();
        let (momentum, energy) = (world.momentum().angular, world.energy().kinetic);
        for frame in 1..=60_u8 {
            frames(&mut world, 1);
            let name = format!("{spin} and {tumble} rad/s, frame {frame}");
            assert!((world.momentum().angular - momentum).length() < ROUNDED * momentum.length(), "{name}");
            let now = world.energy().kinetic;
            assert!((now / energy - 1.0).abs() < 2e-3, "{name}: {now} of {energy} J");
            let angle = momentum.length() / f64::from(inertia.x) * f64::from(FRAME) * f64::from(frame);
            let axis = world.body(handle).unwrap().pose.rotation.as_dquat() * glam::DVec3::Y;
            let expected = glam::DQuat::from_axis_angle(momentum.normalize(), angle) * glam::DVec3::Y;
            assert!(axis.distance(expected) < 5e-3, "{name}: {axis} in place of {expected}");
        }
    }
}

/// Sticks that are thrown about in a closed room gain no energy by any impact.
#[test]
fn sticks_in_a_room_gain_no_energy() {
    let sticks =
        [SharedShape::capsule_y(0.3, 0.03), SharedShape::cylinder(0.3, 0.03), SharedShape::cuboid(0.03, 0.3, 0.03)];
    for (number, shape) in sticks.iter().enumerate() {
        for (restitution, friction, speed) in [(0.9, 0.0, 5.0), (0.9, 0.2, 50.0), (0.0, 0.0, 50.0)] {
            let mut world = World::new(Settings { substeps: 10, ..Settings::default() }).unwrap();
            let surface =
                |shape: SharedShape| Collider::new(shape).restitution(restitution).friction(Friction::new(friction));
            for normal in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]) {
                let half = Vec3::splat(3.0) - 2.0 * normal.abs();
                let wall = surface(SharedShape::cuboid(half.x, half.y, half.z));
                world.add_collider(wall.at(3.0 * normal)).unwrap();
            }
            let mut state = 7_u32;
            let mut random = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / 8_388_608.0 - 1.0
            };
            let mut vector = || Vec3::new(random(), random(), random());
            let mass = Mass::from_shape(&**shape, 500.0).unwrap();
            let bodies = (0..60).map(|k| {
                let place = 0.7 * Vec3::new((k % 5) as f32 - 2.0, (k / 5 % 4) as f32 - 1.5, (k / 20) as f32 - 1.0);
                let pose = Pose::from_parts(place, Quat::from_scaled_axis(vector()));
                let body = Body::dynamic(pose, mass).velocity(vector().normalize() * speed);
                let body = world.add_body(body.angular_velocity(Vec3::new(10.0, 20.0, -10.0))).unwrap();
                world.add_collider(surface(shape.clone()).attached_to(body)).unwrap();
                body
            });
            let bodies = bodies.collect::<Vec<_>>();
            let energy = |world: &World| {
                let energy = world.energy();
                // The floor of the room is at y = −2 m.
                energy.total() + f64::from(mass.mass) * 9.81 * 2.0 * bodies.len() as f64
            };
            let start = energy(&world);
            for frame in 0..200 {
                frames(&mut world, 1);
                let (now, name) = (energy(&world), format!("stick {number}, e {restitution}, {speed} m/s"));
                assert!(now < 1.001 * start, "{name}: {now} J of {start} J in frame {frame}");
            }
        }
    }
}

/// About its middle axis a body tumbles, and neither momentum nor energy grows.
#[test]
fn a_tumbling_body_neither_gains_nor_loses() {
    let inertia = Vec3::new(0.01, 0.02, 0.03);
    let body = Body::dynamic(Pose::from_rotation(Quat::from_rotation_x(0.7)), Mass::new(1.0, inertia));
    let (mut world, _) = lone(Vec3::ZERO, body.angular_velocity(Vec3::new(0.02, 6.0, 4.0)));
    let (momentum, energy) = (world.momentum().angular, world.energy().kinetic);
    for _ in 0..10 {
        frames(&mut world, 60);
        let drift = (world.momentum().angular - momentum).length() / momentum.length();
        assert!(drift < ROUNDED, "{drift}");
        assert!((world.energy().kinetic / energy - 1.0).abs() < 5e-3, "{} {energy}", world.energy().kinetic);
    }
}

#[test]
fn forces_impulses_and_locks_do_what_they_say() {
    let mass = Mass::cuboid(2.0, Vec3::new(0.1, 0.2, 0.3));
    let (mut world, handle) = lone(Vec3::ZERO, Body::dynamic(Pose::IDENTITY, mass));
    world.add_body_impulse(handle, Vec3::X).unwrap();
    world.add_body_torque_impulse(handle, Vec3::Z * mass.principal_inertia.z).unwrap();
    let body = world.body(handle).unwrap();
    assert!((body.velocity - 0.5 * Vec3::X).length() < 1e-6 && (body.angular_velocity - Vec3::Z).length() < 1e-6);
    world.add_body_force_at(handle, Vec3::Y, Vec3::X).unwrap();
    frames(&mut world, 2);
    let body = world.body(handle).unwrap();
    assert!((body.velocity.y - 0.5 * FRAME).abs() < 1e-6, "a force acts for one frame: {}", body.velocity);
    assert!(
        (body.angular_velocity.z - 1.0 - FRAME / mass.principal_inertia.z).abs() < 1e-5,
        "{}",
        body.angular_velocity
    );

    let body = Body::dynamic(Pose::IDENTITY, mass).locked_axes(LockedAxes::PLANAR);
    let (mut world, handle) = lone(Vec3::ZERO, body.velocity(Vec3::ONE).angular_velocity(Vec3::ONE));
    frames(&mut world, 60);
    let body = world.body(handle).unwrap();
    assert_eq!(body.pose.translation.z, 0.0);
    assert_eq!((body.angular_velocity.x, body.angular_velocity.y), (0.0, 0.0));
    assert!((body.pose.translation.x - 1.0).abs() < 1e-5);
}

/// v = J/m and ω = I⁻¹ (r × J) with I = R diag(I₁, I₂, I₃) Rᵀ, for a body whose centre and principal axes are not those of its
/// frame. The same impulse from the centre adds no rotation.
#[test]
fn an_impulse_at_a_point_turns_a_body_about_its_centre_of_mass() {
    let inertia = Vec3::new(0.02, 0.03, 0.04);
    let axes = Quat::from_euler(glam::EulerRot::XYZ, 0.3, -0.8, 1.1);
    let mass = Mass { center_of_mass: Vec3::new(0.1, -0.2, 0.3), principal_axes: axes, ..Mass::new(2.5, inertia) };
    let pose = Pose::from_parts(Vec3::new(1.0, 2.0, 3.0), Quat::from_euler(glam::EulerRot::XYZ, -1.0, 0.4, 0.2));
    let (mut world, handle) = lone(Vec3::ZERO, Body::dynamic(pose, mass));
    let (impulse, point) = (Vec3::new(0.7, -1.3, 0.4), Vec3::new(1.5, 1.6, 2.9));
    world.add_body_impulse_at(handle, impulse, point).unwrap();
    let rotation = glam::DMat3::from_quat((pose.rotation * axes).as_dquat());
    let centre = pose.transform_point(mass.center_of_mass);
    let moment = (point - centre).as_dvec3().cross(impulse.as_dvec3());
    let expected = rotation * glam::DMat3::from_diagonal(inertia.as_dvec3().recip()) * rotation.transpose() * moment;
    let body = world.body(handle).unwrap();
    assert!((body.velocity - impulse / 2.5).length() < 1e-6, "{}", body.velocity);
    let error = (body.angular_velocity.as_dvec3() - expected).length() / expected.length();
    assert!(error < 2e-6, "{} {expected}: {error}", body.angular_velocity);
    world.add_body_impulse_at(handle, -2.0 * impulse, centre).unwrap();
    let after = world.body(handle).unwrap();
    assert!((after.velocity + impulse / 2.5).length() < 1e-6, "{}", after.velocity);
    assert!((after.angular_velocity - body.angular_velocity).length() < 1e-4, "{}", after.angular_velocity);
}

/// v(t) = v₀ (1 + c h)^(−t/h).
#[test]
fn damping_is_the_discrete_decay() {
    let body = Body::dynamic(Pose::IDENTITY, Mass::ball(1.0, 0.1)).damping(0.5, 1.0);
    let (mut world, handle) = lone(Vec3::ZERO, body.velocity(Vec3::X).angular_velocity(Vec3::Y));
    frames(&mut world, 60);
    let h = f64::from(FRAME) / 20.0;
    let decay = |c: f64| (1.0 + c * h).powf(-1200.0) as f32;
    let body = world.body(handle).unwrap();
    assert!((body.velocity.x / decay(0.5) - 1.0).abs() < 1e-4);
    assert!((body.angular_velocity.y / decay(1.0) - 1.0).abs() < 1e-4);
}
