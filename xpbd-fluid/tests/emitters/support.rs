//! Worlds of liquid without a fluid solver: particles that fly, which is all that these tests need.

use glam::{Quat, Vec3};
use parry3d::shape::Cuboid;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{Object, ObjectHandle, Settings, World};
use xpbd_rigid::Cluster;

/// Radius of the particles [m].
pub const RADIUS: f32 = 0.01;
/// The edge of the cube that a particle takes [m].
pub const D: f32 = 2.0 * RADIUS;
/// Mass of a particle of water [kg].
pub const MASS: f32 = 1000.0 * D * D * D;

pub fn settings(gravity: bool) -> Settings {
    let gravity = if gravity { Settings::default().gravity } else { Vec3::ZERO };
    Settings { particle_radius: RADIUS, gravity, substeps: 4, ..Settings::default() }
}

/// Returns a world with an object of absent particles.
pub fn basin(gravity: bool, count: usize) -> (World, ObjectHandle) {
    let mut world = World::new(settings(gravity)).unwrap();
    let mut water = Object::new("water", vec![], MASS).capacity(count, MASS);
    water.collision_layers.filters = 0;
    let water = world.add(water).unwrap();
    (world, water)
}

/// Returns a block of ice of 8 × 4 × 4 particles about the origin, and as much room for water.
pub fn ice(gravity: bool) -> (World, [ObjectHandle; 2]) {
    let (mut world, water) = basin(gravity, 128);
    xpbd_rigid::register(world.registry_mut()).unwrap();
    let half = Vec3::new(4.0, 2.0, 2.0) * D;
    let ice = Cluster::from_shape(&Cuboid::new(half), D).name("ice").velocity(Vec3::X, Vec3::new(0.3, 2.0, 1.0));
    let ice = world.add(ice.build().unwrap()).unwrap();
    (world, [ice, water])
}

pub fn cpu() -> CpuBackend {
    CpuBackend::new(Threads::Exactly(1))
}

/// Turns +z down.
pub fn down() -> Quat {
    Quat::from_rotation_arc(Vec3::Z, Vec3::NEG_Y)
}

/// Returns the positions [m] of the particles that are present.
pub fn present(world: &World, object: ObjectHandle) -> Vec<Vec3> {
    world.active_particles(object).unwrap().map(|k| world.position(object, k as usize).unwrap()).collect()
}

/// Returns the smallest distance of two points [m].
pub fn nearest(points: &[Vec3]) -> f32 {
    let pairs = points.iter().enumerate().flat_map(|(k, a)| points[..k].iter().map(move |b| a.distance(*b)));
    pairs.fold(f32::MAX, f32::min)
}
