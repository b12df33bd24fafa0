//! Worlds of water.

use glam::Vec3;
use parry3d::math::Vector;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{ObjectHandle, Settings, World};

/// Radius of the particles [m], a power of two: a lattice is exact wherever it is.
pub const RADIUS: f32 = 1.0 / 32.0;
/// The edge of the cube that a particle takes [m].
pub const D: f32 = 2.0 * RADIUS;
/// Length of a frame [s].
pub const FRAME: f32 = 1.0 / 60.0;

pub fn settings(gravity: bool, substeps: u32) -> Settings {
    let gravity = if gravity { Settings::default().gravity } else { Vec3::ZERO };
    Settings { particle_radius: RADIUS, contact_margin: 0.5 * RADIUS, gravity, substeps, ..Settings::default() }
}

pub fn world(gravity: bool, substeps: u32) -> World {
    World::new(settings(gravity, substeps)).unwrap()
}

pub fn cpu() -> CpuBackend {
    CpuBackend::new(Threads::Exactly(2))
}

pub fn run(world: &mut World, frames: usize) {
    let mut cpu = cpu();
    (0..frames).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
}

/// Adds a plane through a point [m] that holds what is on the side of its normal.
pub fn plane(world: &mut World, point: Vec3, normal: Vector) {
    world.add_collider(Collider::new(SharedShape::halfspace(normal)).at(point)).unwrap();
}

/// Adds a floor and four walls from a corner [m], of a length and a width [m].
pub fn basin(world: &mut World, low: Vec3, length: f32, width: f32) {
    let high = low + Vec3::new(length, 0.0, width);
    let walls = [(low, Vec3::X), (low, Vec3::Y), (low, Vec3::Z), (high, Vec3::NEG_X), (high, Vec3::NEG_Z)];
    walls.into_iter().for_each(|(point, normal)| plane(world, point, normal));
}

/// Returns the positions [m] of the particles of an object.
pub fn positions(world: &World, object: ObjectHandle) -> Vec<Vec3> {
    world.positions(object).unwrap().collect()
}

/// Returns whether all particles of an object are somewhere and go somewhere.
pub fn finite(world: &World, object: ObjectHandle) -> bool {
    world.positions(object).unwrap().all(Vec3::is_finite) && world.velocities(object).unwrap().all(Vec3::is_finite)
}
