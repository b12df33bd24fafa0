//! Nothing is lost where no force acts.

use glam::{DVec3, Vec3};
use xpbd_core::world::{ObjectHandle, World};
use xpbd_fluid::{Fluid, FluidMaterial};

use super::support::{D, FRAME, cpu, positions, world};

/// Returns a blob of 8³ particles about a place [m], flying [m/s] and turning [rad/s].
fn blob(world: &mut World, density: f32, place: Vec3, velocity: Vec3, spin: Vec3) -> ObjectHandle {
    let half = Vec3::splat(4.0 * D);
    let blob = Fluid::block(place - half, place + half).material(FluidMaterial::new(density));
    let blob = blob.add_to_world(world).unwrap();
    for (k, x) in positions(world, blob).into_iter().enumerate() {
        world.set_position(blob, k, x, velocity + spin.cross(x - place)).unwrap();
    }
    blob
}

/// Returns the mass [kg], momentum, and Σ m |v| [N s].
fn sums(world: &World, objects: [ObjectHandle; 2]) -> (f64, DVec3, f64) {
    let (mut mass, mut momentum, mut flow) = (0.0, DVec3::ZERO, 0.0);
    for object in objects {
        let range = world.state().objects.get(object).unwrap().range.clone();
        let masses = world.state().particles.mass[range].iter().map(|&mass| f64::from(mass));
        for (m, v) in masses.zip(world.velocities(object).unwrap()) {
            mass += m;
            momentum += m * v.as_dvec3();
            flow += m * v.as_dvec3().length();
        }
    }
    (mass, momentum, flow)
}

#[test]
fn blobs_of_two_densities_that_meet_keep_mass_and_momentum() {
    for density in [998.0, 2500.0, 100_000.0] {
        let mut world = world(false, 10);
        let one = blob(&mut world, 998.0, Vec3::X * -6.0 * D, Vec3::new(2.0, 0.3, 0.0), Vec3::new(0.5, 1.0, 3.0));
        let other = blob(&mut world, density, Vec3::X * 6.0 * D, Vec3::new(-1.5, 0.0, 0.2), Vec3::new(-2.0, 0.0, 1.0));
        let objects = [one, other];
        let mut cpu = cpu();
        let (mass, first, flow) = sums(&world, objects);
        // Nothing but the push of the other can turn one back.
        let before = sums(&world, [one, one]).1;
        for frame in 1..=120 {
            world.step(&mut cpu, FRAME).unwrap();
            let (now, momentum, _) = sums(&world, objects);
            assert_eq!(now, mass);
            let drift = (momentum - first).length() / flow;
            let most = 1e-5 * (f64::from(frame) * f64::from(FRAME)).max(0.1);
            assert!(drift < most, "{density} kg/m³, frame {frame}: {drift:e}");
        }
        let after = sums(&world, [one, one]).1;
        assert!(after.x < 0.7 * before.x, "{density} kg/m³: they have not met, {before} {after}");
    }
}
