//! The beam as a strip of a plate.

use glam::Vec3;
use xpbd_cloth::{Cloth, Plate};
use xpbd_core::world::{ObjectHandle, Settings, World, WorldError};

use super::super::{BuiltScene, Metrics, Observer, SceneError, Setup, cloths};
use crate::picture::{Material, Picture, hex};

/// Length of the strip \[m\], and squares across it.
const LENGTH: f32 = 1.0;
const ACROSS: u32 = 4;
/// Material of the plate and its mass per area \[kg/m²\].
const PLATE: Plate = Plate { youngs_modulus: 2e7, poisson_ratio: 0.3, thickness: 0.02 };
const DENSITY: f32 = 20.0;
/// Drag \[1/s\], a little less than what keeps it from swinging: its first frequency is 2.9 rad/s.
const DRAG: f32 = 4.5;

struct Strip {
    sheet: ObjectHandle,
    columns: usize,
    /// Load \[N\], and how far it should push the free end \[m\].
    load: f32,
    sag: f32,
}

pub(super) fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let along = match setup.count("n", 0, 200)? {
        0 => 20,
        squares => squares.max(2),
    };
    let sag = LENGTH * super::sag(setup)?;
    // It is clamped halfway between the first two columns.
    let square = LENGTH / (along as f32 - 0.5);
    let width = square * ACROSS as f32;
    let size = Vec3::new(square * along as f32, 0.0, width);
    let columns = along + 1;
    let cloth =
        Cloth::grid(columns as u32, ACROSS + 1, size.x, width).plate(PLATE).density(DENSITY).linear_damping(DRAG);
    let cloth = cloth.at(Vec3::X * (0.5 * size.x - 0.5 * square)).pin_where(|_, x| x.x < 0.9 * square);
    // P = 3 E I d/L³ with I = b t³/12.
    let inertia = width * PLATE.thickness * PLATE.thickness * PLATE.thickness / 12.0;
    let load = 3.0 * PLATE.youngs_modulus * inertia * sag / (LENGTH * LENGTH * LENGTH);
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..setup.settings() })?;
    let object = cloth.tethers(false).build().map_err(|error| SceneError::Object(error.to_string()))?;
    let sheet = world.add(object)?;
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(Strip { sheet, columns, load, sag }) })
}

impl Strip {
    /// Returns the vertices of the free end, each with its share of the load.
    fn end(&self) -> impl Iterator<Item = (usize, f32)> {
        let last = ACROSS as usize;
        let share = move |row| if row == 0 || row == last { 0.5 } else { 1.0 };
        (0..=last).map(move |row| ((row + 1) * self.columns - 1, share(row) / ACROSS as f32))
    }
}

impl Observer for Strip {
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        self.end().try_for_each(|(k, share)| world.add_force(self.sheet, k, Vec3::NEG_Y * (self.load * share)))
    }

    /// `tip_m`: how far the free end has come down, its mean \[m\]; `tip_error_ratio`: its difference from
    /// P L³/(3 E I), as a part of that \[1\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let mut tip = 0.0;
        for (k, share) in self.end() {
            tip -= f64::from(world.position(self.sheet, k)?.y * share);
        }
        Ok(vec![("tip_m", tip), ("tip_error_ratio", (tip / f64::from(self.sag) - 1.0).abs())])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let surface = cloths::mesh(world, self.sheet)?;
        Ok(picture.mesh(&surface, Material::polished(hex(0x35618F))).rotated(25.0, 15.0))
    }
}
