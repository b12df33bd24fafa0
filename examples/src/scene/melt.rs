//! A block of ice in warm water that melts from outside.
//!
//! Ice is a shape-matched cluster on a lattice. Heat comes in through bare faces, those behind which there is no
//! ice: in a warm region a particle melts with the same chance for each of them in every frame.

use glam::{DVec3, Vec3};
use parry3d::math::Pose;
use xpbd_core::world::{ObjectHandle, World, WorldError};
use xpbd_fluid::convert::SlotSelection;
use xpbd_fluid::{Conversion, Fluid, FluidMaterial, Region, SpawnError};
use xpbd_rigid::Cluster;

use super::basin::{self, RADIUS, SPACING};
use super::{BuiltScene, FRAME, Metrics, Observer, OptionKey, Recipe, SceneError, Setup};
use crate::picture::{Material, Picture, hex};
use crate::random::Random;

pub(super) const RECIPE: Recipe = Recipe {
    name: "melt",
    summary: "a block of ice melts in warm water; mass and momentum are conserved",
    frames: 110,
    substeps: 12,
    keys: &[
        OptionKey { name: "n", default: "1500", help: "particles of ice and water, about" },
        OptionKey { name: "time", default: "3", help: "how long ice with one bare face lasts, on average [s]" },
    ],
    takes_mesh: false,
    build,
};

struct Melt {
    ice: ObjectHandle,
    water: ObjectHandle,
    melting: Conversion,
    warm: Region,
    /// Particles along an edge of the ice at first.
    edge: usize,
    /// Chance of a bare face to melt its particle in a frame \[1\].
    chance: f32,
    /// Mass \[kg\] and energy \[J\] of all at first.
    mass: f64,
    energy: f64,
    momentum_error: f64,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 3, 1_000_000)?;
    let time = setup.positive("time")?;
    // A basin twice as wide as the ice, with water half as deep: two thirds are water.
    let edge = libm::cbrtf(count as f32 / 3.0).round().max(1.0);
    let side = 2.0 * edge * SPACING;
    let depth = (0.5 * edge).round().max(1.0) * SPACING;
    let mut world = World::new(basin::settings(setup))?;
    xpbd_rigid::register(world.registry_mut())?;
    basin::walls(&mut world, Vec3::new(side, 0.0, side))?;
    let edge = edge as usize;
    let place = |k: usize| Vec3::new((k / (edge * edge)) as f32, (k / edge % edge) as f32, (k % edge) as f32);
    let half = 0.5 * (edge - 1) as f32;
    let lattice: Vec<Vec3> = (0..edge * edge * edge).map(|k| (place(k) - half) * SPACING).collect();
    let middle = Vec3::new(0.5 * side, depth + half * SPACING + 2.0 * RADIUS, 0.5 * side);
    let cluster = Cluster::from_points(&lattice, SPACING).density(FluidMaterial::WATER.density).name("ice");
    let ice = world.add(cluster.at(Pose::from_translation(middle)).build()?)?;
    let water = Fluid::block(Vec3::ZERO, Vec3::new(side, depth, side)).capacity(lattice.len()).name("water");
    let water = water.add_to_world(&mut world)?;
    let melting = Conversion::new(&world, ice, water)?;
    // All of the basin, up to above the ice.
    let reach = Vec3::new(0.5 * side, 2.0 * side, 0.5 * side);
    let warm = Region::cuboid(Vec3::new(0.5 * side, 0.0, 0.5 * side), reach);
    let chance = FRAME / time;
    let mass = total_mass(&world, [ice, water])?;
    let energy = world.energy().total();
    let scene = Melt { ice, water, melting, warm, edge, chance, mass, energy, momentum_error: 0.0 };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(scene) })
}

/// Returns the mass of the particles of objects that are present \[kg\].
fn total_mass(world: &World, objects: [ObjectHandle; 2]) -> Result<f64, WorldError> {
    let mut sum = 0.0;
    for object in objects {
        let Some(found) = world.state().objects.get(object) else { continue };
        let masses = &world.state().particles.mass[found.range.clone()];
        sum += world.active_particles(object)?.map(|k| f64::from(masses[k as usize])).sum::<f64>();
    }
    Ok(sum)
}

impl Melt {
    /// Returns how many faces of an ice particle have no ice behind them.
    fn bare(&self, solid: &[bool], k: usize) -> u32 {
        let edge = self.edge;
        let along = |step: usize| {
            let at = k / step % edge;
            let below = at > 0 && solid[k - step];
            let above = at + 1 < edge && solid[k + step];
            u32::from(!below) + u32::from(!above)
        };
        along(1) + along(edge) + along(edge * edge)
    }

    fn melt(&mut self, world: &mut World) -> Result<(), SpawnError> {
        world.synchronize()?;
        let mut solid = vec![false; self.edge * self.edge * self.edge];
        world.active_particles(self.ice)?.for_each(|k| solid[k as usize] = true);
        let before = world.momentum().linear;
        let mut random = Random::new(world.state().frames);
        let melting = self.melting;
        melting.step(world, SlotSelection::Lowest, |particle| {
            let draw = 0.5 + 0.5 * random.signed();
            let bare = self.bare(&solid, particle.index as usize);
            self.warm.contains(particle.position) && draw < self.chance * bare as f32
        })?;
        let change: DVec3 = world.momentum().linear - before;
        // As if all of it changed its velocity, by gravity's in a frame.
        let scale = self.mass * 9.81 * f64::from(FRAME);
        self.momentum_error = self.momentum_error.max(change.length() / scale);
        Ok(())
    }
}

impl Observer for Melt {
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        self.melt(world).map_err(basin::world_error)
    }

    /// `solid`, `liquid`: particles of each; `melted`: part of the ice that has \[1\]; `mass_error`: change of the mass
    /// of all, over it \[1\]; `momentum_error`: the largest change of momentum by melting in a frame, over what
    /// gravity gives in one \[1\]; `energy_ratio`: energy over that at first \[1\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let (solid, liquid) = (world.active_count(self.ice)?, world.active_count(self.water)?);
        let mass = total_mass(world, [self.ice, self.water])?;
        Ok(vec![
            ("solid", solid as f64),
            ("liquid", liquid as f64),
            ("melted", 1.0 - solid as f64 / (self.edge * self.edge * self.edge) as f64),
            ("mass_error", (mass - self.mass).abs() / self.mass),
            ("momentum_error", self.momentum_error),
            ("energy_ratio", world.energy().total() / self.energy),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let picture = basin::draw(picture, &basin::active_positions(world, self.water)?);
        let ice = Material { gloss: 0.5, ..Material::matte(hex(0xE8F4FA)) };
        Ok(picture.spheres(&basin::active_positions(world, self.ice)?, RADIUS, ice).rotated(32.0, 28.0))
    }
}
