//! Who touches whom: events, filters, sleep, and what is left when something goes.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::prelude::*;

use crate::support::sheet;
use crate::yard::{FRAME, ball, block, frames, ground, heap, place, tower};

fn phases(world: &World) -> Vec<ContactPhase> {
    world.collisions().iter().map(|collision| collision.phase).collect()
}

#[test]
fn a_collision_begins_once_stays_and_ends_once() {
    let mut world = ground(10, Quat::IDENTITY, 0.5);
    let body = ball(&mut world, Vec3::new(0.0, 0.2, 0.0), 0.1, 1.0, 0.0);
    let mut seen = Vec::new();
    for frame in 0..200 {
        if frame == 150 {
            world.edit_body(body, |body| body.velocity = Vec3::Y * 3.0).unwrap();
        }
        frames(&mut world, 1);
        seen.extend(phases(&world));
    }
    let count = |phase| seen.iter().filter(|&&other| other == phase).count();
    assert_eq!(count(ContactPhase::Begin), count(ContactPhase::End) + 1, "{seen:?}");
    assert!(count(ContactPhase::Begin) == 2 && count(ContactPhase::Stay) > 100, "{seen:?}");
}

#[test]
fn a_collision_carries_the_weight() {
    let mut world = ground(20, Quat::IDENTITY, 0.5);
    block(&mut world, Pose::translation(3.0, 0.2, 1.0), Vec3::splat(0.2), 5.0, 0.5);
    world.set_settings(Settings { sleep_speed: 0.0, ..world.settings().clone() }).unwrap();
    frames(&mut world, 60);
    let [collision] = *world.collisions() else { panic!("{:?}", world.collisions()) };
    assert!((collision.impulse / (5.0 * 9.81 * FRAME) - 1.0).abs() < 0.01, "{collision:?}");
    assert!((collision.normal - Vec3::Y).length() < 1e-4);
    assert!((collision.point - Vec3::new(3.0, 0.0, 1.0)).length() < 0.01);
}

/// J = m (v(t) − v₀ + g t), whether a body stays where it lands or rebounds.
#[test]
fn a_collision_tells_the_momentum_that_it_took() {
    for restitution in [0.0, 0.5] {
        let mut world = ground(20, Quat::IDENTITY, 0.5);
        let body = block(&mut world, Pose::translation(0.0, 0.7, 0.0), Vec3::splat(0.2), 1000.0, 0.5);
        world.edit_body(body, |body| body.velocity = Vec3::NEG_Y * 2.0).unwrap();
        let colliders: Vec<_> = world.state().colliders.keys().to_vec();
        for collider in colliders {
            world.edit_collider(collider, |collider| collider.restitution = restitution).unwrap();
        }
        let (mut impulse, mut first) = (0.0, 0.0);
        for _ in 0..30 {
            frames(&mut world, 1);
            impulse += world.collisions().iter().map(|collision| collision.impulse).sum::<f32>();
            first = if first == 0.0 { impulse } else { first };
        }
        let expected = 1000.0 * (world.body(body).unwrap().velocity.y + 2.0 + 9.81 * 30.0 * FRAME);
        assert!((impulse / expected - 1.0).abs() < 0.01, "{restitution}: {impulse} N s is not {expected}");
        // It lands in one frame, at √(v₀² + 2 g 0.5 m).
        let landed = 1000.0 * (1.0 + restitution) * (4.0f32 + 9.81).sqrt();
        assert!((first / landed - 1.0).abs() < 0.05, "{restitution}: {first} N s is not {landed}");
    }
}

/// The point is where the impulses act: on the ground below a ball, and below the centre of mass of a plank.
#[test]
fn a_collision_tells_the_point_at_which_it_pushed() {
    let mut world = ground(20, Quat::IDENTITY, 0.5);
    world.set_settings(Settings { sleep_speed: 0.0, ..world.settings().clone() }).unwrap();
    ball(&mut world, Vec3::new(-3.0, 0.2, 0.0), 0.2, 1.0, 0.0);
    let half = Vec3::new(0.5, 0.1, 0.2);
    let mass = Mass { center_of_mass: Vec3::new(0.3, 0.0, 0.1), ..Mass::cuboid(2.0, half) };
    let plank = world.add_body(Body::dynamic(Pose::translation(2.0, 0.1, 0.0), mass)).unwrap();
    world.add_collider(Collider::new(SharedShape::cuboid(half.x, half.y, half.z)).attached_to(plank)).unwrap();
    frames(&mut world, 60);
    let [ball, plank] = [0, 1].map(|k| world.collisions()[k].point);
    assert!((ball - Vec3::X * -3.0).length() < 2e-3, "{ball}");
    assert!((plank - Vec3::new(2.3, 0.0, 0.1)).length() < 0.01, "{plank}");
}

