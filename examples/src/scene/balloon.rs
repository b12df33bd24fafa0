//! A balloon is inflated, and a crate falls on it.

use glam::{Affine3A, Vec3};
use parry3d::math::Pose;
use xpbd_cloth::{Bending, Cloth, Stretch, mesh};
use xpbd_core::world::{BodyHandle, ObjectHandle, Settings, World, WorldError};

use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::mesh::{Mesh, ball};
use crate::picture::{Material, Picture, hex};

/// Radius at rest \[m\], and how often the triangles of its icosahedron are quartered.
const RADIUS: f32 = 0.3;
const QUARTERINGS: u32 = 3;
/// Mass for each area \[kg/m²\], Young's modulus \[Pa\], Poisson ratio and thickness \[m\] of its rubber.
const DENSITY: f32 = 0.5;
const RUBBER: Stretch = Stretch::Strain { youngs_modulus: 3e5, poisson_ratio: 0.48 };
const THICKNESS: f32 = 5e-4;
/// Half extents of the crate \[m\], and its mass \[kg\].
const CRATE: (Vec3, f32) = (Vec3::new(0.2, 0.1, 0.2), 1.0);
/// Friction of everything \[1\].
const FRICTION: f32 = 0.6;

pub(super) const RECIPE: Recipe = Recipe {
    name: "balloon",
    summary: "a balloon is inflated, and a crate falls on it",
    frames: 240,
    substeps: 20,
    keys: &[
        OptionKey { name: "ratio", default: "1.3", help: "volume that the gas wants over that at rest" },
        OptionKey { name: "compliance", default: "1e-7", help: "of the gas [m^3/Pa]" },
    ],
    takes_mesh: false,
    build,
};

struct Balloon {
    balloon: ObjectHandle,
    crate_on_it: BodyHandle,
    triangles: Vec<[u32; 3]>,
    rest: f64,
    ratio: f64,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let ratio = setup.number("ratio", "positive and finite", |value| value > 0.0 && value.is_finite())?;
    let compliance = setup.number("compliance", "finite, not negative", |value| value >= 0.0 && value.is_finite())?;
    let radius = 0.012;
    let mut world = World::new(Settings { particle_radius: radius, contact_margin: radius, ..setup.settings() })?;
    xpbd_cloth::register(world.registry_mut())?;
    solid::floor(&mut world, FRICTION)?;
    let Mesh { positions, triangles } = ball(RADIUS, QUARTERINGS);
    let lifted = Affine3A::from_translation(Vec3::Y * (RADIUS * 1.3));
    let cloth = Cloth::from_mesh(&positions, triangles.as_flattened()).transform(lifted).density(DENSITY);
    let cloth = cloth.stretch(RUBBER).thickness(THICKNESS).bending(Bending::None).damping_time(2e-3);
    let object = cloth.friction(xpbd_core::world::Friction::new(FRICTION)).inflated(ratio, compliance).build();
    let balloon = world.add(object.map_err(|error| SceneError::Object(error.to_string()))?)?;
    let place = Pose::from_translation(Vec3::Y * (3.5 * RADIUS));
    let crate_on_it = solid::block(&mut world, place, CRATE.0, CRATE.1, FRICTION)?;
    let rest = mesh::volume(&positions, &triangles);
    let observer = Balloon { balloon, crate_on_it, triangles, rest, ratio: f64::from(ratio) };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(observer) })
}

impl Observer for Balloon {
    /// `volume_ratio`: its volume over that at rest \[1\]; `wanted_ratio`: what the gas wants \[1\]; `pressure_pa`:
    /// pressure inside over that outside \[Pa\]; `crate_m`: height of the middle of the crate \[m\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let positions: Vec<Vec3> = world.positions(self.balloon)?.collect();
        let gas = world.batches_of(self.balloon).into_iter().next_back().ok_or(WorldError::StaleHandle("batch"))?;
        let pressure = world.row_forces(gas, 0)?.first().copied().unwrap_or(0.0);
        Ok(vec![
            ("volume_ratio", mesh::volume(&positions, &self.triangles) / self.rest),
            ("wanted_ratio", self.ratio),
            ("pressure_pa", f64::from(pressure)),
            ("crate_m", f64::from(world.body_pose(self.crate_on_it)?.translation.y)),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let mesh = Mesh { positions: world.positions(self.balloon)?.collect(), triangles: self.triangles.clone() };
        let picture = picture.mesh(&mesh, Material::polished(hex(0xC8553D)));
        Ok(solid::draw(world, picture, |_| hex(0xC98F4E)).ground(0.0).rotated(210.0, 15.0))
    }
}
