//! A flag on a pole in a gusty wind.

use glam::{Affine3A, Quat, Vec3};
use xpbd_cloth::{Air, Cloth, Wind, set_wind_field};
use xpbd_core::world::{ObjectHandle, StepReport, World, WorldError};

use super::{BuiltScene, FRAME, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, cloths, sheet};
use crate::picture::{Material, Picture, hex};

/// Length and height of the flag \[m\].
const SIZE: [f32; 2] = [1.5, 1.0];
/// Height of its middle \[m\].
const HEIGHT: f32 = 2.0;
/// Mass for each area \[kg/m²\]: polyester.
const DENSITY: f32 = 0.15;

pub(super) const RECIPE: Recipe = Recipe {
    name: "flag",
    summary: "a flag in a gusty wind",
    frames: 480,
    substeps: 10,
    keys: &[
        OptionKey { name: "n", default: "31", help: "particles along its height" },
        OptionKey { name: "wind", default: "7", help: "mean wind [m/s]" },
        OptionKey { name: "gusts", default: "0.3", help: "largest gust, as a part of the mean wind" },
        sheet::LEVELS,
    ],
    takes_mesh: false,
    build,
};

struct Flag {
    flag: ObjectHandle,
    columns: usize,
    wind: Wind,
    /// Kinetic energy after each frame \[J\].
    kinetic: Vec<f64>,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let rows = setup.count("n", 3, 500)? as u32;
    let columns = (rows - 1) * 3 / 2 + 1;
    let speed = setup.number("wind", "finite and not negative", |value| value >= 0.0 && value.is_finite())?;
    let gusts = setup.number("gusts", "finite and not negative", |value| value >= 0.0 && value.is_finite())?;
    let upright = Affine3A::from_quat(Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2));
    let cloth = Cloth::grid(columns, rows, SIZE[0], SIZE[1]).transform(upright).at(Vec3::Y * HEIGHT);
    let cloth = cloth.density(DENSITY).pin((0..rows).map(|row| row * columns)).air(Air::default());
    let cloth = cloth.coarse_levels(sheet::levels(setup)?);
    let mut world = World::new(setup.settings())?;
    let flag = world.add(cloth.build().map_err(|error| SceneError::Object(error.to_string()))?)?;
    // A little across: a flag along the wind would stay so.
    let velocity = Vec3::new(0.98, 0.0, 0.2) * speed;
    let wind = Wind { velocity, gust_strength: gusts, gust_size: 0.6, seed: 1 };
    let flag = Flag { flag, columns: columns as usize, wind, kinetic: Vec::new() };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(flag) })
}

/// Returns the mean of some numbers; 0 of none.
fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

impl Observer for Flag {
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        let time = world.state().frames as f64 * f64::from(FRAME);
        set_wind_field(world, self.flag, |place| self.wind.velocity_at(place, time))
    }

    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        self.kinetic.push(world.energy().kinetic);
        Ok(())
    }

    /// `energy_j`: mean kinetic energy of the last third of all frames \[J\]; `growth`: that over the mean of the
    /// third before \[1\]; `most_j`: the most in any frame \[J\]; `downwind_m`: how far the free end is from the
    /// pole along the wind \[m\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let third = self.kinetic.len() / 3;
        let (earlier, late) = self.kinetic.split_at(self.kinetic.len() - third);
        let middle = &earlier[earlier.len() - third..];
        let free = world.positions(self.flag)?.skip(self.columns - 1).step_by(self.columns);
        let count = free.len() as f64;
        let along = self.wind.velocity.normalize_or(Vec3::X);
        let pole = Vec3::new(-0.5 * SIZE[0], 0.0, 0.0);
        let downwind = free.map(|x| f64::from((x - pole).dot(along))).sum::<f64>() / count;
        Ok(vec![
            ("energy_j", mean(late)),
            ("growth", mean(late) / mean(middle).max(f64::MIN_POSITIVE)),
            ("most_j", self.kinetic.iter().copied().fold(0.0, f64::max)),
            ("downwind_m", downwind),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let mesh = cloths::mesh(world, self.flag)?;
        let rows = mesh.positions.len() / self.columns;
        let color = |k: usize| hex([0xF2EBDD, 0xC8553D, 0x35618F][(3 * (k / self.columns) / rows).min(2)]);
        let colors: Vec<Vec3> = (0..mesh.positions.len()).map(color).collect();
        let foot = Vec3::new(-0.5 * SIZE[0], 0.0, 0.0);
        let pole = [foot, foot + Vec3::Y * (HEIGHT + 0.7 * SIZE[1])];
        let picture = picture.colored_mesh(&mesh, &colors, Material::cloth(hex(0xF2EBDD)));
        let picture = picture.tube(&pole, 0.02, Material::polished(hex(0xD8CFBE)));
        Ok(picture.ground(0.0).rotated(20.0, 8.0))
    }
}