/// Whatever is removed while it touches ends its collisions with one event each, and what it bore falls.
#[test]
fn removal_ends_collisions_and_wakes_what_rested() {
    for asleep in [false, true] {
        let mut world = ground(10, Quat::IDENTITY, 0.5);
        let boxes = tower(&mut world, 3, 1.0);
        frames(&mut world, if asleep { 120 } else { 5 });
        assert_eq!(world.is_asleep(boxes[0]).unwrap(), asleep);
        assert!(phases(&world).iter().all(|&phase| phase == ContactPhase::Stay) && phases(&world).len() == 3);
        world.remove_body(boxes[1]).unwrap();
        frames(&mut world, 1);
        let ended = phases(&world).iter().filter(|&&phase| phase == ContactPhase::End).count();
        assert_eq!(ended, 2, "{:?}", world.collisions());
        frames(&mut world, 1);
        assert!(!phases(&world).contains(&ContactPhase::End));
        frames(&mut world, 60);
        assert!((place(&world, boxes[2]).y - 1.5).abs() < 0.02, "{}", place(&world, boxes[2]));
    }
}

#[test]
fn a_sleeper_wakes_when_it_should() {
    let mut world = ground(10, Quat::IDENTITY, 0.5);
    let lift = world.add_body(Body::kinematic(Pose::translation(0.0, -0.1, 0.0))).unwrap();
    world.add_collider(Collider::new(SharedShape::cuboid(1.0, 0.1, 1.0)).attached_to(lift)).unwrap();
    let boxes = tower(&mut world, 2, 1.0);
    frames(&mut world, 120);
    assert!(boxes.iter().all(|&body| world.is_asleep(body).unwrap()));
    world.add_body_force(boxes[1], Vec3::X).unwrap();
    assert!(!boxes.iter().any(|&body| world.is_asleep(body).unwrap()), "a push wakes the island");
    frames(&mut world, 120);
    assert!(world.is_asleep(boxes[0]).unwrap());
    for k in 1..=30 {
        world.move_body(lift, Pose::translation(0.0, k as f32 / 300.0 - 0.1, 0.0)).unwrap();
        frames(&mut world, 1);
    }
    assert!((place(&world, boxes[1]).y - 1.6).abs() < 0.05, "the lift takes both along: {}", place(&world, boxes[1]));
    frames(&mut world, 120);
    assert!(world.is_asleep(boxes[1]).unwrap());
    let ball = ball(&mut world, Vec3::new(0.0, 4.0, 0.0), 0.2, 1.0, 0.0);
    frames(&mut world, 120);
    assert!(world.body(ball).unwrap().velocity.length() < 1.0);
    world.edit_body(boxes[0], |body| body.can_sleep = false).unwrap();
    frames(&mut world, 120);
    assert!(!world.is_asleep(boxes[1]).unwrap(), "what touches a body that may not sleep stays awake");
}

#[test]
fn filters_and_ignored_pairs_keep_bodies_from_touching() {
    let mut world = ground(10, Quat::IDENTITY, 0.5);
    let boxes = tower(&mut world, 2, 1.0);
    world.set_contacts_between(boxes[0], boxes[1], false).unwrap();
    frames(&mut world, 60);
    assert!((place(&world, boxes[1]).y - 0.5).abs() < 0.01, "it falls through");
    let saved = world.snapshot().unwrap();
    let mut copy = World::default();
    copy.restore(&saved).unwrap();
    frames(&mut copy, 60);
    frames(&mut world, 60);
    assert_eq!(copy.state_hash(), world.state_hash());
    assert!(world.set_contacts_between(boxes[0], boxes[1], true).is_ok());
}

#[test]
fn pairs_that_are_switched_off_in_any_order_pass_each_other_until_they_are_switched_on() {
    let mut world = ground(10, Quat::IDENTITY, 0.5);
    let boxes = tower(&mut world, 4, 1.0);
    for (a, b) in [(2, 3), (0, 2), (3, 0), (1, 2), (0, 1), (1, 3), (1, 0)] {
        world.set_contacts_between(boxes[a], boxes[b], false).unwrap();
    }
    world.set_contacts_between(boxes[3], boxes[1], true).unwrap();
    frames(&mut world, 90);
    let heights = boxes.iter().map(|&body| place(&world, body).y);
    for (height, expected) in heights.zip([0.5, 0.5, 0.5, 1.5]) {
        assert!((height - expected).abs() < 0.01, "{height} m, not {expected} m");
    }
}

