//! Fast bodies against bodies: none passes through another one, whatever the way of a frame.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_core::prelude::*;

use crate::yard::{FRAME, ball, block};

const SPEED: f32 = 300.0;

/// Returns a world without gravity.
fn space() -> World {
    World::new(Settings { gravity: Vec3::ZERO, sleep_speed: 0.0, ..Settings::default() }).unwrap()
}

/// Returns a ball of 10 g that flies from a position at a velocity.
fn bullet(world: &mut World, from: Vec3, velocity: Vec3, restitution: f32) -> BodyHandle {
    let body = ball(world, from, 0.02, 0.01, restitution);
    world.edit_body(body, |body| body.velocity = velocity).unwrap();
    let collider = *world.state().colliders.keys().last().unwrap();
    world.edit_collider(collider, |collider| collider.friction = Friction::new(0.0)).unwrap();
    body
}

/// Returns a plate of 1 kg, 2 mm thick along x.
fn plate(world: &mut World, at: Vec3, velocity: Vec3) -> BodyHandle {
    let body = block(world, Pose::from_translation(at), Vec3::new(0.001, 0.5, 0.5), 1.0, 0.0);
    world.edit_body(body, |body| body.velocity = velocity).unwrap();
    body
}

fn run(world: &mut World, count: usize) {
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    (0..count).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
}

/// A bullet covers 5 m in a frame, 2,500 times the thickness of the plate. From any part of the frame, head on or
/// against a plate that comes toward it, the velocities are those of an impact.
#[test]
fn a_bullet_hits_a_thin_plate_that_moves() {
    for restitution in [0.0, 1.0] {
        for (distance, toward) in [(0.1, 0.0), (2.3, 0.0), (7.7, 0.0), (4.0, 150.0), (11.0, 300.0)] {
            let mut world = space();
            let bullet = bullet(&mut world, Vec3::X * -distance, Vec3::X * SPEED, restitution);
            let plate = plate(&mut world, Vec3::ZERO, Vec3::X * -toward);
            let common = (0.01 * SPEED - toward) / 1.01;
            run(&mut world, 6);
            let [bullet, plate] = [bullet, plate].map(|body| world.body(body).unwrap());
            let expected = [common - restitution * (SPEED - common), common + restitution * (common + toward)];
            for (body, expected) in [(&bullet, expected[0]), (&plate, expected[1])] {
                let scale = SPEED + toward;
                assert!(
                    (body.velocity.x - expected).abs() < 0.01 * scale,
                    "{distance} {toward} {restitution}: {} {expected}",
                    body.velocity
                );
            }
            assert!(bullet.pose.translation.x < plate.pose.translation.x, "{distance} {toward}: it has passed");
        }
    }
}

/// Smooth surfaces push along their normal: M V = M m/(M + m) v cos θ.
#[test]
fn a_bullet_hits_a_plate_at_a_slant() {
    for angle in [0.3, 0.9, 1.2_f32] {
        let mut world = space();
        let turned = Quat::from_rotation_z(angle);
        let plate = block(&mut world, Pose::from_rotation(turned), Vec3::new(0.001, 0.5, 0.5), 1.0, 0.0);
        bullet(&mut world, Vec3::X * -3.1, Vec3::X * SPEED, 0.0);
        run(&mut world, 4);
        let normal = turned * Vec3::X;
        let expected = normal * (0.01 / 1.01 * SPEED * normal.x);
        let found = world.body(plate).unwrap().velocity;
        assert!((found - expected).length() < 0.03 * expected.length(), "{angle}: {found} {expected}");
    }
}

/// Equal balls exchange their velocities.
#[test]
fn two_bullets_that_meet_head_on_rebound() {
    for distance in [0.05, 3.3, 9.1] {
        let mut world = space();
        let first = bullet(&mut world, Vec3::X * -distance, Vec3::X * SPEED, 1.0);
        let second = bullet(&mut world, Vec3::X * 4.1, Vec3::X * -0.5 * SPEED, 1.0);
        run(&mut world, 4);
        let [first, second] = [first, second].map(|body| world.body(body).unwrap().velocity);
        assert!((first - Vec3::X * -0.5 * SPEED).length() < 0.02 * SPEED, "{distance}: {first}");
        assert!((second - Vec3::X * SPEED).length() < 0.02 * SPEED, "{distance}: {second}");
    }
}

#[test]
fn a_bullet_that_misses_is_not_deflected() {
    for offset in [0.53, 0.6, 2.0] {
        let mut world = space();
        let bullet = bullet(&mut world, Vec3::new(-3.3, offset, 0.0), Vec3::X * SPEED, 0.0);
        let plate = plate(&mut world, Vec3::ZERO, Vec3::ZERO);
        run(&mut world, 6);
        assert_eq!(world.body(bullet).unwrap().velocity, Vec3::X * SPEED, "{offset}");
        assert_eq!(world.body(plate).unwrap().velocity, Vec3::ZERO, "{offset}");
    }
}
