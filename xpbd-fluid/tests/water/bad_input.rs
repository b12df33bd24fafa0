//! What is no fluid is refused, and the world stays as it was.

use glam::Vec3;
use xpbd_core::batch::BatchError;
use xpbd_core::world::{Object, WorldError};
use xpbd_fluid::{Fluid, FluidBatch, FluidDensities, FluidError, FluidMaterial};

use super::support::{D, run, world};

/// Adds a fluid that must be refused, to a world that must not change.
#[track_caller]
fn refused(fluid: Fluid) -> FluidError {
    let mut world = world(true, 2);
    let before = world.state_hash();
    let error = fluid.add_to_world(&mut world).unwrap_err();
    assert_eq!((world.state_hash(), world.objects().len()), (before, 0));
    run(&mut world, 1);
    error
}

#[test]
fn a_density_that_is_none_is_refused() {
    for density in [f32::NAN, 0.0, -0.0, -998.0, f32::INFINITY, f32::NEG_INFINITY, 1e-40] {
        let error = refused(Fluid::block(Vec3::ZERO, Vec3::splat(4.0 * D)).material(FluidMaterial::new(density)));
        assert!(error.to_string().contains("the density of a fluid is"), "{density}: {error}");
    }
    // Valid numbers that leave no valid mass.
    for density in [1e-36, f32::MAX] {
        let mut heavy = world(true, 2);
        let fluid = Fluid::block(Vec3::ZERO, Vec3::splat(4.0 * D)).material(FluidMaterial::new(density));
        if fluid.add_to_world(&mut heavy).is_ok() {
            run(&mut heavy, 2);
        }
    }
}

#[test]
fn a_block_that_cannot_be_filled_is_refused() {
    let one = Vec3::ONE;
    for (low, high, reason) in [
        (one, one, "too small"),
        (one, -one, "too small"),
        (Vec3::ZERO, Vec3::new(1.0, 1.0, 0.9 * D), "too small"),
        (Vec3::NAN, one, "finite"),
        (Vec3::ZERO, Vec3::new(1.0, f32::NAN, 1.0), "finite"),
        (Vec3::ZERO, Vec3::splat(f32::INFINITY), "finite"),
        (Vec3::ZERO, Vec3::splat(1e9), "hundred million"),
        (Vec3::splat(f32::MIN), Vec3::splat(f32::MAX), "hundred million"),
    ] {
        let error = refused(Fluid::block(low, high));
        assert!(error.to_string().contains(reason), "{low} {high}: {error}");
    }
}

#[test]
fn places_and_velocities_that_are_none_are_refused() {
    for fluid in [
        Fluid::particles(vec![Vec3::ZERO, Vec3::new(0.0, f32::NAN, 0.0)]),
        Fluid::particles(vec![Vec3::splat(f32::INFINITY)]),
        Fluid::block(Vec3::ZERO, Vec3::splat(2.0 * D)).velocity(Vec3::NAN),
    ] {
        assert!(matches!(refused(fluid), FluidError::World(_)));
    }
}

#[test]
fn a_batch_of_another_length_is_refused() {
    for (count, found) in [(3, 2), (3, 4), (0, 1), (3, usize::MAX)] {
        let mut world = world(true, 2);
        xpbd_fluid::register(world.registry_mut()).unwrap();
        let places = (0..count).map(|k| Vec3::X * (k as f32 * D)).collect();
        let object = Object::new("water", places, 1.0).with(FluidBatch::new(FluidMaterial::WATER, found));
        match world.add(object).unwrap_err() {
            WorldError::Batch(BatchError::Length { found: a, count: b, .. }) => assert_eq!((a, b), (count, found)),
            WorldError::Batch(_) => {}
            error => panic!("{error}"),
        }
        assert!(world.objects().is_empty());
    }
    let mut world = world(true, 2);
    let places = vec![Vec3::ZERO; 2];
    let density = FluidMaterial::new(f32::NAN);
    assert!(world.add(Object::new("water", places, 1.0).with(FluidBatch::new(density, 2))).is_err());
}

#[test]
fn nothing_and_one_particle_are_fluids() {
    for places in [vec![], vec![Vec3::Y]] {
        for spare in [0, 3] {
            let mut world = world(true, 10);
            let water = Fluid::particles(places.clone()).capacity(spare).add_to_world(&mut world).unwrap();
            run(&mut world, 60);
            // One that is alone falls as everything does.
            for k in world.active_particles(water).unwrap() {
                let (y, v) = (world.position(water, k as usize).unwrap().y, world.velocity(water, k as usize).unwrap());
                assert!((v.y + 9.81).abs() < 1e-3 && (y - 1.0 + 4.905).abs() < 0.01, "{y} {v}");
            }
            let densities = FluidDensities::measure(&world).unwrap();
            assert_eq!((world.active_count(water).unwrap(), densities.max_error()), (places.len(), 0.0));
        }
    }
}
