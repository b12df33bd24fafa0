//! Surfaces that move against their colliders: conveyor belts.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::prelude::*;

use crate::yard::{FRAME, G, ball, block, frames, ground};

const MU: f32 = 0.5;

/// Returns a plane, turned, whose surface moves along its x axis.
fn belt(speed: f32, turned: Quat) -> World {
    let mut world = ground(20, turned, MU);
    let plane = world.state().colliders.keys()[0];
    world.edit_collider(plane, |plane| plane.surface_velocity = Vec3::X * speed).unwrap();
    world
}

fn velocity(world: &World, body: BodyHandle) -> Vec3 {
    world.body(body).unwrap().velocity
}

/// a = μ g up to the speed of the belt, then no more: x = u t − u²/2μg.
#[test]
fn a_box_on_a_belt_reaches_its_speed_with_the_acceleration_of_friction() {
    let mut world = belt(1.0, Quat::IDENTITY);
    let body = block(&mut world, Pose::translation(0.0, 0.1, 0.0), Vec3::splat(0.1), 2.0, MU);
    frames(&mut world, 6);
    let speed = velocity(&world, body).x;
    assert!((speed / (MU * G * 6.0 * FRAME) - 1.0).abs() < 0.02, "{speed}");
    frames(&mut world, 594);
    assert!((velocity(&world, body) - Vec3::X).length() < 1e-3, "{}", velocity(&world, body));
    let x = world.body_pose(body).unwrap().translation.x;
    assert!((x - (10.0 - 1.0 / (2.0 * MU * G))).abs() < 0.01, "{x}");
}

/// A box that sticks to a belt climbs with it, and stays where it is when the belt stops.
#[test]
fn a_belt_carries_a_box_up_a_slope_and_holds_it() {
    let turned = Quat::from_rotation_z(0.3);
    let mut world = belt(0.5, turned);
    let start = turned * Vec3::new(0.0, 0.1, 0.0);
    let body = block(&mut world, Pose::from_parts(start, turned), Vec3::splat(0.1), 2.0, MU);
    frames(&mut world, 300);
    let before = world.body_pose(body).unwrap().translation;
    frames(&mut world, 300);
    let climbed = world.body_pose(body).unwrap().translation - before;
    assert!((climbed - turned * Vec3::X * 2.5).length() < 2e-3, "{climbed}");
    let plane = world.state().colliders.keys()[0];
    world.edit_collider(plane, |plane| plane.surface_velocity = Vec3::ZERO).unwrap();
    frames(&mut world, 60);
    let before = world.body_pose(body).unwrap().translation;
    frames(&mut world, 600);
    let crept = world.body_pose(body).unwrap().translation - before;
    assert!(crept.length() < 1e-4, "{crept}");
}

/// A ball that begins to roll on a belt keeps 2/7 of its speed.
#[test]
fn a_ball_on_a_belt_rolls_at_two_sevenths_of_its_speed() {
    let mut world = belt(1.4, Quat::IDENTITY);
    let body = ball(&mut world, Vec3::Y * 0.2, 0.2, 1.0, 0.0);
    frames(&mut world, 120);
    let found = velocity(&world, body).x;
    assert!((found / 0.4 - 1.0).abs() < 0.01, "{found}");
}

/// A cart on ice whose top is a belt: both move, and their momentum stays 0.
#[test]
fn a_belt_on_a_body_pushes_the_body_back() {
    let mut world = ground(20, Quat::IDENTITY, 0.0);
    let cart = block(&mut world, Pose::translation(0.0, 0.1, 0.0), Vec3::new(2.0, 0.1, 0.5), 3.0, MU);
    let top = *world.state().colliders.keys().last().unwrap();
    world.edit_collider(top, |top| top.surface_velocity = Vec3::X).unwrap();
    let load = block(&mut world, Pose::translation(0.0, 0.3, 0.0), Vec3::splat(0.1), 1.0, MU);
    frames(&mut world, 60);
    let [cart, load] = [cart, load].map(|body| velocity(&world, body).x);
    assert!((load - 0.75).abs() < 5e-3 && (cart + 0.25).abs() < 5e-3, "{load} {cart}");
    assert!((load + 3.0 * cart).abs() < 1e-3, "{load} {cart}");
}

/// Particles on belts at rest and on belts of bodies that follow a path.
#[test]
fn particles_move_with_belts() {
    let mut world = World::new(Settings::default()).unwrap();
    let lift = world.add_body(Body::kinematic(Pose::translation(5.0, 0.0, 0.0))).unwrap();
    let slab = || Collider::new(SharedShape::cuboid(2.0, 0.5, 2.0)).at(Vec3::Y * -0.5).friction(Friction::new(MU));
    world.add_collider(slab().surface_velocity(Vec3::new(0.3, 0.0, 0.1))).unwrap();
    world.add_collider(slab().surface_velocity(Vec3::X * 0.2).attached_to(lift)).unwrap();
    let radius = world.settings().particle_radius;
    let places = [0.0, 5.0].map(|x| Vec3::new(x, radius, 0.0)).to_vec();
    let grains = world.add(Object::new("grains", places, 1.0)).unwrap();
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    for frame in 1..=60u8 {
        let turned = Quat::from_rotation_y(0.01 * f32::from(frame));
        world.move_body(lift, Pose::from_parts(Vec3::new(5.0, 0.01 * f32::from(frame), 0.0), turned)).unwrap();
        world.step(&mut cpu, FRAME).unwrap();
    }
    let still = world.velocity(grains, 0).unwrap();
    assert!((still - Vec3::new(0.3, 0.0, 0.1)).length() < 2e-3, "{still}");
    let lifted = world.velocity(grains, 1).unwrap();
    let expected = Quat::from_rotation_y(0.6) * Vec3::X * 0.2 + Vec3::Y * 0.6;
    assert!((lifted - expected).length() < 0.15, "{lifted} {expected}");
}

#[test]
fn a_surface_velocity_that_is_not_finite_is_refused_by_name() {
    let mut world = belt(1.0, Quat::IDENTITY);
    let collider = Collider::new(SharedShape::ball(1.0));
    let error = world.add_collider(collider.clone().surface_velocity(Vec3::NAN)).unwrap_err().to_string();
    assert!(error.contains("surface velocity"), "{error}");
    let error = world.add_collider(collider.one_way(Vec3::ZERO)).unwrap_err().to_string();
    assert!(error.contains("one-way platform"), "{error}");
}

#[test]
fn boxes_on_a_belt_are_the_same_for_any_number_of_threads_and_after_a_snapshot() {
    let run = |threads: usize, restored: bool| {
        let mut world = belt(0.7, Quat::from_rotation_z(0.2));
        for k in 0..12u8 {
            let at = Pose::translation(0.3 * f32::from(k), 0.5 + 0.1 * f32::from(k), 0.0);
            block(&mut world, at, Vec3::new(0.1, 0.08, 0.12), 1.0, MU);
        }
        let mut cpu = CpuBackend::new(Threads::Exactly(threads));
        for frame in 0..60 {
            if restored && frame == 37 {
                let bytes = world.snapshot().unwrap();
                world = World::default();
                world.restore(&bytes).unwrap();
            }
            world.step(&mut cpu, FRAME).unwrap();
        }
        world.state_hash()
    };
    assert_eq!(run(1, false), run(3, false));
    assert_eq!(run(1, false), run(2, true));
}
