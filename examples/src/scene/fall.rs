//! A particle in free fall at any distance from the origin.

use glam::Vec3;
use xpbd_core::world::{Object, ObjectHandle, World, WorldError};

use super::{BuiltScene, FRAME, Metrics, Observer, OptionKey, Recipe, SceneError, Setup};
use crate::picture::{Material, Picture, hex};

pub(super) const RECIPE: Recipe = Recipe {
    name: "fall",
    summary: "a particle falls freely, near the origin or far from it",
    frames: 60,
    substeps: 20,
    keys: &[
        OptionKey { name: "height", default: "4.905", help: "how far it should fall [m]" },
        OptionKey { name: "offset", default: "0", help: "distance of its start from the origin [m]" },
    ],
    takes_mesh: false,
    build,
};

struct Fall {
    particle: ObjectHandle,
    start: Vec3,
    gravity: f64,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let height = setup.positive("height")?;
    let offset = setup.number("offset", "a number from 0 to 1e7", |offset| (0.0..=1e7).contains(&offset))?;
    let settings = setup.settings();
    let gravity = settings.gravity.length();
    let start = Vec3::ONE.normalize() * offset;
    let mut world = World::new(settings)?;
    let particle = world.add(Object::new("particle", vec![start], 1.0))?;
    let seconds = (2.0 * height / gravity).sqrt();
    let frames = (seconds / FRAME).round().max(1.0) as u32;
    let fall = Fall { particle, start: world.position(particle, 0)?, gravity: f64::from(gravity) };
    Ok(BuiltScene { world, frames, observer: Box::new(fall) })
}

impl Observer for Fall {
    /// `fallen_m`, and `expected_m`: ½ g t² \[m\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let fallen = f64::from(self.start.y) - f64::from(world.position(self.particle, 0)?.y);
        let time = world.state().frames as f64 * f64::from(FRAME);
        Ok(vec![("fallen_m", fallen), ("expected_m", 0.5 * self.gravity * time * time)])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let fallen = world.position(self.particle, 0)? - self.start;
        let radius = 0.04 * (fallen.length() + 0.1);
        let line = picture.tube(&[Vec3::ZERO, fallen], 0.1 * radius, Material::matte(hex(0xB8B2A6)));
        Ok(line.spheres(&[fallen], radius, Material::polished(hex(0xC8553D))))
    }
}
