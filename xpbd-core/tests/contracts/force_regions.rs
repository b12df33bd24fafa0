//! Regions of forces, against closed forms.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::force_region::{ForceField, ForceRegion};
use xpbd_core::prelude::*;

use super::yard::{FRAME, G, with_cpu};

fn world(gravity: f32) -> World {
    World::new(Settings { gravity: Vec3::NEG_Y * gravity, ..Settings::default() }).unwrap()
}

fn cuboid(world: &mut World, half: Vec3, density: f32, pose: Pose) -> BodyHandle {
    let mass = 8.0 * density * half.element_product();
    let body = world.add_body(Body::dynamic(pose, Mass::cuboid(mass, half))).unwrap();
    world.add_collider(Collider::new(SharedShape::cuboid(half.x, half.y, half.z)).attached_to(body)).unwrap();
    body
}

fn frames(world: &mut World, region: &ForceRegion, count: usize) {
    with_cpu(|cpu| {
        for _ in 0..count {
            region.apply(world, FRAME).unwrap();
            world.step(cpu, FRAME).unwrap();
        }
    });
}

fn lake(damping: f32) -> ForceRegion {
    let field =
        ForceField::Buoyancy { density: 1000.0, particle_density: 250.0, damping, velocity: Vec3::ZERO, surface: 0.0 };
    ForceRegion::new(SharedShape::halfspace(Vec3::Y), field)
}

/// v = u (1 − (1 + d Δt)⁻ⁿ), for particles and bodies in the zone and for nothing else.
#[test]
fn wind_takes_along_what_is_in_its_zone() {
    let mut world = world(0.0);
    let points = vec![Vec3::ZERO, Vec3::Y * 3.0];
    let object = world.add(Object::new("dust", points, 0.01)).unwrap();
    let [inside, outside] = [Vec3::X * 0.5, Vec3::X * 4.0]
        .map(|at| cuboid(&mut world, Vec3::splat(0.1), 500.0, Pose::from_translation(at)));
    let field = ForceField::Wind { velocity: Vec3::Y * 2.0, damping: 3.0 };
    // The wind blows along the y axis of the zone, which is the x axis of the world.
    let pose = Pose::from_rotation(Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2));
    let zone = ForceRegion::new(SharedShape::cuboid(2.0, 2.0, 2.0), field).at(pose);
    frames(&mut world, &zone, 30);
    let expected = 2.0 * (1.0 - (1.0f64 + 3.0 / 60.0).powf(-30.0)) as f32 * Vec3::X;
    let found = [world.velocity(object, 0).unwrap(), world.body(inside).unwrap().velocity];
    for velocity in found {
        assert!((velocity - expected).length() < 1e-4, "{velocity} {expected}");
    }
    assert_eq!((world.velocity(object, 1).unwrap(), world.body(outside).unwrap().velocity), (Vec3::ZERO, Vec3::ZERO));
    // However large the rate, nothing is faster than the wind.
    let storm = ForceField::Wind { velocity: Vec3::Y * 2.0, damping: 1e6 };
    frames(&mut world, &ForceRegion { field: storm, ..zone }, 1);
    assert!((world.body(inside).unwrap().velocity - 2.0 * Vec3::X).length() < 1e-3);
}

/// ω = Ω (1 − (1 + d Δt)⁻ⁿ) on the axis, about a principal axis of the body that is turned; beside it u = Ω × r.
#[test]
fn a_vortex_rotates_bodies_and_takes_them_round() {
    let mut world = world(0.0);
    let turned = Pose::from_rotation(Quat::from_rotation_x(std::f32::consts::FRAC_PI_2));
    let body = cuboid(&mut world, Vec3::new(0.1, 0.2, 0.4), 500.0, turned);
    let leaf = world.add(Object::new("leaf", vec![Vec3::new(1.0, 0.5, 0.0)], 0.01)).unwrap();
    let spin = Vec3::Y * 4.0;
    let field = ForceField::Vortex { angular_velocity: spin, damping: 2.0 };
    let region = ForceRegion::new(SharedShape::ball(5.0), field);
    frames(&mut world, &region, 1);
    let velocity = world.velocity(leaf, 0).unwrap();
    let expected = spin.cross(Vec3::X) * (2.0 / 60.0) / (1.0 + 2.0 / 60.0);
    assert!((velocity - expected).length() < 1e-5, "{velocity} {expected}");
    frames(&mut world, &region, 59);
    let expected = 4.0 * (1.0 - (1.0f64 + 2.0 / 60.0).powf(-60.0)) as f32;
    let now = world.body(body).unwrap();
    assert!((now.angular_velocity - Vec3::Y * expected).length() < 1e-3, "{} {expected}", now.angular_velocity);
    assert!(now.pose.translation.length() < 1e-5);
}

