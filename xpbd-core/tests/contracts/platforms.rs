//! One-way platforms.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::prelude::*;

use crate::yard::{ball, block, frames, ground, place};

/// Returns a ground with a platform at a height of 2 m, 0.2 m thick.
fn stage() -> World {
    let mut world = ground(10, Quat::IDENTITY, 0.5);
    let platform = Collider::new(SharedShape::cuboid(2.0, 0.1, 2.0)).at(Vec3::Y * 2.0);
    world.add_collider(platform.one_way(Vec3::Y)).unwrap();
    world
}

#[test]
fn a_ball_that_jumps_passes_from_below_and_lands_on_top() {
    for speed in [7.0, 9.0, 12.0, 40.0] {
        let mut world = stage();
        let body = ball(&mut world, Vec3::Y * 0.2, 0.2, 1.0, 0.0);
        world.edit_body(body, |body| body.velocity = Vec3::Y * speed).unwrap();
        frames(&mut world, 15);
        assert!(world.body(body).unwrap().velocity.y.abs() > 1.0);
        frames(&mut world, 600);
        assert!((place(&world, body).y - 2.3).abs() < 0.01, "{speed}: {}", place(&world, body));
    }
}

#[test]
fn a_ball_that_jumps_too_low_falls_back() {
    let mut world = stage();
    let body = ball(&mut world, Vec3::Y * 0.2, 0.2, 1.0, 0.0);
    // It rises to 2 m, into the middle of the platform.
    world.edit_body(body, |body| body.velocity = Vec3::Y * (2.0f32 * 9.81 * 1.8).sqrt()).unwrap();
    frames(&mut world, 200);
    assert!((place(&world, body).y - 0.2).abs() < 0.01, "{}", place(&world, body));
}

#[test]
fn boxes_stack_on_a_platform_sleep_there_and_stay_after_a_snapshot() {
    let mut world = stage();
    let boxes: Vec<_> = (0..3u8)
        .map(|k| block(&mut world, Pose::translation(0.0, 3.0 + f32::from(k), 0.0), Vec3::splat(0.25), 1.0, 0.5))
        .collect();
    frames(&mut world, 60);
    let bytes = world.snapshot().unwrap();
    let mut world = World::default();
    world.restore(&bytes).unwrap();
    frames(&mut world, 300);
    for (k, &body) in boxes.iter().enumerate() {
        assert!((place(&world, body).y - 2.35 - 0.5 * k as f32).abs() < 0.02, "{}", place(&world, body));
        assert!(world.is_asleep(body).unwrap());
    }
}

#[test]
fn a_ball_thrown_from_the_side_passes_without_a_push() {
    let mut world = stage();
    let body = ball(&mut world, Vec3::new(-3.0, 2.0, 0.0), 0.05, 1.0, 0.0);
    world.edit_body(body, |body| (body.velocity, body.gravity_scale) = (Vec3::X * 10.0, 0.0)).unwrap();
    frames(&mut world, 60);
    let body = world.body(body).unwrap();
    assert!((body.velocity - Vec3::X * 10.0).length() < 1e-4 && body.pose.translation.x > 6.0, "{}", body.velocity);
}
