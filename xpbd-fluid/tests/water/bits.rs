//! The same bits on any number of threads, and after a restored snapshot.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::World;
use xpbd_fluid::emitter::{Nozzle, NozzleShape};
use xpbd_fluid::{Emitter, Fluid, FluidMaterial};
use xpbd_rigid::Cluster;

use super::support::{D, FRAME, basin, settings};

/// Frames, of which a half is before the snapshot.
const FRAMES: usize = 60;

/// Water and oil in a basin, a soft sheet that falls in, a box that floats, and a tap.
fn stage() -> (World, Emitter) {
    let mut world = World::new(settings(true, 6)).unwrap();
    xpbd_rigid::register(world.registry_mut()).unwrap();
    basin(&mut world, Vec3::ZERO, 16.0 * D, 10.0 * D);
    let corner = Vec3::new(16.0, 4.0, 10.0) * D;
    let water = Fluid::block(Vec3::ZERO, corner).capacity(400).add_to_world(&mut world).unwrap();
    let oil = Fluid::block(Vec3::Y * corner.y, corner + Vec3::Y * 2.0 * D).material(FluidMaterial::new(900.0));
    oil.add_to_world(&mut world).unwrap();
    let grid: Vec<Vec3> = (0..64).map(|k| Vec3::new((k % 8) as f32, 0.0, (k / 8) as f32) * D).collect();
    let sheet = Cluster::from_points(&grid, D).overlapping(2.0 * D, 2.5 * D).density(600.0).pin([0]);
    let sheet = sheet.at(Pose::translation(D, 7.0 * D, D)).build().unwrap();
    world.add(sheet).unwrap();
    let half = Vec3::new(2.0, 1.0, 2.0) * D;
    let place = Pose::translation(12.0 * D, 8.0 * D, 5.0 * D);
    let mass = 400.0 * 8.0 * half.element_product();
    let body = world.add_body(Body::dynamic(place, Mass::cuboid(mass, half))).unwrap();
    world.add_collider(Collider::new(SharedShape::cuboid(half.x, half.y, half.z)).attached_to(body)).unwrap();
    let down = Quat::from_rotation_arc(Vec3::Z, Vec3::NEG_Y);
    let tap = Nozzle::new(NozzleShape::Disc { radius: 1.6 * D }, 2.0)
        .at(Pose::from_parts(Vec3::new(8.0, 16.0, 5.0) * D, down))
        .jitter(0.1);
    let tap = tap.emitter(&world, water).unwrap();
    (world, tap)
}

fn play(world: &mut World, tap: &mut Emitter, threads: usize, frames: usize) {
    let mut cpu = CpuBackend::new(Threads::Exactly(threads));
    for _ in 0..frames {
        tap.step(world, FRAME).unwrap();
        let report = world.step(&mut cpu, FRAME).unwrap();
        assert!(report.frozen.is_empty() && report.frozen_bodies.is_empty());
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let hashes = [1, 2, 7].map(|threads| {
        let (mut world, mut tap) = stage();
        play(&mut world, &mut tap, threads, FRAMES);
        assert!(tap.emitted() > 100);
        world.state_hash()
    });
    assert_eq!((hashes[0], hashes[0]), (hashes[1], hashes[2]));
}

#[test]
fn a_restored_snapshot_goes_on_with_the_same_bits() {
    let (mut world, mut tap) = stage();
    play(&mut world, &mut tap, 1, FRAMES / 2);
    let (saved, mut saved_tap) = (world.snapshot().unwrap(), tap.clone());
    play(&mut world, &mut tap, 1, FRAMES / 2);
    // A world without fluids, which knows no more than their types.
    let mut other = World::new(settings(false, 2)).unwrap();
    xpbd_rigid::register(other.registry_mut()).unwrap();
    xpbd_fluid::register(other.registry_mut()).unwrap();
    other.restore(&saved).unwrap();
    play(&mut other, &mut saved_tap, 2, FRAMES / 2);
    assert_eq!((world.state_hash(), tap), (other.state_hash(), saved_tap));
}
