//! Water under more than its own pressure can bear in a substep.

use glam::Vec3;
use xpbd_core::world::{ObjectHandle, World};
use xpbd_fluid::{Fluid, FluidMaterial};

use super::support::{D, FRAME, basin, cpu, positions, world};

/// Steps a world, and returns the largest speed of a particle of each object at the end of any frame [m/s].
fn fastest<const N: usize>(world: &mut World, objects: [ObjectHandle; N], frames: usize) -> [f32; N] {
    let mut cpu = cpu();
    let mut most = [0.0_f32; N];
    for _ in 0..frames {
        world.step(&mut cpu, FRAME).unwrap();
        for (most, &object) in most.iter_mut().zip(&objects) {
            *most = world.velocities(object).unwrap().map(Vec3::length).fold(*most, f32::max);
        }
    }
    most
}

/// At the floor it becomes up to half again as dense; it swings, and does not leave.
#[test]
fn water_three_hundred_particles_deep_stays_in_its_shaft() {
    let mut world = world(true, 10);
    let size = Vec3::new(4.0, 300.0, 4.0) * D;
    basin(&mut world, Vec3::ZERO, size.x, size.z);
    let water = Fluid::block(Vec3::ZERO, size).add_to_world(&mut world).unwrap();
    let [most] = fastest(&mut world, [water], 120);
    let fall = (2.0 * 9.81 * size.y).sqrt();
    assert!(most < 0.5 * fall, "{most} of {fall} m/s");
    let top = positions(&world, water).iter().map(|x| x.y).fold(0.0, f32::max);
    assert!(top < 1.1 * size.y, "it has sprung up to {top} of {} m", size.y);
}

/// A liquid that a heavier one presses out from below itself is driven by the heavy one's pressure: by Bernoulli's equation
/// it can be √(ratio of the densities) times as fast as what falls through the scene, and no faster.
#[test]
fn a_light_liquid_comes_up_without_being_thrown() {
    let ratio = 30.0_f32;
    for substeps in [10, 20] {
        let mut world = world(true, substeps);
        let half = Vec3::new(12.0, 8.0, 6.0) * D;
        basin(&mut world, Vec3::ZERO, half.x, half.z);
        // The boundary leans, so that the instability has a start.
        let place = |k: usize| (Vec3::new((k % 12) as f32, (k / 72) as f32, (k / 12 % 6) as f32) + 0.5) * D;
        let (light, heavy): (Vec<_>, Vec<_>) =
            (0..16 * 72).map(place).partition(|x| x.y - half.y < 0.2 * (0.5 * half.x - x.x));
        let [light, heavy] = [(light, 1000.0 / ratio), (heavy, 1000.0)].map(|(places, density)| {
            Fluid::particles(places).material(FluidMaterial::new(density)).add_to_world(&mut world).unwrap()
        });
        let most = fastest(&mut world, [light, heavy], 180);
        let fall = (2.0 * 9.81 * 2.0 * half.y).sqrt();
        assert!(most[0] < ratio.sqrt() * fall, "{substeps} substeps: {most:?} of {fall} m/s");
        assert!(most[1] < 1.5 * fall, "{substeps} substeps: {most:?} of {fall} m/s");
        let mean = |object| {
            let all = positions(&world, object);
            all.iter().map(|x| x.y).sum::<f32>() / all.len() as f32
        };
        assert!(mean(light) - mean(heavy) > 0.9 * half.y, "{substeps} substeps: they have not changed places");
    }
}
