//! Water that seeps through surfaces.

use glam::Vec3;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{Object, ObjectHandle, World};
use xpbd_fluid::Fluid;

use super::support::{D, FRAME, plane, settings};

/// Returns a world with water and grains above a square of two pinned triangles between walls, and both.
fn stage(permeability: f32) -> (World, [ObjectHandle; 2]) {
    let mut world = World::new(settings(true, 10)).unwrap();
    let half = 4.0 * D;
    let walls = [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z];
    walls.into_iter().for_each(|normal| plane(&mut world, normal * -half, normal));
    let corners =
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, z)| Vec3::new(x, 0.0, z) * (1.01 * half));
    let mut sieve = Object::new("sieve", corners.to_vec(), 0.1).pin(0..4).surface(vec![[0, 1, 2], [0, 2, 3]], 0.5 * D);
    if let Some(surface) = &mut sieve.surface {
        surface.permeability = permeability;
    }
    world.add(sieve).unwrap();
    let (low, high) = (Vec3::new(-half, D, -half), Vec3::new(half, 7.0 * D, half));
    let water = Fluid::block(low, high).add_to_world(&mut world).unwrap();
    let grains = (0..49).map(|k| Vec3::new((k % 7 - 3) as f32, 9.0, (k / 7 - 3) as f32) * D);
    let mass = 2500.0 * D * D * D;
    let grains = world.add(Object::new("grains", grains.collect(), mass)).unwrap();
    (world, [water, grains])
}

fn play(world: &mut World, threads: usize, frames: usize) {
    let mut cpu = CpuBackend::new(Threads::Exactly(threads));
    for _ in 0..frames {
        assert!(world.step(&mut cpu, FRAME).unwrap().frozen.is_empty());
    }
}

fn passed(world: &World, object: ObjectHandle) -> usize {
    world.positions(object).unwrap().filter(|x| x.y < 0.0).count()
}

#[test]
fn water_passes_a_sieve_and_grains_do_not() {
    let (mut world, [water, grains]) = stage(2.0);
    play(&mut world, 1, 180);
    assert!(passed(&world, water) > 300, "{} of 384", passed(&world, water));
    assert_eq!(passed(&world, grains), 0);
    let (mut world, [water, _]) = stage(0.0);
    play(&mut world, 1, 60);
    assert_eq!(passed(&world, water), 0);
}

#[test]
fn what_seeps_has_the_same_bits_on_any_threads_and_after_a_snapshot() {
    let (mut world, _) = stage(1.0);
    play(&mut world, 1, 20);
    let saved = world.snapshot().unwrap();
    play(&mut world, 1, 20);
    for threads in [1, 2, 7] {
        let (mut other, _) = stage(1.0);
        play(&mut other, threads, 40);
        assert_eq!(world.state_hash(), other.state_hash());
        other.restore(&saved).unwrap();
        play(&mut other, threads, 20);
        assert_eq!(world.state_hash(), other.state_hash());
    }
}
