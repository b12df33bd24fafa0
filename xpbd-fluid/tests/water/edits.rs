//! Fluids that go, freeze or never were.

use glam::Vec3;
use xpbd_core::world::{ObjectHandle, World, WorldError};
use xpbd_fluid::{Fluid, FluidDensities, FluidMaterial};

use super::support::{D, basin, finite, positions, run, world};

/// Returns two fluids on top of each other in a basin, pressed on each other.
fn two() -> (World, [ObjectHandle; 2]) {
    let mut world = world(true, 6);
    basin(&mut world, Vec3::ZERO, 6.0 * D, 6.0 * D);
    let corner = Vec3::new(6.0, 4.0, 6.0) * D;
    let low = Fluid::block(Vec3::ZERO, corner).add_to_world(&mut world).unwrap();
    let high = Fluid::block(Vec3::Y * corner.y, corner + Vec3::Y * corner.y).material(FluidMaterial::new(800.0));
    let high = high.add_to_world(&mut world).unwrap();
    run(&mut world, 10);
    (world, [low, high])
}

fn mean_height(world: &World, object: ObjectHandle) -> f32 {
    let places = positions(world, object);
    places.iter().map(|x| x.y).sum::<f32>() / places.len() as f32
}

#[test]
fn what_lies_on_a_fluid_that_is_removed_falls() {
    let (mut world, [low, high]) = two();
    let before = mean_height(&world, high);
    assert!((before - 6.0 * D).abs() < 0.5 * D, "{}", before / D);
    world.remove(low).unwrap();
    assert_eq!(FluidDensities::measure(&world).unwrap().values.len(), 144);
    run(&mut world, 60);
    assert!(finite(&world, high) && (mean_height(&world, high) - 2.0 * D).abs() < 0.5 * D);
    // And the last one too.
    world.remove(high).unwrap();
    run(&mut world, 2);
    assert!(FluidDensities::measure(&world).unwrap().values.is_empty());
}

#[test]
fn what_a_stale_handle_names_is_not_found() {
    let (mut world, [low, _]) = two();
    world.remove(low).unwrap();
    assert_eq!(world.remove(low).unwrap_err(), WorldError::StaleHandle("object"));
    assert_eq!(world.positions(low).err(), Some(WorldError::StaleHandle("object")));
    assert_eq!(world.is_frozen(low).unwrap_err(), WorldError::StaleHandle("object"));
    run(&mut world, 1);
    // A new one has another handle.
    let new = Fluid::block(Vec3::ZERO, Vec3::splat(2.0 * D)).add_to_world(&mut world).unwrap();
    assert!(new != low && world.positions(low).is_err());
    run(&mut world, 1);
}

#[test]
fn a_fluid_that_is_no_longer_finite_is_frozen_and_the_other_goes_on_without_it() {
    let (mut world, [low, high]) = two();
    world.add_force(low, 7, Vec3::splat(f32::MAX)).unwrap();
    let report = world.step(&mut super::support::cpu(), 1.0 / 60.0).unwrap();
    assert_eq!(report.frozen, [low]);
    assert!(world.is_frozen(low).unwrap() && !world.is_frozen(high).unwrap());
    assert!(finite(&world, low) && finite(&world, high));
    let stays = positions(&world, low);
    run(&mut world, 60);
    assert_eq!(positions(&world, low), stays);
    assert!(finite(&world, high), "{:?}", positions(&world, high));
    world.unfreeze(low).unwrap();
    run(&mut world, 30);
    assert!(finite(&world, low) && finite(&world, high) && !world.is_frozen(low).unwrap());
}
