//! Liquid thrown into the corner of a room, which puts many particles at one place.

use glam::Vec3;
use parry3d::math::Vector;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{ObjectHandle, Settings, World};
use xpbd_fluid::{Fluid, FluidMaterial};

/// Distance of particles \[m\].
const SPACING: f32 = 0.02;

/// Returns a block of 6 × 6 × 6 particles of water, moved by this much, that flies into the corner of three walls at the origin.
fn thrown(speed: f32, moved: Vec3) -> (World, ObjectHandle) {
    let settings = Settings { particle_radius: 0.5 * SPACING, substeps: 10, ..Settings::default() };
    let mut world = World::new(settings).expect("valid");
    for normal in [Vector::X, Vector::Y, Vector::Z] {
        world.add_collider(Collider::new(SharedShape::halfspace(normal))).expect("valid");
    }
    let axis = || (0..6).map(|k| 0.1 + SPACING * k as f32);
    let places =
        axis().flat_map(|x| axis().flat_map(move |y| axis().map(move |z| Vec3::new(x, y, z) + moved))).collect();
    let water = Fluid::particles(places).material(FluidMaterial::WATER).velocity(Vec3::splat(-speed / 3f32.sqrt()));
    let water = water.add_to_world(&mut world).expect("valid");
    (world, water)
}

/// None passes a wall or shares a place for long, together they have no more energy than they came with, and none is thrown
/// away three times as fast: a corner makes a jet of what meets in it, which was 2.5 times as fast at most in each of the
/// throws.
#[test]
fn what_meets_in_a_corner_parts_again() {
    let moved = (0..4).map(|k| Vec3::new(0.0013, 0.0007 * k as f32, 0.0) * k as f32);
    let throws = [10.0, 30.0, 50.0].into_iter().flat_map(|speed| moved.clone().map(move |moved| (speed, moved)));
    for (speed, moved) in throws {
        let (mut world, water) = thrown(speed, moved);
        let count = 216;
        for frame in 0..60 {
            let now = format!("thrown at {speed} m/s, moved by {moved}, frame {frame}");
            world.step(&mut CpuBackend::default(), 1.0 / 60.0).expect("it steps");
            let positions: Vec<Vec3> = world.positions(water).expect("it exists").collect();
            let outside = positions.iter().filter(|x| x.min_element() < 0.5 * SPACING - 1e-4).count();
            assert_eq!(outside, 0, "{now}");
            let speeds = (0..count).map(|k| world.velocity(water, k).expect("it exists").length());
            let (fastest, squares) = speeds.fold((0f32, 0.0), |(most, sum), v| (most.max(v), sum + v * v));
            let mean = (squares / count as f32).sqrt();
            assert!(fastest < 3.0 * speed, "{now}: {fastest} m/s");
            assert!(mean < 1.01 * speed, "{now}: {mean} m/s on average");
            if frame >= 30 {
                let pairs = (0..count).flat_map(|a| (0..a).map(move |b| (a, b)));
                let joined = pairs.filter(|&(a, b)| positions[a] == positions[b]).count();
                assert_eq!(joined, 0, "{now}");
            }
        }
    }
}