/// v² = a (1 − r/R) r on a circle, which a particle follows; beyond the range there is nothing.
#[test]
fn a_radial_field_holds_a_particle_on_its_circle() {
    let (a, r, range) = (6.0f32, 1.5, 6.0);
    let speed = (a * (1.0 - r / range) * r).sqrt();
    let mut world = world(0.0);
    let far = Vec3::X * (range + 0.5);
    let object = world.add(Object::new("moons", vec![Vec3::X * r, far], 0.01)).unwrap();
    world.set_position(object, 0, Vec3::X * r, Vec3::Z * speed).unwrap();
    let field = ForceField::Radial { acceleration: -a, range };
    let region = ForceRegion::new(SharedShape::ball(10.0), field);
    let mut angle = 0.0f32;
    for _ in 0..600 {
        let before = world.position(object, 0).unwrap();
        frames(&mut world, &region, 1);
        let now = world.position(object, 0).unwrap();
        angle += before.angle_between(now);
        assert!((now.length() - r).abs() < 1e-3 * r, "{now}");
    }
    assert!((angle / (10.0 * speed / r) - 1.0).abs() < 2e-3, "{angle}");
    assert_eq!(world.position(object, 1).unwrap(), far);
}

/// y = y₀ cos(ω t) with ω² = g/T for the draught T = h ρ/ρ_w, and cos ω' Δt = 1 − (ω Δt)²/2 over frames: no step damps it.
#[test]
fn a_box_bobs_with_the_period_of_its_draught() {
    let mut world = world(G);
    // It is wide enough to float upright.
    let half = Vec3::new(1.0, 0.5, 1.0);
    // Its draught is 0.6 m: its centre rests 0.1 m below the surface.
    let body = cuboid(&mut world, half, 600.0, Pose::from_translation(Vec3::ZERO));
    let phase = (1.0 - f64::from(G / 0.6) / (2.0 * 3600.0)).acos();
    for frame in 1..=600 {
        frames(&mut world, &lake(0.0), 1);
        let expected = -0.1 + 0.1 * (phase * f64::from(frame)).cos();
        let y = f64::from(world.body(body).unwrap().pose.translation.y);
        assert!((y - expected).abs() < 5e-4, "frame {frame}: {y} {expected}");
    }
    frames(&mut world, &lake(2.0), 900);
    let rest = world.body(body).unwrap();
    assert!((rest.pose.translation.y + 0.1).abs() < 1e-4 && rest.velocity.length() < 1e-4, "{rest:?}");
}

/// M = −m g GM θ with the metacentric height GM = b²/(12 T) − (h − T)/2 of a plank of the width b and the height h.
#[test]
fn a_tilted_plank_rights_itself_by_its_metacentric_height() {
    let mut world = world(G);
    let half = Vec3::new(0.5, 0.1, 1.0);
    let angle = 0.01;
    let body = cuboid(&mut world, half, 500.0, Pose::from_rotation(Quat::from_rotation_z(angle)));
    frames(&mut world, &lake(0.0), 1);
    let metacentric = 1.0 / (12.0 * 0.1) - 0.05;
    let mass = world.body(body).unwrap().mass;
    let expected = -mass.mass * G * metacentric * angle / mass.principal_inertia.z * FRAME;
    let found = world.body(body).unwrap().angular_velocity.z;
    assert!((found / expected - 1.0).abs() < 2e-3, "{found} {expected}");
    frames(&mut world, &lake(2.0), 900);
    let rotation = world.body(body).unwrap().pose.rotation.to_scaled_axis();
    assert!(rotation.length() < 1e-4, "{rotation}");
}

/// v = g (ρ_w/ρ − 1) t under water, and −g t above it.
#[test]
fn particles_rise_by_their_density_and_fall_above_the_water() {
    let mut world = world(G);
    let object = world.add(Object::new("corks", vec![Vec3::Y * -20.0, Vec3::Y * 20.0], 0.01)).unwrap();
    frames(&mut world, &lake(0.0), 30);
    let [rises, falls] = [0, 1].map(|k| world.velocity(object, k).unwrap());
    assert!((rises - Vec3::Y * 3.0 * G * 0.5).length() < 1e-3, "{rises}");
    assert!((falls + Vec3::Y * G * 0.5).length() < 1e-3, "{falls}");
}

