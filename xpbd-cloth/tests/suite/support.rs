//! What several tests measure.

use xpbd_core::batch::ConstraintBatch;
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
