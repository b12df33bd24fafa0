//! Numbers far from those of games: finite afterwards, or frozen and reported.

use glam::Vec3;
use xpbd_core::world::{ObjectHandle, World};
use xpbd_fluid::{Fluid, FluidDensities, FluidMaterial};

use super::support::{D, FRAME, basin, cpu, finite, positions, world};

/// Steps a world; every fluid is finite afterwards, and frozen where that was reported.
#[track_caller]
fn survives(world: &mut World, objects: &[ObjectHandle], frames: usize) {
    let mut cpu = cpu();
    let mut frozen = Vec::new();
    for _ in 0..frames {
        frozen.extend(world.step(&mut cpu, FRAME).unwrap().frozen);
        FluidDensities::measure(world).unwrap();
        for &object in objects {
            assert!(finite(world, object));
            assert_eq!(world.is_frozen(object).unwrap(), frozen.contains(&object));
        }
    }
}

#[test]
fn many_particles_at_one_point() {
    for at in [Vec3::ZERO, Vec3::new(3.0, 0.5 * D, -2.0)] {
        let mut world = world(true, 2);
        basin(&mut world, Vec3::splat(-5.0).with_y(0.0), 10.0, 10.0);
        let point = Fluid::particles(vec![at; 5000]).add_to_world(&mut world).unwrap();
        survives(&mut world, &[point], 1);
    }
}

#[test]
fn many_particles_nearly_at_one_point_come_apart() {
    let mut world = world(false, 10);
    let place = |k: usize| Vec3::new((k % 10) as f32, (k / 10 % 10) as f32, (k / 100) as f32) * (0.01 * D);
    let point = Fluid::particles((0..1000).map(place).collect()).add_to_world(&mut world).unwrap();
    survives(&mut world, &[point], 30);
    let error = FluidDensities::measure(&world).unwrap().mean_error();
    assert!(error < 0.05, "{error}");
}

#[test]
fn any_speed() {
    for speed in [1e3, 1e6, 1e18, 1e30] {
        let mut world = world(true, 4);
        basin(&mut world, Vec3::ZERO, 20.0 * D, 4.0 * D);
        let calm = Fluid::block(Vec3::ZERO, Vec3::new(10.0, 4.0, 4.0) * D).add_to_world(&mut world).unwrap();
        let corner = Vec3::new(12.0, 0.0, 0.0) * D;
        let fast = Fluid::block(corner, corner + 4.0 * D).velocity(Vec3::new(-speed, 0.0, 0.1 * speed));
        let fast = fast.add_to_world(&mut world).unwrap();
        survives(&mut world, &[calm, fast], 10);
    }
}

#[test]
fn any_place() {
    for place in [1e5, 1e10, 1e30, 3e38] {
        let mut world = world(true, 4);
        basin(&mut world, Vec3::ZERO, 8.0 * D, 4.0 * D);
        let near = Fluid::block(Vec3::ZERO, Vec3::splat(4.0 * D)).add_to_world(&mut world).unwrap();
        let away = [Vec3::splat(place), Vec3::splat(-place), Vec3::new(place, 0.0, D), Vec3::ZERO.with_y(place)];
        let far = Fluid::particles(away.to_vec()).add_to_world(&mut world).unwrap();
        survives(&mut world, &[near, far], 10);
        // Those near do not notice.
        assert!(!world.is_frozen(near).unwrap());
        assert!(positions(&world, near).iter().all(|x| x.y > 0.0 && x.y < 5.0 * D), "{place}");
    }
}

/// Returns two fluids on top of each other, after two seconds; the light one first.
fn stacked(ratio: f32, heavy_above: bool) -> (World, [ObjectHandle; 2]) {
    let mut world = world(true, 8);
    basin(&mut world, Vec3::ZERO, 6.0 * D, 6.0 * D);
    let corner = Vec3::new(6.0, 4.0, 6.0) * D;
    let [mut light, mut heavy] = [Vec3::ZERO, Vec3::Y * corner.y];
    if !heavy_above {
        std::mem::swap(&mut light, &mut heavy);
    }
    let fluids = [(light, 1000.0 / ratio), (heavy, 1000.0)];
    let objects = fluids.map(|(low, density)| {
        Fluid::block(low, low + corner).material(FluidMaterial::new(density)).add_to_world(&mut world).unwrap()
    });
    survives(&mut world, &objects, 120);
    (world, objects)
}

#[test]
fn what_is_thirty_times_as_heavy_sinks_and_stays_in_its_basin() {
    for heavy_above in [true, false] {
        let (world, objects) = stacked(30.0, heavy_above);
        let mean = |object| positions(&world, object).iter().map(|x| x.y).sum::<f32>();
        assert!(mean(objects[0]) > mean(objects[1]), "{heavy_above}: the heavy one sinks");
        for object in objects {
            let inside = |x: &Vec3| x.min_element() > 0.0 && x.x.max(x.z) < 6.0 * D;
            assert!(!world.is_frozen(object).unwrap() && positions(&world, object).iter().all(inside), "{heavy_above}");
        }
    }
}

#[test]
fn what_is_a_thousand_times_as_heavy_stays_finite() {
    stacked(1000.0, true);
    stacked(1000.0, false);
}
