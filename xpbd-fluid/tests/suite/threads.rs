//! All that fluids do at once: the same bits on any number of threads, and the same far from the origin.

use glam::Vec3;
use parry3d::math::Vector;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{Object, Settings, World};
use xpbd_fluid::{Fluid, FluidMaterial};

/// Oil, smoke and a few grains on a floor, at a place; where everything is after some frames, seen from there.
fn mixed(at: Vec3, threads: usize) -> (u64, Vec<Vec3>) {
    let radius = 0.0078125;
    let mut world =
        World::new(Settings { particle_radius: radius, contact_margin: radius, substeps: 10, ..Settings::default() })
            .expect("valid");
    world.add_collider(Collider::new(SharedShape::halfspace(Vector::Y)).at(at)).expect("valid");
    let side = 2.0 * radius * 10.0;
    let oil =
        Fluid::block(at, at + Vec3::splat(side)).material(FluidMaterial::OIL.vorticity(1.0)).add_to_world(&mut world);
    let above = at + Vec3::Y * side;
    let smoke = Fluid::block(above, above + Vec3::new(side, 0.5 * side, side)).material(FluidMaterial::SMOKE);
    let smoke = smoke.add_to_world(&mut world);
    let grains: Vec<Vec3> =
        (0..20).map(|k| at + Vec3::new(0.25 * side, 1.75 * side + k as f32 * 0.015625, 0.5 * side)).collect();
    let grains = world.add(Object::new("grains", grains, 0.01));
    let mut backend = CpuBackend::new(Threads::Exactly(threads));
    for _ in 0..12 {
        world.step(&mut backend, 1.0 / 60.0).expect("it steps");
    }
    let objects = [oil.expect("valid"), smoke.expect("valid"), grains.expect("valid")];
    let places = objects.iter().flat_map(|&object| world.positions(object).expect("it exists")).map(|x| x - at);
    (world.state_hash(), places.collect())
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let [one, two, five] = [1, 2, 5].map(|threads| mixed(Vec3::ZERO, threads).0);
    assert_eq!((one, one), (two, five));
}

/// At 1024 m a position is 6e-5 m coarse.
#[test]
fn far_away_is_as_here() {
    let (here, there) = (mixed(Vec3::ZERO, 2).1, mixed(Vec3::new(1024.0, 0.0, -1024.0), 2).1);
    let apart = |(a, b): (&Vec3, &Vec3)| a.distance(*b);
    let mut ways: Vec<f32> = here.iter().zip(&there).map(apart).collect();
    ways.sort_unstable_by(f32::total_cmp);
    assert!(ways[ways.len() / 2] < 1e-3 && ways[ways.len() * 9 / 10] < 5e-3, "{:?}", ways.last());
}
