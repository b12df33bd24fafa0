//! An object that is no longer finite is frozen and reported, and the rest goes on.

use glam::Vec3;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::settings::ScheduleSettings;
use xpbd_core::world::{Integrator, ObjectHandle, Settings, World};

use super::support::{FRAME, bits, chain, cpu, sheet, step};

/// Returns a cloth that falls on a floor, and perhaps a chain somewhere else that is to blow up.
fn scene(settings: &Settings, guest: Option<Vec3>) -> (World, ObjectHandle, Option<ObjectHandle>) {
    let mut world = World::new(settings.clone()).unwrap();
    let mut cloth = sheet("cloth", Vec3::new(0.0, 0.1, 0.0), 8, 0.05);
    cloth.collision_layers.self_collision = true;
    let cloth = world.add(cloth).unwrap();
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap();
    let guest = guest.map(|place| world.add(chain("guest", place, 6, 0.05).pin([0])).unwrap());
    (world, cloth, guest)
}

/// Ways to make an object infinite.
const WAYS: [fn(&mut World, ObjectHandle); 3] = [pushed, placed, torn];

/// By a force that gives an infinite acceleration.
fn pushed(world: &mut World, object: ObjectHandle) {
    world.add_force(object, 3, Vec3::new(3e38, 0.0, -3e38)).unwrap();
}

/// At the edge of the numbers, on the way out.
fn placed(world: &mut World, object: ObjectHandle) {
    world.set_position(object, 2, Vec3::X * 3.4e38, Vec3::X * 3.4e38).unwrap();
}

/// By links that are to be impossibly long.
fn torn(world: &mut World, object: ObjectHandle) {
    let batch = world.batches_of(object)[0];
    world.edit_batch(batch, |batch| (0..5).for_each(|k| batch.parameters_mut(k)[0] = 3.4e38)).unwrap();
}

fn variants() -> [Settings; 3] {
    let schedule = ScheduleSettings { max_colours: 1, ..ScheduleSettings::default() };
    let base = Settings { substeps: 10, ..Settings::default() };
    [
        base.clone(),
        Settings { integrator: Integrator::SecondOrder, ..base.clone() },
        Settings { schedule, iterations: 3, ..base },
    ]
}

#[test]
fn the_rest_goes_on_as_if_it_were_not_there() {
    for (settings, blow_up) in variants().into_iter().flat_map(|settings| WAYS.map(|way| (settings.clone(), way))) {
        let (mut alone, cloth, _) = scene(&settings, None);
        let (mut world, same_cloth, guest) = scene(&settings, Some(Vec3::new(20.0, 1.0, 0.0)));
        let guest = guest.unwrap();
        let mut cpu = cpu();
        for frame in 0..40 {
            if frame == 10 {
                blow_up(&mut world, guest);
            }
            alone.step(&mut cpu, FRAME).unwrap();
            let report = world.step(&mut cpu, FRAME).unwrap();
            assert_eq!(report.frozen, if frame == 10 { vec![guest] } else { vec![] }, "frame {frame}");
            assert!(bits(&world, same_cloth) == bits(&alone, cloth), "{settings:?} differs in frame {frame}");
        }
        assert!(world.is_frozen(guest).unwrap() && !world.is_frozen(same_cloth).unwrap());
    }
}

#[test]
fn a_frozen_object_stays_at_its_last_valid_place() {
    for blow_up in [pushed, torn] {
        let (mut world, _, guest) = scene(&variants()[0], Some(Vec3::new(20.0, 1.0, 0.0)));
        let guest = guest.unwrap();
        step(&mut world, 5);
        let before: Vec<_> = world.positions(guest).unwrap().collect();
        blow_up(&mut world, guest);
        step(&mut world, 10);
        assert_eq!(world.positions(guest).unwrap().collect::<Vec<_>>(), before);
        assert!(world.velocities(guest).unwrap().all(|v| v == Vec3::ZERO));
        assert!(world.energy().total().is_finite() && world.momentum().linear.is_finite());
    }
}

#[test]
fn what_it_touches_is_not_infected() {
    for (settings, blow_up) in variants().into_iter().flat_map(|settings| WAYS.map(|way| (settings.clone(), way))) {
        let (mut world, cloth, guest) = scene(&settings, Some(Vec3::new(0.0, 0.115, 0.1)));
        let guest = guest.unwrap();
        step(&mut world, 2);
        blow_up(&mut world, guest);
        let mut cpu = cpu();
        let report = world.step(&mut cpu, FRAME).unwrap();
        assert_eq!(report.frozen, [guest], "{settings:?}");
        for _ in 0..30 {
            assert!(world.step(&mut cpu, FRAME).unwrap().frozen.is_empty());
        }
        assert!(world.velocities(cloth).unwrap().all(|v| v.length() < 10.0), "{settings:?}");
    }
}

#[test]
fn a_frozen_object_survives_a_snapshot() {
    let (mut world, _, guest) = scene(&variants()[0], Some(Vec3::new(20.0, 1.0, 0.0)));
    let guest = guest.unwrap();
    pushed(&mut world, guest);
    step(&mut world, 2);
    let saved = world.snapshot().unwrap();
    let (mut other, ..) = scene(&variants()[0], Some(Vec3::ZERO));
    other.restore(&saved).unwrap();
    assert!(other.is_frozen(guest).unwrap());
    step(&mut world, 10);
    step(&mut other, 10);
    assert_eq!(world.state_hash(), other.state_hash());
}

#[test]
fn thawed_it_moves_again_from_rest() {
    let (mut world, _, guest) = scene(&variants()[0], Some(Vec3::new(20.0, 1.0, 0.0)));
    let guest = guest.unwrap();
    pushed(&mut world, guest);
    step(&mut world, 1);
    assert!(world.is_frozen(guest).unwrap());
    world.unfreeze(guest).unwrap();
    let start = world.position(guest, 5).unwrap();
    let mut cpu = cpu();
    assert!(world.step(&mut cpu, FRAME).unwrap().frozen.is_empty());
    // The first frame from rest: h² g (1 + … + S) with S substeps of h = dt/S.
    let fallen = start.y - world.position(guest, 5).unwrap().y;
    let expected = 9.81 * FRAME * FRAME * (10.0 + 1.0) / (2.0 * 10.0);
    assert!((fallen - expected).abs() < 0.02 * expected, "{fallen} is not {expected}");
    step(&mut world, 12);
    assert_eq!(world.position(guest, 0).unwrap(), Vec3::new(20.0, 1.0, 0.0), "its pin holds");
    let y = world.position(guest, 5).unwrap().y;
    assert!(y < 0.85, "it has swung down to {y}");
    let swing = world.position(guest, 5).unwrap().distance(world.position(guest, 0).unwrap());
    assert!(swing < 0.26, "its constraints hold");
}

#[test]
fn edits_of_a_frozen_object_do_not_move_it() {
    let (mut world, _, guest) = scene(&variants()[0], Some(Vec3::new(20.0, 1.0, 0.0)));
    let guest = guest.unwrap();
    pushed(&mut world, guest);
    step(&mut world, 1);
    let before: Vec<_> = world.positions(guest).unwrap().collect();
    world.add_force(guest, 4, Vec3::X).unwrap();
    world.add_impulse(guest, 4, Vec3::X).unwrap();
    world.move_pinned(guest, 0, Vec3::ZERO).unwrap();
    world.set_pinned(guest, 4, true).unwrap();
    world.set_pinned(guest, 4, false).unwrap();
    step(&mut world, 3);
    assert_eq!(world.positions(guest).unwrap().collect::<Vec<_>>(), before);
}
