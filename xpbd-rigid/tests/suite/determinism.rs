//! The same bits for any number of threads, and after a snapshot.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use parry3d::shape::{Cuboid, HalfSpace};
use xpbd_core::collide::Collider;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::plasticity::Plasticity;
use xpbd_core::world::{Settings, World};
use xpbd_rigid::Cluster;

use crate::support::FRAME;

/// Returns a rigid, a soft and a plastic block fall on the ground and on each other.
fn heap() -> World {
    let settings =
        Settings { substeps: 8, iterations: 2, particle_radius: 0.025, contact_margin: 0.02, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    xpbd_rigid::register(world.registry_mut()).unwrap();
    let block = |y: f32| {
        let turned = Quat::from_rotation_z(0.3) * Quat::from_rotation_x(0.2 * y);
        Cluster::from_shape(&Cuboid::new(Vec3::new(0.2, 0.1, 0.15)), 0.05)
            .at(Pose::from_parts(Vec3::new(0.05 * y, y, 0.0), turned))
            .velocity(Vec3::NEG_Y * 2.0, Vec3::Y)
    };
    let law = Plasticity { yield_strain: 0.02, creep: 20.0, limit: 0.5 };
    for cluster in
        [block(0.4), block(0.8).overlapping(0.12, 0.15).compliance(1e-5), block(1.2).plasticity(law).compliance(1e-5)]
    {
        world.add(cluster.build().unwrap()).unwrap();
    }
    world.add_collider(Collider::new(SharedShape::new(HalfSpace::new(Vec3::Y)))).unwrap();
    world
}

fn run(world: &mut World, threads: usize, frames: usize) {
    let mut cpu = CpuBackend::new(Threads::Exactly(threads));
    for _ in 0..frames {
        let report = world.step(&mut cpu, FRAME).unwrap();
        assert!(report.frozen.is_empty());
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let hashes = [1, 2, 7].map(|threads| {
        let mut world = heap();
        run(&mut world, threads, 40);
        world.state_hash()
    });
    assert_eq!(hashes[0], hashes[1]);
    assert_eq!(hashes[0], hashes[2]);
}

#[test]
fn restoring_midway_gives_the_same_bits() {
    let mut world = heap();
    run(&mut world, 1, 20);
    let snapshot = world.snapshot().unwrap();
    run(&mut world, 1, 20);
    let mut other = World::default();
    assert!(other.restore(&snapshot).is_err(), "clusters are not registered");
    xpbd_rigid::register(other.registry_mut()).unwrap();
    other.restore(&snapshot).unwrap();
    run(&mut other, 1, 20);
    assert_eq!(world.state_hash(), other.state_hash());
    let deformed = world.batches_of(world.objects()[2]);
    let [a, b] = [&world, &other].map(|world| world.batch(deformed[0]).unwrap().save());
    assert_eq!(a, b);
}

#[test]
fn damaged_bytes_are_refused() {
    let world = heap();
    let save = world.batch(world.batches_of(world.objects()[1])[0]).unwrap().save();
    let mut registry = xpbd_core::batch::Registry::default();
    xpbd_rigid::register(&mut registry).unwrap();
    let restore = registry.restore_batch("cluster").unwrap();
    assert!(restore(&save).is_ok());
    for end in (0..save.len()).step_by(97) {
        assert!(restore(&save[..end]).is_err(), "{end} of {}", save.len());
    }
    let counts = xpbd_core::batch::NodeCounts { particles: 192, bodies: 0 };
    for at in 0..save.len().min(4000) {
        let mut damaged = save.clone();
        damaged[at] ^= 0xff;
        // Either refused, or of numbers that a step can honour.
        if let Ok(batch) = restore(&damaged) {
            let _ = batch.validate(counts);
        }
    }
}
