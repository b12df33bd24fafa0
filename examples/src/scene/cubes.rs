//! A heavy soft cube on a light one.

use glam::Vec3;
use xpbd_cloth::{SoftBody, TetraMesh};
use xpbd_core::world::{Settings, StepReport, World, WorldError};

use super::soft::{self, SceneBody};
use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::picture::{Material, Picture};

/// Edge of a cube \[m\].
const SIDE: f32 = 0.4;
/// Density of the light cube \[kg/m³\].
const DENSITY: f32 = 1.0;
/// Young's modulus \[Pa\], Poisson ratio \[1\] and damping time \[s\] of both.
const YOUNG: f32 = 1e5;
const POISSON: f32 = 0.3;
const DAMPING: f32 = 2e-3;
/// Friction \[1\].
const FRICTION: f32 = 0.5;

pub(super) const RECIPE: Recipe = Recipe {
    name: "cubes",
    summary: "a soft cube rests on another one that is 2000 times lighter",
    frames: 300,
    substeps: 20,
    keys: &[
        OptionKey { name: "n", default: "432", help: "tetrahedra of each cube, about" },
        OptionKey { name: "ratio", default: "2000", help: "mass of the upper cube over that of the lower one" },
        soft::MATERIAL,
    ],
    takes_mesh: false,
    build,
};

struct Cubes {
    /// The lower and the upper one.
    cubes: [SceneBody; 2],
    ratio: f32,
    least: f64,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 20, 1_000_000)?;
    let ratio = setup.positive("ratio")?;
    let cells = soft::cells(count);
    let radius = 0.3 * SIDE / cells as f32;
    let mut world = World::new(Settings { particle_radius: radius, contact_margin: radius, ..setup.settings() })?;
    solid::floor(&mut world, FRICTION)?;
    let mut cube = |density: f32, height: f32| {
        let mesh = TetraMesh::block([cells; 3], Vec3::splat(SIDE));
        let mesh = mesh.map_err(|error| SceneError::Object(error.to_string()))?;
        let body = SoftBody::new(&mesh).density(density).damping_time(DAMPING).at(Vec3::Y * height);
        let body = soft::material(setup, body, YOUNG, POISSON)?;
        soft::add(&mut world, body, mesh, |_, x| x)
    };
    let lower = cube(DENSITY, radius + 0.5 * SIDE)?;
    let upper = cube(DENSITY * ratio, 3.0 * radius + 1.5 * SIDE)?;
    let cubes = Cubes { cubes: [lower, upper], ratio, least: f64::INFINITY };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(cubes) })
}

impl Observer for Cubes {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        for cube in &self.cubes {
            self.least = self.least.min(cube.least_volume(world)?);
        }
        Ok(())
    }

    /// `height_ratio`: mean height of the upper side of the lower cube over its edge \[1\], and `expected_height_ratio`
    /// that of a bar 1 − p/E; `gap_m`: the least distance of vertices of that side and of the lower side of the upper cube,
    /// less two radii \[m\]; `min_volume_ratio`: the least volume of a tetrahedron at any time, and `lower_volume_ratio` and
    /// `upper_volume_ratio`: those of the cubes now, all of that at rest \[1\]; `rms_speed_m_s` \[m/s\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let radius = world.settings().particle_radius;
        let (lower, upper) = (&self.cubes[0], &self.cubes[1]);
        let side = |cube: &SceneBody, sign: f32| -> Result<Vec<Vec3>, WorldError> {
            let all = world.positions(cube.object)?.zip(cube.mesh.positions());
            Ok(all.filter(|(_, rest)| rest.y * sign > 0.499 * SIDE).map(|(x, _)| x).collect())
        };
        let (top, bottom) = (side(lower, 1.0)?, side(upper, -1.0)?);
        let height = top.iter().map(|x| f64::from(x.y - radius)).sum::<f64>() / top.len() as f64;
        let pairs = top.iter().flat_map(|a| bottom.iter().map(move |b| a.distance(*b)));
        let nearest = pairs.fold(f32::INFINITY, f32::min);
        let pressure = 9.81 * DENSITY * SIDE * (self.ratio + 0.5);
        let mut squares = 0.0;
        let mut vertices = 0.0;
        for cube in &self.cubes {
            for velocity in world.velocities(cube.object)? {
                squares += f64::from(velocity.length_squared());
                vertices += 1.0;
            }
        }
        Ok(vec![
            ("height_ratio", height / f64::from(SIDE)),
            ("expected_height_ratio", f64::from(1.0 - pressure / YOUNG)),
            ("gap_m", f64::from(nearest - 2.0 * radius)),
            ("min_volume_ratio", self.least),
            ("lower_volume_ratio", lower.volume_ratio(world)?),
            ("upper_volume_ratio", upper.volume_ratio(world)?),
            ("rms_speed_m_s", f64::sqrt(squares / vertices)),
        ])
    }

    /// Draws the cubes as far out as they touch, a radius beyond their vertices.
    fn draw(&self, world: &World, mut picture: Picture) -> Result<Picture, WorldError> {
        let radius = world.settings().particle_radius;
        let outward = |rest: f32| if rest.abs() > 0.499 * SIDE { radius.copysign(rest) } else { 0.0 };
        for (k, cube) in self.cubes.iter().enumerate() {
            let mut surface = cube.surface(world)?;
            for (position, rest) in surface.positions.iter_mut().zip(cube.mesh.positions()) {
                *position += Vec3::from_array(rest.to_array().map(outward));
            }
            picture = picture.solid(&surface, Material::polished(solid::color(k)));
        }
        Ok(picture.ground(0.0).rotated(32.0, 18.0))
    }
}
