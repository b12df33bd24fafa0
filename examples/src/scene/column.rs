//! A column of water a hundred particles high, at rest: its level, its weight on the floor, its density.
//!
//! The column stands from the start as it is pressed together at rest, or it would swing for seconds: a layer of
//! height h carries the weight of those above it.

use glam::Vec3;
use xpbd_core::collide::Other;
use xpbd_core::world::{ColliderHandle, ObjectHandle, StepReport, World, WorldError};
use xpbd_fluid::{Fluid, Liquid};

use super::basin::{self, SPACING};
use super::{Built, FRAME, Key, Metrics, Observer, Recipe, SceneError, Setup};
use crate::picture::Picture;

pub(super) const RECIPE: Recipe = Recipe {
    name: "column",
    summary: "water standing a hundred particles high: level, weight on the floor, density",
    frames: 150,
    substeps: 24,
    keys: &[
        Key { name: "layers", default: "100", help: "particles on top of each other" },
        Key { name: "side", default: "5", help: "particles along a side" },
    ],
    takes_mesh: false,
    build,
};

/// Frames at the end over which is averaged.
const LAST: u64 = 60;

struct Column {
    water: ObjectHandle,
    floor: ColliderHandle,
    weight: f64,
    height: f64,
    frames: u64,
    /// Sums over the last frames: level, force, mean error; and the largest error.
    level: f64,
    force: f64,
    mean_error: f64,
    max_error: f32,
    counted: u32,
}

fn build(setup: &Setup<'_>) -> Result<Built, SceneError> {
    let (layers, side) = (setup.count("layers", 1, 10_000)?, setup.count("side", 2, 1000)?);
    let settings = basin::settings(setup);
    let h = FRAME / settings.substeps as f32;
    let mut world = World::new(settings)?;
    let floor = basin::walls(&mut world, Vec3::new(side as f32, 0.0, side as f32) * SPACING)?;
    // What a metre of water above presses together, by the law in `xpbd_fluid`'s density constraint.
    let pressed = 0.43 * 9.81 * h * h / (0.5 * SPACING * SPACING);
    let mut y = 0.0;
    let mut positions = Vec::new();
    for layer in 0..layers {
        let thick = SPACING * (1.0 - pressed * (layers - layer) as f32 * SPACING);
        for k in 0..side * side {
            let place = Vec3::new((k % side) as f32 + 0.5, 0.0, (k / side) as f32 + 0.5) * SPACING;
            positions.push(place.with_y(y + 0.5 * thick));
        }
        y += thick;
    }
    let count = positions.len();
    let water = Fluid::particles(positions).name("water").add_to(&mut world)?;
    let weight = 9.81 * f64::from(Liquid::WATER.density * SPACING * SPACING * SPACING) * count as f64;
    let height = f64::from(SPACING) * layers as f64;
    let frames = setup.frames();
    let scene = Column {
        water,
        floor,
        weight,
        height,
        frames: u64::from(frames),
        level: 0.0,
        force: 0.0,
        mean_error: 0.0,
        max_error: 0.0,
        counted: 0,
    };
    Ok(Built { world, frames, observer: Box::new(scene) })
}

impl Observer for Column {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        if world.state().frames + LAST <= self.frames {
            return Ok(());
        }
        self.level += basin::level(world.positions(self.water)?);
        let on_floor = world.contacts().iter().filter(|contact| contact.other == Other::Collider(self.floor));
        self.force += on_floor.map(|contact| f64::from(contact.impulse)).sum::<f64>() / f64::from(FRAME);
        let densities = basin::densities(world);
        self.mean_error += f64::from(densities.mean_error());
        self.max_error = self.max_error.max(densities.max_error());
        self.counted += 1;
        Ok(())
    }

    /// `level_m`: height of the water \[m\]; `level_ratio`: over its volume by its base; `bottom_force_n`: on the floor \[N\];
    /// `force_ratio`: over its weight; `mean_density_error`, `max_density_error`: compression \[1\]; these are means over
    /// the last second, the last one the largest in it; `rms_speed_m_s` at the end \[m/s\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let mean = |sum: f64| sum / f64::from(self.counted.max(1));
        let squares: f64 = world.velocities(self.water)?.map(|v| f64::from(v.length_squared())).sum();
        let rms = (squares / world.velocities(self.water)?.len().max(1) as f64).sqrt();
        Ok(vec![
            ("level_m", mean(self.level)),
            ("level_ratio", mean(self.level) / self.height),
            ("bottom_force_n", mean(self.force)),
            ("force_ratio", mean(self.force) / self.weight),
            ("mean_density_error", mean(self.mean_error)),
            ("max_density_error", f64::from(self.max_error)),
            ("rms_speed_m_s", rms),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let drops: Vec<Vec3> = world.positions(self.water)?.collect();
        Ok(basin::draw(picture, &drops))
    }
}
