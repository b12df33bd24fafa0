//! A block of water that is released in a basin three times as long.

use glam::Vec3;
use xpbd_core::world::{ObjectHandle, StepReport, World, WorldError};
use xpbd_fluid::{Fluid, FluidMaterial};

use super::basin::{self, RADIUS, SPACING};
use super::{BuiltScene, FRAME, Metrics, Observer, OptionKey, Recipe, SceneError, Setup};
use crate::picture::Picture;

pub(super) const RECIPE: Recipe = Recipe {
    name: "dam-break",
    summary: "a block of water is released in a basin: its front and its compression",
    frames: 150,
    substeps: 8,
    keys: &[OptionKey { name: "n", default: "10000", help: "particles, about" }],
    takes_mesh: false,
    build,
};

struct DamBreak {
    water: ObjectHandle,
    /// Height and length of the block at first \[m\].
    height: f32,
    length: f32,
    basin: Vec3,
    /// Mean density errors of the frames so far, and the largest of one particle.
    mean_errors: Vec<f32>,
    max_error: f32,
    /// The fastest that the front has been over a tenth of a second \[m/s\].
    fronts: Vec<f32>,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 10, 4_000_000)?;
    let mut world = World::new(basin::settings(setup))?;
    let across = libm::cbrtf(count as f32 / 1.25).round();
    let size = Vec3::new(across, (count as f32 / (across * across)).round(), across) * SPACING;
    let basin = Vec3::new(3.0 * size.x, 0.0, size.z);
    basin::walls(&mut world, basin)?;
    let water = Fluid::block(Vec3::ZERO, size).name("water").add_to_world(&mut world)?;
    let (height, length) = (size.y, size.x);
    let (mean_errors, fronts) = (Vec::new(), vec![size.x - RADIUS]);
    let scene = DamBreak { water, height, length, basin, mean_errors, max_error: 0.0, fronts };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(scene) })
}

impl DamBreak {
    fn front(&self, world: &World) -> Result<f32, WorldError> {
        Ok(world.positions(self.water)?.map(|x| x.x).fold(0.0, f32::max))
    }

    /// Returns the fastest that the front has been over six frames, over 2 √(g H).
    fn front_ratio(&self) -> f64 {
        let ways = self.fronts.windows(7).map(|fronts| fronts[6] - fronts[0]);
        let fastest = ways.fold(0.0, f32::max) / (6.0 * FRAME);
        f64::from(fastest / (2.0 * (9.81 * self.height).sqrt()))
    }
}

impl Observer for DamBreak {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        self.fronts.push(self.front(world)?);
        if world.state().frames.is_multiple_of(10) {
            let densities = basin::densities(world)?;
            self.mean_errors.push(densities.mean_error());
            self.max_error = self.max_error.max(densities.max_error());
        }
        Ok(())
    }

    /// `front_m`: how far the water has come \[m\]; `front_speed_ratio`: the fastest that the front was over a tenth
    /// of a second, over 2 √(g H); `mean_density_error`: mean compression of all particles, over every tenth frame that
    /// was looked at, or else now \[1\]; `max_density_error`: the largest of one particle \[1\]; `kinetic_j`: kinetic energy \[J\]; `energy_j`: with
    /// potential energy above the floor \[J\]; `leaked`: particles outside of the basin.
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let mass = f64::from(FluidMaterial::WATER.density * SPACING * SPACING * SPACING);
        let squares: f64 = world.velocities(self.water)?.map(|v| f64::from(v.length_squared())).sum();
        let heights: f64 = world.positions(self.water)?.map(|x| f64::from(x.y)).sum();
        let kinetic = 0.5 * mass * squares;
        let inside = |x: Vec3| x.x > 0.0 && x.x < self.basin.x && x.z > 0.0 && x.z < self.basin.z && x.y > 0.0;
        let leaked = world.positions(self.water)?.filter(|&x| !inside(x)).count();
        let mean = match self.mean_errors.len() {
            0 => f64::from(basin::densities(world)?.mean_error()),
            count => self.mean_errors.iter().map(|&e| f64::from(e)).sum::<f64>() / count as f64,
        };
        Ok(vec![
            ("front_m", f64::from(self.front(world)? + RADIUS - self.length)),
            ("front_speed_ratio", self.front_ratio()),
            ("mean_density_error", mean),
            ("max_density_error", f64::from(self.max_error)),
            ("kinetic_j", kinetic),
            ("energy_j", kinetic + mass * 9.81 * heights),
            ("leaked", leaked as f64),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let drops: Vec<Vec3> = world.positions(self.water)?.collect();
        Ok(basin::draw(picture, &drops))
    }
}
