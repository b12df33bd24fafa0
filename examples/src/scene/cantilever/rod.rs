//! The beam as a rod.

use std::f32::consts::PI;

use glam::Vec3;
use xpbd_cloth::{Rod, RodEnd, RodHandle};
use xpbd_core::world::{Settings, World, WorldError};

use super::super::{BuiltScene, Metrics, Observer, SceneError, Setup};
use crate::picture::{Material, Picture, hex};

/// Length and radius of the rod \[m\].
const LENGTH: f32 = 1.0;
const RADIUS: f32 = 0.02;
/// Young's modulus \[Pa\], and density \[kg/m³\].
const MODULUS: f32 = 1e7;
const DENSITY: f32 = 1000.0;

struct Beam {
    rod: RodHandle,
    tip: usize,
    /// Load \[N\], and how far it should push the tip \[m\].
    load: f32,
    sag: f32,
}

pub(super) fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let n = match setup.count("n", 0, 1000)? {
        0 => 10,
        segments => segments,
    };
    let sag = LENGTH * super::sag(setup)?;
    let stiffness = 0.25 * MODULUS * PI * RADIUS * RADIUS * RADIUS * RADIUS;
    let load = sag * 3.0 * stiffness / (LENGTH * LENGTH * LENGTH);
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..setup.settings() })?;
    xpbd_cloth::register(world.registry_mut())?;
    let rod = Rod::between(Vec3::ZERO, Vec3::X * LENGTH, n as u32).radius(RADIUS).youngs_modulus(MODULUS);
    let rod = rod.density(DENSITY).linear_damping(6.0).clamp(RodEnd::First).add_to(&mut world)?;
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(Beam { rod, tip: n, load, sag }) })
}

impl Observer for Beam {
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        world.add_force(self.rod.object(), self.tip, Vec3::NEG_Y * self.load)
    }

    /// `tip_m`: how far the tip is down \[m\]; `tip_error_ratio`: how far that is from P L³/(3 E I), as a part
    /// of it.
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let tip = -f64::from(world.position(self.rod.object(), self.tip)?.y);
        Ok(vec![("tip_m", tip), ("tip_error_ratio", (tip / f64::from(self.sag) - 1.0).abs())])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let points: Vec<Vec3> = world.positions(self.rod.object())?.collect();
        let picture = picture.tube(&points, RADIUS, Material::matte(hex(0xC8553D)));
        let picture = picture.spheres(&points[..1], 2.5 * RADIUS, Material::polished(hex(0x44484F)));
        let tip = [points[self.tip]];
        Ok(picture.spheres(&tip, 2.0 * RADIUS, Material::polished(hex(0xE0A458))).ground(-0.4).rotated(25.0, 12.0))
    }
}
