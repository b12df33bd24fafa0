//! A column of water a hundred particles high, at rest: its level, its force on the floor, its density.
//!
//! The column stands from the start as it is pressed together at rest, or it would swing for seconds: a layer of
//! height h carries the weight of those above it.

use glam::Vec3;
use xpbd_core::collide::ContactPartner;
use xpbd_core::world::{ColliderHandle, ObjectHandle, StepReport, World, WorldError};
use xpbd_fluid::{Fluid, FluidMaterial};

use super::basin::{self, SPACING};
use super::{BuiltScene, FRAME, Metrics, Observer, OptionKey, Recipe, SceneError, Setup};
use crate::picture::Picture;

pub(super) const RECIPE: Recipe = Recipe {
    name: "column",
    summary: "a column of water a hundred particles high: level, force on the floor, density",
    frames: 150,
    substeps: 24,
    keys: &[
        OptionKey { name: "layers", default: "100", help: "particles on top of each other" },
        OptionKey { name: "side", default: "5", help: "particles along a side" },
    ],
    takes_mesh: false,
    build,
};

/// Looks at the end over which is averaged.
const LAST: usize = 12;
/// Frames from look to look.
const PAUSE: u64 = 5;

struct Column {
    water: ObjectHandle,
    floor: ColliderHandle,
    weight: f64,
    height: f64,
    /// Forces on the floor since the last look \[N\].
    forces: Vec<f64>,
    looks: Vec<Look>,
}

/// The measurements of the water every few frames.
struct Look {
    level: f64,
    force: f64,
    mean_error: f64,
    max_error: f64,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
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
    let water = Fluid::particles(positions).name("water").add_to_world(&mut world)?;
    let weight = 9.81 * f64::from(FluidMaterial::WATER.density * SPACING * SPACING * SPACING) * count as f64;
    let height = f64::from(SPACING) * layers as f64;
    let scene = Column { water, floor, weight, height, forces: Vec::new(), looks: Vec::new() };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(scene) })
}

impl Observer for Column {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        let on_floor = world.contacts().iter().filter(|contact| contact.other == ContactPartner::Collider(self.floor));
        self.forces.push(on_floor.map(|contact| f64::from(contact.impulse)).sum::<f64>() / f64::from(FRAME));
        if world.state().frames.is_multiple_of(PAUSE) {
            let densities = basin::densities(world)?;
            self.looks.push(Look {
                level: basin::level(world.positions(self.water)?),
                force: self.forces.iter().sum::<f64>() / self.forces.len() as f64,
                mean_error: f64::from(densities.mean_error()),
                max_error: f64::from(densities.max_error()),
            });
            self.forces.clear();
        }
        Ok(())
    }

    /// `level_m`: height of the water \[m\]; `level_ratio`: over its volume by its base; `bottom_force_n`: on the floor \[N\];
    /// `force_ratio`: over its weight; `mean_density_error`, `max_density_error`: compression \[1\]; these are means over
    /// the last second, the last one the largest in it; `rms_speed_m_s` at the end \[m/s\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let last = &self.looks[self.looks.len().saturating_sub(LAST)..];
        let mean = |of: fn(&Look) -> f64| last.iter().map(of).sum::<f64>() / last.len().max(1) as f64;
        let (level, force) = (mean(|look| look.level), mean(|look| look.force));
        let max_error = last.iter().map(|look| look.max_error).fold(0.0, f64::max);
        let squares: f64 = world.velocities(self.water)?.map(|v| f64::from(v.length_squared())).sum();
        let rms = (squares / world.velocities(self.water)?.len().max(1) as f64).sqrt();
        Ok(vec![
            ("level_m", level),
            ("level_ratio", level / self.height),
            ("bottom_force_n", force),
            ("force_ratio", force / self.weight),
            ("mean_density_error", mean(|look| look.mean_error)),
            ("max_density_error", max_error),
            ("rms_speed_m_s", rms),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let drops: Vec<Vec3> = world.positions(self.water)?.collect();
        Ok(basin::draw(picture, &drops))
    }
}
