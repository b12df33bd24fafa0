//! A soft cube that starts flattened, randomized or stretched, and is released.

use glam::Vec3;
use xpbd_cloth::{SoftBody, TetraMesh};
use xpbd_core::world::{Settings, StepReport, World, WorldError};

use super::soft::{self, SceneBody};
use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup};
use crate::picture::{Material, Picture, hex};
use crate::random::Random;

/// Edge of the cube \[m\].
const SIDE: f32 = 0.4;
/// Young's modulus \[Pa\], Poisson ratio \[1\] and damping time \[s\].
const YOUNG: f32 = 1e5;
const POISSON: f32 = 0.4;
const DAMPING: f32 = 0.01;

pub(super) const RECIPE: Recipe = Recipe {
    name: "squash",
    summary: "a soft cube that is flattened, randomized or stretched recovers its shape",
    frames: 120,
    substeps: 20,
    keys: &[
        OptionKey { name: "n", default: "1000", help: "tetrahedra, about" },
        OptionKey { name: "start", default: "plane", help: "plane, random or stretched" },
        soft::MATERIAL,
    ],
    takes_mesh: false,
    build,
};

/// The initial state of the cube.
#[derive(Debug, Clone, Copy)]
enum Start {
    /// All vertices in a plane.
    Plane,
    /// All vertices anywhere in the cube.
    Random,
    /// Ten times as long.
    Stretched,
}

struct Squash {
    cube: SceneBody,
    least: f64,
    finite: bool,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 20, 1_000_000)?;
    let starts = [("plane", Start::Plane), ("random", Start::Random), ("stretched", Start::Stretched)];
    let start = setup.choice("start", &starts)?;
    let cells = (1..).find(|&k| 12 * k * k * k + 12 * k * k >= count as u32).unwrap_or(1);
    let mesh =
        TetraMesh::block([cells; 3], Vec3::splat(SIDE)).map_err(|error| SceneError::Object(error.to_string()))?;
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..setup.settings() })?;
    let mut random = Random::new(1);
    let anywhere: Vec<_> = mesh.positions().iter().map(|_| random.vector() * (0.5 * SIDE)).collect();
    let body = soft::material(setup, SoftBody::new(&mesh).damping_time(DAMPING), YOUNG, POISSON)?;
    let cube = soft::add(&mut world, body, mesh, |k, x| match start {
        Start::Plane => Vec3::new(x.x, 0.0, x.z),
        Start::Random => anywhere[k],
        Start::Stretched => x * Vec3::new(1.0, 10.0, 1.0),
    })?;
    let squash = Squash { cube, least: f64::INFINITY, finite: true };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(squash) })
}

impl Observer for Squash {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        self.finite &=
            world.positions(self.cube.object)?.all(|x| x.is_finite()) && !world.is_frozen(self.cube.object)?;
        self.least = self.cube.least_volume(world)?.min(self.least);
        Ok(())
    }

    /// `recovered`: the largest difference of an edge from its length at rest, as a part of it \[1\];
    /// `volume_ratio`: the least volume of a tetrahedron now, as a part of that at rest \[1\], and `min_volume_ratio`
    /// the same of all frames; `finite`: 1 if it always was; `rms_speed_m_s` \[m/s\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let squares: Vec<f64> =
            world.velocities(self.cube.object)?.map(|velocity| f64::from(velocity.length_squared())).collect();
        Ok(vec![
            ("recovered", self.cube.largest_strain(world)?),
            ("volume_ratio", self.cube.least_volume(world)?),
            ("min_volume_ratio", self.least),
            ("finite", f64::from(u8::from(self.finite))),
            ("rms_speed_m_s", (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let surface = self.cube.surface(world)?;
        Ok(picture.solid(&surface, Material::polished(hex(0xE0A458)).with_back(hex(0x8B5A83))).rotated(32.0, 24.0))
    }
}
