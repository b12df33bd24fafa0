//! Helpers that several tests share.

use xpbd_core::batch::ConstraintBatch;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{ObjectHandle, World};

/// Returns the strain that 99 of 100 edges of a sheet do not exceed, and the largest.
pub fn strains(world: &World, object: ObjectHandle) -> [f64; 2] {
    let positions: Vec<_> = world.positions(object).unwrap().map(|x| x.as_dvec3()).collect();
    let is_edges = |&handle: &_| world.batch(handle).unwrap().name() == "distance";
    let edges = world.batches_of(object).into_iter().find(is_edges).unwrap();
    let edges = world.batch(edges).unwrap().traced().unwrap();
    let strain = |k: usize| {
        let ends = edges.node_indices(k);
        positions[ends[0] as usize].distance(positions[ends[1] as usize]) / f64::from(edges.parameters(k)[0]) - 1.0
    };
    let mut strains: Vec<f64> = (0..edges.len()).map(strain).collect();
    strains.sort_unstable_by(f64::total_cmp);
    [strains[strains.len() * 99 / 100], strains[strains.len() - 1]]
}

/// Steps a world for this many frames and ten more, and compares it with one restored in between, for 1, 2 and 7 threads.
pub fn ensure_same_bits(make: impl Fn() -> World, frames: usize) {
    let play = |threads: usize| {
        let mut world = make();
        let mut backend = CpuBackend::new(Threads::Exactly(threads));
        let mut steps =
            |world: &mut World, count| (0..count).for_each(|_| drop(world.step(&mut backend, 1.0 / 60.0).unwrap()));
        steps(&mut world, frames);
        let snapshot = world.snapshot().unwrap();
        steps(&mut world, 10);
        let mut other = World::default();
        xpbd_cloth::register(other.registry_mut()).unwrap();
        other.restore(&snapshot).unwrap();
        steps(&mut other, 10);
        assert_eq!(world.state_hash(), other.state_hash());
        world.state_hash()
    };
    let hash = play(1);
    assert_eq!([hash; 2], [play(2), play(7)]);
}
