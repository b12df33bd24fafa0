//! Two liquids of different density, side by side or with the heavy one on top, separate into layers.

use glam::Vec3;
use xpbd_core::world::{ObjectHandle, World, WorldError};
use xpbd_fluid::{Fluid, FluidMaterial};

use super::basin::{self, RADIUS, SPACING};
use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup};
use crate::picture::{Material, Picture, hex};

/// Height and depth of the basin over its length.
const ASPECT: (f32, f32) = (1.2, 0.5);
/// Slope of the boundary if the heavy liquid is on top, so that the instability has a start.
const LEAN: f32 = 0.2;

pub(super) const RECIPE: Recipe = Recipe {
    name: "layers",
    summary: "two liquids of different density separate into layers",
    frames: 240,
    substeps: 8,
    keys: &[
        OptionKey { name: "n", default: "4000", help: "particles, about" },
        OptionKey { name: "ratio", default: "2", help: "of the densities [1]" },
        OptionKey { name: "start", default: "side", help: "where the heavy one is at first: side or top" },
    ],
    takes_mesh: false,
    build,
};

struct Layers {
    /// The heavy and the light one.
    liquids: [ObjectHandle; 2],
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 20, 1_000_000)?;
    let ratio = setup.number("ratio", "a finite number above 1", |ratio| ratio.is_finite() && ratio > 1.0)?;
    let [up, aside] = setup.choice("start", &[("side", [0.0, -1.0]), ("top", [1.0, LEAN])])?;
    let mut world = World::new(basin::settings(setup))?;
    let along = libm::cbrtf(count as f32 / (ASPECT.0 * ASPECT.1)).round();
    let cells = Vec3::new(along, (ASPECT.0 * along).round(), (ASPECT.1 * along).round());
    let size = cells * SPACING;
    basin::walls(&mut world, size)?;
    let cells = cells.as_uvec3();
    let place = |k: u32| glam::UVec3::new(k % cells.x, k / (cells.x * cells.z), k / cells.x % cells.z);
    let places = (0..cells.element_product()).map(|k| (place(k).as_vec3() + 0.5) * SPACING);
    let above = |x: &Vec3| up * (x.y - 0.5 * size.y) > aside * (x.x - 0.5 * size.x);
    let (heavy, light): (Vec<Vec3>, Vec<Vec3>) = places.partition(above);
    let water = FluidMaterial::default();
    let mut add = |name: &str, places, density| {
        Fluid::particles(places).material(water.density(density)).name(name).add_to_world(&mut world)
    };
    let liquids = [add("heavy", heavy, water.density)?, add("light", light, water.density / ratio)?];
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(Layers { liquids }) })
}

impl Layers {
    /// Returns the mean heights \[m\] of the heavy and the light liquid.
    fn heights(&self, world: &World) -> Result<[f64; 2], WorldError> {
        let mut means = [0.0; 2];
        for (mean, liquid) in means.iter_mut().zip(self.liquids) {
            let places = world.positions(liquid)?;
            let count = places.len().max(1) as f64;
            *mean = places.map(|x| f64::from(x.y)).sum::<f64>() / count;
        }
        Ok(means)
    }
}

impl Observer for Layers {
    /// `order`: how much higher the light liquid is than the heavy one, over what it is when they lie on each
    /// other: from −1, upside down, to 1. What touches walls and what got mixed stays where it is for long, as grains
    /// do: 0.90 from side by side, 0.69 from upside down.
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let [heavy, light] = self.heights(world)?;
        let count = |liquid| world.positions(liquid).map_or(0.0, |places| places.len() as f64);
        let [n, m] = self.liquids.map(count);
        // All fill the height H; the means of two layers are H/2 apart, however thick each is.
        let height = 2.0 * (heavy * n + light * m) / (n + m);
        Ok(vec![("order", (light - heavy) / (0.5 * height))])
    }

    fn draw(&self, world: &World, mut picture: Picture) -> Result<Picture, WorldError> {
        for (liquid, color) in self.liquids.into_iter().zip([0x35618F, 0xE0A458]) {
            let places: Vec<Vec3> = world.positions(liquid)?.collect();
            picture = picture.spheres(&places, RADIUS, Material::matte(hex(color)));
        }
        Ok(picture.ground(0.0))
    }
}
