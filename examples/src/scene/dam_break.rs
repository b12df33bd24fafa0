//! A block of water let go in a basin three times as long.

use glam::Vec3;
use parry3d::math::Vector;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::world::{ObjectHandle, World, WorldError};
use xpbd_fluid::{Densities, Fluid};

use super::{Built, Key, Metrics, Observer, Recipe, SceneError, Setup};
use crate::picture::{Material, Picture, hex};

/// Radius of a particle \[m\].
const RADIUS: f32 = 0.025;

pub(super) const RECIPE: Recipe = Recipe {
    name: "dam-break",
    summary: "a block of water let go in a basin",
    frames: 120,
    substeps: 8,
    keys: &[Key { name: "n", default: "10000", help: "particles, about" }],
    takes_mesh: false,
    build,
};

struct DamBreak {
    water: ObjectHandle,
    length: f32,
}

fn build(setup: &Setup<'_>) -> Result<Built, SceneError> {
    let count = setup.count("n", 100, 4_000_000)?;
    let settings = xpbd_core::world::Settings { radius: RADIUS, margin: 0.5 * RADIUS, ..setup.settings() };
    let mut world = World::new(settings)?;
    let across = libm::cbrtf(count as f32 / 1.25).round();
    let high = (count as f32 / (across * across)).round();
    let d = 2.0 * RADIUS;
    let size = Vec3::new(across, high, across) * d;
    let length = 3.0 * size.x;
    for (normal, at) in [
        (Vector::Y, Vec3::ZERO),
        (Vector::X, Vec3::ZERO),
        (Vector::NEG_X, Vec3::X * length),
        (Vector::Z, Vec3::ZERO),
        (Vector::NEG_Z, Vec3::Z * size.z),
    ] {
        world.add_collider(Collider::new(SharedShape::halfspace(normal)).at(at))?;
    }
    let water = Fluid::block(Vec3::ZERO, size).name("water").add_to(&mut world)?;
    Ok(Built { world, frames: setup.frames(), observer: Box::new(DamBreak { water, length }) })
}

impl Observer for DamBreak {
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let front = world.positions(self.water)?.map(|x| x.x).fold(0.0, f32::max);
        let densities = Densities::measure(world).unwrap_or_default();
        let _ = self.length;
        Ok(vec![
            ("front_m", f64::from(front)),
            ("mean_density_error", f64::from(densities.mean_error())),
            ("max_density_error", f64::from(densities.max_error())),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let drops: Vec<Vec3> = world.positions(self.water)?.collect();
        Ok(picture.spheres(&drops, RADIUS, Material::matte(hex(0x3A7BD5))).ground(0.0))
    }
}
