//! Smoke rises under a cloth that is held at its corners, and lifts it.
//!
//! The corners come together while the smoke is on its way, so that the cloth hangs slack.

use glam::Vec3;
use xpbd_cloth::Cloth;
use xpbd_core::world::{ObjectHandle, Settings, StepReport, World, WorldError};
use xpbd_fluid::{Fluid, FluidMaterial};

use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, cloths, sheet, solid};
use crate::mesh::Bounds;
use crate::picture::{Material, Picture, hex};

/// Distance of particles \[m\].
const SPACING: f32 = 0.05;
/// Particles a side of the cloth, their distance over that of the smoke, so that none passes, and height at
/// which it is held \[m\].
const CLOTH: (usize, f32, f32) = (31, 0.8, 1.0);
/// Mass of the cloth an area \[kg/m²\]: silk.
const SILK: f32 = 0.04;
/// Fraction of their distance by which the corners approach each other, and the number of frames that this takes.
const SLACK: (f32, u64) = (0.12, 20);

pub(super) const RECIPE: Recipe = Recipe {
    name: "smoke-cloth",
    summary: "smoke rises under a cloth and lifts it",
    frames: 75,
    substeps: 10,
    keys: &[OptionKey { name: "n", default: "2500", help: "particles of smoke, about" }],
    takes_mesh: false,
    build,
};

struct SmokeCloth {
    smoke: ObjectHandle,
    cloth: ObjectHandle,
    corners: [(usize, Vec3); 4],
    highest: f64,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 20, 1_000_000)?;
    let radius = 0.5 * SPACING;
    let mut world = World::new(Settings { particle_radius: radius, contact_margin: radius, ..setup.settings() })?;
    solid::floor(&mut world, 0.0)?;
    let (side, part, height) = CLOTH;
    let size = part * SPACING * (side - 1) as f32;
    let last = side as u32 - 1;
    let pins = [0, last, (last + 1) * last, (last + 1) * (last + 1) - 1];
    let cloth = Cloth::grid(side as u32, side as u32, size, size).density(SILK).linear_damping(0.5);
    let cloth = cloth.at(Vec3::Y * height).pin(pins).build();
    let cloth = world.add(cloth.map_err(|error| SceneError::Object(error.to_string()))?)?;
    let mut corners = [(0, Vec3::ZERO); 4];
    for (corner, pin) in corners.iter_mut().zip(pins) {
        *corner = (pin as usize, world.position(cloth, pin as usize)?);
    }
    let across = (0.7 * size / SPACING).round();
    let high = (count as f32 / (across * across)).round().max(1.0);
    let half = Vec3::new(across, 0.0, across) * radius;
    let smoke = Fluid::block(-half, half + Vec3::Y * (high * SPACING)).material(FluidMaterial::SMOKE).name("smoke");
    let smoke = smoke.add_to_world(&mut world)?;
    let observer = SmokeCloth { smoke, cloth, corners, highest: f64::NEG_INFINITY };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(observer) })
}

impl SmokeCloth {
    /// Returns the mean height of the cloth above its corners \[m\].
    fn lift(&self, world: &World) -> Result<f64, WorldError> {
        let places = world.positions(self.cloth)?;
        let count = places.len() as f64;
        Ok(places.map(|x| f64::from(x.y - CLOTH.2)).sum::<f64>() / count)
    }
}

impl Observer for SmokeCloth {
    /// Brings the corners together.
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        let frame = world.state().frames + 1;
        if frame <= SLACK.1 {
            let left = 1.0 - SLACK.0 * frame as f32 / SLACK.1 as f32;
            for (corner, start) in self.corners {
                world.move_pinned(self.cloth, corner, Vec3::new(start.x * left, start.y, start.z * left))?;
            }
        }
        Ok(())
    }

    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        self.highest = self.highest.max(self.lift(world)?);
        Ok(())
    }

    /// `lift_m`: mean height of the cloth above its corners \[m\]; `highest_m`: the most that this was; `under`: the
    /// part of the smoke that is under the cloth.
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let half = 0.5 * CLOTH.1 * SPACING * (CLOTH.0 - 1) as f32 * (1.0 - SLACK.0);
        let under = |x: &Vec3| x.x.abs().max(x.z.abs()) < half && x.y < CLOTH.2 + half;
        let places = world.positions(self.smoke)?;
        let count = places.len() as f64;
        let under = places.filter(under).count() as f64 / count;
        Ok(vec![("lift_m", self.lift(world)?), ("highest_m", self.highest), ("under", under)])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let smoke: Vec<Vec3> = world.positions(self.smoke)?.collect();
        let side = CLOTH.0;
        let mesh = cloths::mesh(world, self.cloth)?;
        let colors = sheet::lines(side, side / 6, hex(0xC8553D), hex(0xE9D9C3));
        let cloth = Material::cloth(hex(0xC8553D)).with_back(hex(0x8F3B2B));
        let picture = picture.colored_mesh(&mesh, &colors, cloth);
        let picture = picture.spheres(&smoke, 0.4 * SPACING, Material::matte(hex(0xB9BCC2)));
        // What has escaped is far up.
        let half = 0.7 * CLOTH.1 * SPACING * (CLOTH.0 - 1) as f32;
        let corners = [Vec3::new(-half, 0.0, -half), Vec3::new(half, 2.0 * CLOTH.2, half)];
        Ok(picture.ground(0.0).rotated(24.0, 4.0).frame(Bounds::from_points(&corners)))
    }
}
