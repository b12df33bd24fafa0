//! One particle becomes two.

use glam::Vec3;
use xpbd_core::world::{Object, ObjectHandle, Settings, World, WorldError};

use crate::support::{refused, step, weightless};

/// Returns the three particles of 2 kg that move, and two to spare.
fn three(settings: Settings) -> (World, ObjectHandle) {
    let mut world = World::new(settings).unwrap();
    let points = vec![Vec3::ZERO, Vec3::X * 1000.0, Vec3::Y];
    let object = Object::new("three", points, 2.0).velocity(Vec3::new(1.0, 2.0, 3.0)).capacity(2, 1.0);
    let object = world.add(object).unwrap();
    (world, object)
}

#[test]
fn mass_and_momentum_stay_and_twins_move_alike() {
    let (mut world, object) = three(weightless());
    step(&mut world, 7);
    let before = world.momentum();
    world.split_particle(object, 1, 4, 0.3).unwrap();
    let particles = &world.state().particles;
    assert_eq!(particles.mass[1] + particles.mass[4], 2.0);
    assert!((particles.mass[4] - 0.6).abs() < 1e-6);
    assert_eq!([particles.anchor[1].w, particles.anchor[4].w], [1.0 / particles.mass[1], 1.0 / particles.mass[4]]);
    let after = world.momentum();
    assert!(after.linear.distance(before.linear) < 1e-6 * before.linear.length());
    assert!(after.angular.distance(before.angular) < 1e-6 * before.angular.length());
    step(&mut world, 20);
    let places: Vec<_> = world.positions(object).unwrap().collect();
    assert_eq!(places[1], places[4]);
    assert_eq!(world.generation(object, 4).unwrap(), 1);
    assert_eq!(world.active_count(object).unwrap(), 4);
}

#[test]
fn pins_targets_and_forces_are_shared() {
    let (mut world, object) = three(weightless());
    world.add_force(object, 2, Vec3::X * 600.0).unwrap();
    world.split_particle(object, 2, 3, 0.25).unwrap();
    step(&mut world, 1);
    assert_eq!(world.velocity(object, 2).unwrap(), world.velocity(object, 3).unwrap());
    assert!((world.velocity(object, 3).unwrap().x - 6.0).abs() < 1e-4, "{}", world.velocity(object, 3).unwrap());
    world.set_pinned(object, 0, true).unwrap();
    world.move_pinned(object, 0, Vec3::Z).unwrap();
    world.split_particle(object, 0, 4, 0.5).unwrap();
    step(&mut world, 1);
    assert_eq!(world.position(object, 4).unwrap(), world.position(object, 0).unwrap());
    assert!(world.position(object, 4).unwrap().distance(Vec3::Z) < 1e-6);
    world.set_pinned(object, 4, false).unwrap();
    assert_eq!(world.state().particles.anchor[4].w, 1.0);
}

#[test]
fn a_split_that_cannot_be_is_refused() {
    let (mut world, object) = three(Settings::default());
    let parts = [0.0, 1.0, -0.1, 1.5, f32::NAN, f32::INFINITY];
    for part in parts {
        let error = refused(&mut world, |world| world.split_particle(object, 0, 3, part));
        assert!(matches!(error, WorldError::InvalidNumber { what: "the part of the mass", .. }), "{part}: {error}");
    }
    let error = refused(&mut world, |world| world.split_particle(object, 0, 1, 0.5));
    assert!(matches!(error, WorldError::ParticleActivity { index: 1, must: "absent", .. }), "{error}");
    let error = refused(&mut world, |world| world.split_particle(object, 4, 3, 0.5));
    assert!(matches!(error, WorldError::ParticleActivity { index: 4, .. }), "{error}");
    for (particle, spare) in [(9, 3), (0, 9)] {
        let error = refused(&mut world, |world| world.split_particle(object, particle, spare, 0.5));
        assert!(matches!(error, WorldError::NoParticle { index: 9, count: 5, .. }), "{error}");
    }
    world.remove(object).unwrap();
    assert!(matches!(world.split_particle(object, 0, 3, 0.5), Err(WorldError::StaleHandle(_))));
}
