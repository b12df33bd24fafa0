//! Water is the same far from the origin.

use glam::Vec3;
use xpbd_fluid::{Fluid, FluidDensities};

use super::support::{D, FRAME, basin, cpu, positions, world};

/// Returns the front of a dam break [m], and mean and largest density errors [1], over time.
fn dam(origin: Vec3) -> Vec<[f32; 3]> {
    let mut world = world(true, 10);
    basin(&mut world, origin, 24.0 * D, 6.0 * D);
    let block = Fluid::block(origin, origin + Vec3::new(8.0, 10.0, 6.0) * D);
    let water = block.add_to_world(&mut world).unwrap();
    let mut cpu = cpu();
    let mut look = || {
        world.step(&mut cpu, FRAME).unwrap();
        let densities = FluidDensities::measure(&world).unwrap();
        let front = positions(&world, water).iter().map(|x| x.x - origin.x).fold(0.0, f32::max);
        [front, densities.mean_error(), densities.max_error()]
    };
    (0..30).map(|_| look()).collect()
}

#[test]
fn a_dam_breaks_at_1000_m_as_at_the_origin() {
    let near = dam(Vec3::ZERO);
    // It runs, and is pressed together.
    assert!(near[29][0] > 14.0 * D && near[29][1] > 1e-4, "{:?}", near[29]);
    for origin in [Vec3::new(1000.0, 0.0, 0.0), Vec3::new(-1000.0, 1000.0, 1000.0)] {
        for (frame, (near, far)) in near.iter().zip(dam(origin)).enumerate() {
            let apart = (0..2).map(|k| (near[k] - far[k]).abs()).fold(0.0, f32::max);
            assert!(apart < 1e-3, "{origin}, frame {frame}: {near:?} {far:?}");
        }
    }
}
