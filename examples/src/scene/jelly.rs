//! A statue of jelly that falls on the ground: a lattice of tetrahedra with the statue as its skin.

use glam::Vec3;
use xpbd_cloth::{Skin, SoftBody, TetraMesh, mesh};
use xpbd_core::world::{Friction, Settings, StepReport, World, WorldError};

use super::soft::{self, SceneBody};
use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::mesh::{Mesh, load, statue};
use crate::picture::{Material, Picture, hex};

/// Height of the statue, and of its fall \[m\].
const HEIGHT: f32 = 1.0;
const FALL: f32 = 0.5;
/// Young's modulus \[Pa\], Poisson ratio \[1\] and damping time \[s\].
const YOUNG: f32 = 5e4;
const POISSON: f32 = 0.45;
const DAMPING: f32 = 2e-3;
/// Friction of jelly and ground \[1\].
const FRICTION: f32 = 0.5;
/// Radius of a particle \[m\].
const RADIUS: f32 = 0.01;
/// Number of times that the cell size is corrected to approach the requested number of tetrahedra.
const TRIES: usize = 12;

pub(super) const RECIPE: Recipe = Recipe {
    name: "jelly",
    summary: "a statue of jelly falls on the ground",
    frames: 180,
    substeps: 10,
    keys: &[
        OptionKey { name: "n", default: "7695", help: "tetrahedra, about" },
        OptionKey {
            name: "least",
            default: "0.35",
            help: "least volume of a tetrahedron, as a part of that at rest; 0 for none",
        },
        soft::MATERIAL,
    ],
    takes_mesh: true,
    build,
};

struct Jelly {
    statue: SceneBody,
    skin: Skin,
    least: f64,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 20, 1_000_000)?;
    let statue = setup.mesh().map_or_else(|| Ok(statue()), |path| load(path))?.fit(HEIGHT);
    let refused = |error: &dyn std::fmt::Display| SceneError::Object(error.to_string());
    let surface = mesh::Mesh::from_triangles(&statue.positions, &statue.triangles).map_err(|error| refused(&error))?;
    let (lattice, skin) = lattice(&surface, statue.signed_volume().abs(), count)?;
    let mut world = World::new(Settings { particle_radius: RADIUS, contact_margin: RADIUS, ..setup.settings() })?;
    solid::floor(&mut world, FRICTION)?;
    let lowest = lattice.positions().iter().fold(0.0_f32, |lowest, x| lowest.min(x.y));
    let body =
        SoftBody::new(&lattice).damping_time(DAMPING).friction(Friction::new(FRICTION)).at(Vec3::Y * (FALL - lowest));
    let least = setup.number("least", "at least 0 and below 1", |least| (0.0..1.0).contains(&least))?;
    let body = if least > 0.0 { body.least_volume(least) } else { body };
    let body = soft::material(setup, body, YOUNG, POISSON)?;
    let statue = soft::add(&mut world, body, lattice, |_, x| x)?;
    let jelly = Jelly { statue, skin, least: f64::INFINITY };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(jelly) })
}

/// Returns the lattice with the number of tetrahedra nearest to `count` that is found by halving the range of its cell.
fn lattice(surface: &mesh::Mesh, volume: f32, count: usize) -> Result<(TetraMesh, Skin), SceneError> {
    let made = |cell| TetraMesh::lattice(surface, cell).map_err(|error| SceneError::Object(error.to_string()));
    // Twelve tetrahedra a cell, and those at the border.
    let guess = libm::cbrtf(12.0 * volume / count as f32);
    let (mut low, mut high) = (0.8 * guess, 4.0 * guess);
    let mut best = made(high)?;
    for _ in 0..TRIES {
        let cell = (low * high).sqrt();
        let next = made(cell)?;
        let found = next.0.tetrahedra().len();
        if found > count {
            low = cell;
        } else {
            high = cell;
        }
        if found.abs_diff(count) < best.0.tetrahedra().len().abs_diff(count) {
            best = next;
        }
    }
    Ok(best)
}

impl Observer for Jelly {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        self.least = self.least.min(self.statue.least_volume(world)?);
        Ok(())
    }

    /// `tetrahedra`; `min_volume_ratio`: the least volume that one of them has had, as a part of that at rest \[1\];
    /// `energy_j` \[J\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        Ok(vec![
            ("tetrahedra", self.statue.mesh.tetrahedra().len() as f64),
            ("min_volume_ratio", self.least),
            ("energy_j", world.energy().total()),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let body: Vec<Vec3> = world.positions(self.statue.object)?.collect();
        let positions = self.skin.positions(&body).unwrap_or_default();
        let skin = Mesh { positions, triangles: self.skin.triangles().to_vec() };
        Ok(picture.mesh(&skin, Material::polished(hex(0x5B8E7D))).ground(0.0).rotated(30.0, 20.0))
    }
}