#[test]
fn invalid_fields_are_refused_and_push_nothing() {
    let wind = |velocity, damping| ForceField::Wind { velocity, damping };
    let water = |density, particle_density, surface| ForceField::Buoyancy {
        density,
        particle_density,
        damping: 1.0,
        velocity: Vec3::ZERO,
        surface,
    };
    let fields = [
        (wind(Vec3::NAN, 1.0), "velocity"),
        (wind(Vec3::X, -1.0), "damping"),
        (ForceField::Vortex { angular_velocity: Vec3::INFINITY, damping: 1.0 }, "angular velocity"),
        (ForceField::Radial { acceleration: f32::NAN, range: 1.0 }, "acceleration"),
        (ForceField::Radial { acceleration: 1.0, range: 0.0 }, "range"),
        (water(0.0, 1.0, 0.0), "liquid"),
        (water(1.0, f32::NAN, 0.0), "particles"),
        (water(1.0, 1.0, f32::INFINITY), "surface"),
    ];
    let mut world = world(0.0);
    let body = cuboid(&mut world, Vec3::splat(0.5), 1.0, Pose::IDENTITY);
    let region = ForceRegion::new(SharedShape::ball(3.0), wind(Vec3::X, 1.0));
    for (field, words) in fields {
        let error = ForceRegion { field, ..region.clone() }.apply(&mut world, FRAME).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
    let tilted = region.clone().at(Pose::from_translation(Vec3::NAN));
    assert!(tilted.apply(&mut world, FRAME).unwrap_err().to_string().contains("pose"));
    let endless = ForceRegion { shape: SharedShape::ball(f32::NAN), ..region.clone() };
    assert!(endless.apply(&mut world, FRAME).unwrap_err().to_string().contains("shape"));
    assert!(region.apply(&mut world, 0.0).unwrap_err().to_string().contains("frame"));
    world.step(&mut CpuBackend::new(Threads::Exactly(1)), FRAME).unwrap();
    assert_eq!(world.body(body).unwrap().velocity, Vec3::ZERO);
    // An infinite range is one that does not fall, and the origin has no direction.
    let endless = ForceField::Radial { acceleration: 1.0, range: f32::INFINITY };
    frames(&mut world, &ForceRegion { field: endless, ..region }, 1);
    assert_eq!(world.body(body).unwrap().velocity, Vec3::ZERO);
}

/// The force F that a region names for a kinematic body is that by which it changes the velocity of a dynamic one, F Δt/m.
#[test]
fn the_force_on_a_kinematic_body_is_that_on_a_dynamic_one() {
    let fields = [
        ForceField::Wind { velocity: Vec3::new(3.0, 1.0, -2.0), damping: 2.0 },
        ForceField::Vortex { angular_velocity: Vec3::Y * 2.0, damping: 5.0 },
        ForceField::Radial { acceleration: 4.0, range: 3.0 },
        ForceField::Buoyancy {
            density: 1000.0,
            particle_density: 500.0,
            damping: 3.0,
            velocity: Vec3::X,
            surface: 0.1,
        },
    ];
    for field in fields {
        let mut world = world(G);
        let pose = Pose::from_parts(Vec3::new(0.3, 0.05, -0.2), Quat::from_rotation_z(0.4));
        let dynamic = cuboid(&mut world, Vec3::new(0.2, 0.3, 0.1), 700.0, pose);
        world.edit_body(dynamic, |body| body.velocity = Vec3::new(0.5, -0.3, 0.2)).unwrap();
        let before = world.body(dynamic).unwrap();
        let region = ForceRegion::new(SharedShape::ball(2.0), field);
        let force = region.force_on_body(&world, dynamic, &before, FRAME).unwrap();
        // A kinematic body with the same collider, which nothing pushes.
        let kinematic = world.add_body(Body::kinematic(pose)).unwrap();
        let shape = Collider::new(SharedShape::cuboid(0.2, 0.3, 0.1)).attached_to(kinematic);
        world.add_collider(shape).unwrap();
        world.set_contacts_between(dynamic, kinematic, false).unwrap();
        let as_dynamic = Body { velocity: before.velocity, mass: before.mass, ..world.body(kinematic).unwrap() };
        assert_eq!(region.force_on_body(&world, kinematic, &as_dynamic, FRAME).unwrap(), force);
        frames(&mut world, &region, 1);
        let gain = world.body(dynamic).unwrap().velocity - before.velocity - Vec3::NEG_Y * G * FRAME;
        let expected = force * (FRAME / before.mass.mass);
        assert!(gain.distance(expected) < 1e-5 && expected.length() > 1e-3, "{field:?}: {gain}, but {expected}");
    }
}
