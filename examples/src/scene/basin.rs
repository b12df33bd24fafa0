//! Basins for liquids.

use glam::Vec3;
use parry3d::math::Vector;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::world::{ColliderHandle, ObjectHandle, Settings, World, WorldError};
use xpbd_fluid::{FluidDensities, SpawnError};

use super::Setup;
use crate::picture::{Liquid, Picture, hex};

/// Radius of particles in scenes with liquids \[m\].
pub(super) const RADIUS: f32 = 0.025;
/// Distance between particles \[m\].
pub(super) const SPACING: f32 = 2.0 * RADIUS;

/// Settings for liquids.
pub(super) fn settings(setup: &Setup<'_>) -> Settings {
    Settings { particle_radius: RADIUS, contact_margin: 0.5 * RADIUS, ..setup.settings() }
}

/// Five walls, open above: from the origin to a corner \[m\], whose height is not used. Returns the floor.
pub(super) fn walls(world: &mut World, corner: Vec3) -> Result<ColliderHandle, WorldError> {
    let mut add = |normal, at| world.add_collider(Collider::new(SharedShape::halfspace(normal)).at(at));
    add(Vector::X, Vec3::ZERO)?;
    add(Vector::NEG_X, Vec3::X * corner.x)?;
    add(Vector::Z, Vec3::ZERO)?;
    add(Vector::NEG_Z, Vec3::Z * corner.z)?;
    add(Vector::Y, Vec3::ZERO)
}

/// Returns the height \[m\] of a liquid that stands on the plane y = 0: twice the mean height of its particles.
pub(super) fn level(positions: impl Iterator<Item = Vec3>) -> f64 {
    let (mut sum, mut count) = (0.0, 0_u32);
    for x in positions {
        sum += f64::from(x.y);
        count += 1;
    }
    2.0 * sum / f64::from(count.max(1))
}

/// Returns the densities of all liquids.
pub(super) fn densities(world: &World) -> Result<FluidDensities, WorldError> {
    Ok(FluidDensities::measure(world)?)
}

/// Returns what the world has refused. What else is refused has been checked where scenes are built.
pub(super) fn world_error(error: SpawnError) -> WorldError {
    match error {
        SpawnError::World(error) => error,
        SpawnError::Step(error) => WorldError::Device(error.to_string()),
        _ => WorldError::StaleHandle("liquid"),
    }
}

/// Returns the particles of an object that are present \[m\].
pub(super) fn active_positions(world: &World, object: ObjectHandle) -> Result<Vec<Vec3>, WorldError> {
    world.active_particles(object)?.map(|k| world.position(object, k as usize)).collect()
}

/// Puts clear water into a picture.
pub(super) fn draw(picture: Picture, drops: &[Vec3]) -> Picture {
    picture.liquid(drops, SPACING, Liquid::clear(hex(0x6FC3DC), 0.6)).ground(0.0)
}