#[test]
fn edits_wake_all_bodies_however_often_they_follow_each_other() {
    let mut world = ground(10, Quat::IDENTITY, 0.5);
    let boxes = tower(&mut world, 2, 1.0);
    for k in 0..2 {
        world.add_collider(Collider::new(SharedShape::ball(0.1)).at(Vec3::new(5.0 + k as f32, 9.0, 0.0))).unwrap();
        world.put_to_sleep(boxes[k]).unwrap();
        world.set_contacts_between(boxes[0], boxes[1], true).unwrap();
        assert!(!world.is_asleep(boxes[k]).unwrap());
    }
    frames(&mut world, 120);
    assert!(world.is_asleep(boxes[1]).unwrap());
    world.add_collider(Collider::new(SharedShape::ball(0.1)).at(Vec3::new(5.0, 9.0, 0.0))).unwrap();
    assert!(boxes.iter().all(|&body| !world.is_asleep(body).unwrap()));
}

/// A sheet of particles pinned at its corners bears a box, and both together keep their momentum.
#[test]
fn particles_and_bodies_push_each_other() {
    let mut world = World::new(Settings { gravity: Vec3::ZERO, particle_radius: 0.03, ..Settings::default() }).unwrap();
    let cloth = world.add(sheet("sheet", Vec3::new(-0.5, 0.0, -0.5), 20, 0.05)).unwrap();
    let body = block(&mut world, Pose::translation(0.0, 0.4, 0.0), Vec3::splat(0.15), 2.0, 0.5);
    world.edit_body(body, |body| body.velocity = Vec3::new(0.3, -2.0, 0.0)).unwrap();
    let before = world.momentum();
    frames(&mut world, 40);
    let after = world.momentum();
    let sheet_moves = world.velocities(cloth).unwrap().map(|v| -v.y).fold(0.0, f32::max);
    assert!(sheet_moves > 0.5, "the box takes the sheet along: {sheet_moves}");
    assert!((after.linear - before.linear).length() < 1e-4 * before.linear.length(), "{before:?} {after:?}");
    assert!((after.angular - before.angular).length() < 1e-3 * before.linear.length(), "{before:?} {after:?}");
    assert!(world.contacts().iter().any(|contact| matches!(contact.other, ContactPartner::Collider(_))));
}

#[test]
fn heaps_are_the_same_for_any_number_of_threads_and_after_a_snapshot() {
    let run = |threads: usize, saved_at: Option<usize>| {
        let mut world = ground(8, Quat::IDENTITY, 0.5);
        heap(&mut world, 40);
        let mut cpu = CpuBackend::new(Threads::Exactly(threads));
        for frame in 0..150 {
            if Some(frame) == saved_at {
                let saved = world.snapshot().unwrap();
                world = World::default();
                world.restore(&saved).unwrap();
            }
            world.step(&mut cpu, FRAME).unwrap();
        }
        (world.state_hash(), world.collisions().to_vec())
    };
    let expected = run(1, None);
    for (threads, saved_at) in [(2, None), (7, None), (1, Some(60)), (2, Some(120))] {
        assert_eq!(run(threads, saved_at), expected, "{threads} threads, saved at {saved_at:?}");
    }
}

#[test]
fn a_body_that_is_put_to_sleep_stays_where_it_is_until_it_is_hit() {
    let mut world = ground(10, Quat::IDENTITY, 0.5);
    let sleeper = ball(&mut world, Vec3::Y * 2.0, 0.5, 1.0, 0.0);
    frames(&mut world, 10);
    world.put_to_sleep(sleeper).unwrap();
    let slept = place(&world, sleeper);
    frames(&mut world, 60);
    assert!(world.is_asleep(sleeper).unwrap());
    assert_eq!(place(&world, sleeper), slept);
    let other = ball(&mut world, slept + Vec3::Y * 1.5, 0.5, 1.0, 0.0);
    frames(&mut world, 60);
    assert!(place(&world, sleeper).y < 0.6 && place(&world, other).y < slept.y);
    world.edit_body(sleeper, |body| body.can_sleep = false).unwrap();
    assert!(matches!(world.put_to_sleep(sleeper), Err(WorldError::InvalidValue { .. })));
    let fixed = world.add_body(Body::fixed(Pose::IDENTITY)).unwrap();
    assert!(matches!(world.put_to_sleep(fixed), Err(WorldError::InvalidValue { .. })));
}
