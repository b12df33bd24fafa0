//! The hanging chain of \[SmallSteps19\] §6.1: the stretch of a heavy chain of rigid links.

use glam::Vec3;
use xpbd_cloth::constraint::{Distance, DistanceParameters};
use xpbd_core::batch::Batch;
use xpbd_core::settings::ScheduleOrder;
use xpbd_core::world::{BatchHandle, Object, ObjectHandle, Settings, StepReport, World, WorldError};

use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup};
use crate::picture::{Material, Picture, hex};

/// Particles, the first of them pinned.
const PARTICLES: usize = 20;
/// Length of a link \[m\].
const LINK: f32 = 0.01;

pub(super) const RECIPE: Recipe = Recipe {
    name: "chain",
    summary: "a chain of twenty heavy particles on rigid links: error and force at the ends",
    frames: 1000,
    substeps: 10,
    keys: &[OptionKey { name: "end_mass", default: "1", help: "mass of the last particle [kg]" }],
    takes_mesh: false,
    build,
};

struct Chain {
    links: ObjectHandle,
    batch: BatchHandle,
    largest: f64,
}

/// Returns the order of the paper: one link after the other, from the top.
fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let end_mass = setup.positive("end_mass")?;
    let mut settings = Settings { gravity: Vec3::new(0.0, -10.0, 0.0), ..setup.settings() };
    settings.schedule.order = ScheduleOrder::Sequential;
    let mut world = World::new(settings)?;
    let positions = (0..PARTICLES).map(|k| Vec3::new(0.0, -LINK * k as f32, 0.0)).collect();
    let mut chain = Object::new("chain", positions, 1.0).pin([0]);
    chain.masses[PARTICLES - 1] = end_mass;
    let pairs: Vec<[u32; 2]> = (1..PARTICLES as u32).map(|k| [k - 1, k]).collect();
    let links = world.add(chain.with(Batch::new(
        Distance,
        &pairs,
        &vec![DistanceParameters { rest_length: LINK }; pairs.len()],
    )?))?;
    let batch = world.batches_of(links)[0];
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(Chain { links, batch, largest: 0.0 }) })
}

impl Chain {
    /// Returns how far the last particle is below its place \[m\].
    fn error(&self, world: &World) -> Result<f64, WorldError> {
        let end = world.position(self.links, PARTICLES - 1)?;
        Ok(-f64::from(end.y) - f64::from(LINK) * (PARTICLES - 1) as f64)
    }
}

impl Observer for Chain {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        self.largest = self.largest.max(self.error(world)?.abs());
        Ok(())
    }

    /// `max_error_m` and `final_error_m`: how far the end is below its place at most and at last
    /// \[m\]; `top_force_n`: the pull in the first link \[N\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let force = -f64::from(world.row_forces(self.batch, 0)?[0]);
        Ok(vec![("max_error_m", self.largest), ("final_error_m", self.error(world)?), ("top_force_n", force)])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let points: Vec<Vec3> = world.positions(self.links)?.collect();
        let picture = picture.tube(&points, 0.1 * LINK, Material::matte(hex(0xB8B2A6)));
        Ok(picture.spheres(&points, 0.3 * LINK, Material::polished(hex(0x35618F))))
    }
}
