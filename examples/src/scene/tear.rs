//! A notched sheet that is pulled until the tear divides it.

use glam::{DVec3, Vec3};
use xpbd_cloth::{Blade, Cloth, Stretch, TearSettings, cut, piece_count, sheet_triangles, tear};
use xpbd_core::world::{ObjectHandle, World, WorldError};

use super::sheet::tear_error;
use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup};
use crate::mesh::Mesh;
use crate::picture::{Material, Picture, hex};

/// Width and depth of the sheet \[m\].
const SIZE: (f32, f32) = (1.2, 0.8);
/// Stiffness of its edges \[N/m\], and the strain that it bears \[1\].
const CLOTH: (f32, f32) = (400.0, 0.3);
/// Speed at which the ends move apart \[m/s\], and the number of frames.
const PULL: (f32, u64) = (0.8, 60);
/// Depth of the notch relative to the sheet \[1\].
const NOTCH: f32 = 0.25;

pub(super) const RECIPE: Recipe = Recipe {
    name: "tear",
    summary: "a notched sheet is pulled until it tears",
    frames: 45,
    substeps: 10,
    keys: &[OptionKey { name: "n", default: "40", help: "particles along the sheet" }],
    takes_mesh: false,
    build,
};

struct Torn {
    sheet: ObjectHandle,
    columns: usize,
    rows: usize,
    /// Mass at the beginning \[kg\].
    mass: f64,
    torn: usize,
    missing: usize,
    mass_error: f64,
    momentum_error: f64,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let columns = setup.count("n", 6, 400)?;
    let rows = (2 * columns).div_ceil(3);
    let (width, depth) = SIZE;
    let is_end = |k: u32| [0, columns - 1].contains(&(k as usize % columns));
    let tearing = TearSettings { max_strain: CLOTH.1, max_force: f32::INFINITY, capacity: 4 * (columns + rows) };
    let cloth =
        Cloth::grid(columns as u32, rows as u32, width, depth).density(0.3).linear_damping(0.5).tearable(tearing);
    let cloth = cloth.stretch(Stretch::Edges { stiffness: CLOTH.0 }).pin_where(|k, _| is_end(k));
    let object = cloth.build().map_err(|error| SceneError::Object(error.to_string()))?;
    let mut world = World::new(setup.settings())?;
    let sheet = world.add(object)?;
    let blade = Blade {
        corner: Vec3::new(0.01 * width, -1.0, -0.6 * depth),
        edge: Vec3::Y * 2.0,
        path: Vec3::Z * ((0.1 + NOTCH) * depth),
    };
    let mass = mass(&world, sheet)?;
    let torn = cut(&mut world, sheet, &blade).map_err(tear_error)?.split_vertices.len();
    let scene = Torn { sheet, columns, rows, mass, torn, missing: 0, mass_error: 0.0, momentum_error: 0.0 };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(scene) })
}

/// Returns the mass of what is present \[kg\].
fn mass(world: &World, sheet: ObjectHandle) -> Result<f64, WorldError> {
    let masses = &world.state().particles.mass;
    Ok(world.active_particles(sheet)?.map(|k| f64::from(masses[k as usize])).sum())
}

/// Σ m v and Σ m |v| of what is present \[N s\].
fn momentum(world: &World, sheet: ObjectHandle) -> Result<(DVec3, f64), WorldError> {
    let masses = &world.state().particles.mass;
    let (mut sum, mut flow) = (DVec3::ZERO, 0.0);
    for k in world.active_particles(sheet)? {
        let part = world.velocity(sheet, k as usize)?.as_dvec3() * f64::from(masses[k as usize]);
        sum += part;
        flow += part.length();
    }
    Ok((sum, flow))
}

impl Observer for Torn {
    /// Tears what the frame before has overloaded, and draws the ends apart.
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        world.synchronize().map_err(|error| WorldError::Device(error.to_string()))?;
        let (before, flow) = momentum(world, self.sheet)?;
        let tear = tear(world, self.sheet).map_err(tear_error)?;
        let (after, _) = momentum(world, self.sheet)?;
        self.torn += tear.split_vertices.len();
        self.missing += tear.missing_particles;
        self.momentum_error = self.momentum_error.max(after.distance(before) / flow.max(f64::MIN_POSITIVE));
        self.mass_error = self.mass_error.max((mass(world, self.sheet)? / self.mass - 1.0).abs());
        let (speed, frames) = PULL;
        if world.state().frames < frames {
            let pinned = |world: &World, k: usize| world.state().particles.pinned[k];
            let count = world.positions(self.sheet)?.len();
            for k in (0..count).filter(|&k| pinned(world, k)).collect::<Vec<_>>() {
                let place = world.position(self.sheet, k)?;
                world.move_pinned(self.sheet, k, place + Vec3::X * (place.x.signum() * speed * super::FRAME))?;
            }
        }
        Ok(())
    }

    /// `pieces` of the sheet, vertices `torn`, and `missing`, what could not tear for want of particles;
    /// `mass_error`: how much its mass differed from that at the beginning at most, as a part of it \[1\];
    /// `momentum_error`: how much a tear changed its momentum at most, as a part of Σ m |v| \[1\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        Ok(vec![
            ("pieces", piece_count(world, self.sheet).map_err(tear_error)? as f64),
            ("torn", self.torn as f64),
            ("missing", self.missing as f64),
            ("mass_error", self.mass_error),
            ("momentum_error", self.momentum_error),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let triangles = sheet_triangles(world, self.sheet).map_err(tear_error)?;
        let positions: Vec<Vec3> = world.positions(self.sheet)?.collect();
        let last = self.columns * self.rows - 1;
        let corners = [0, self.columns - 1, last + 1 - self.columns, last].map(|k| positions[k]);
        let mesh = Mesh { positions, triangles };
        let picture = picture.mesh(&mesh, Material::cloth(hex(0xB5533C)));
        let picture = picture.spheres(&corners, 0.015, Material::polished(hex(0x2F6B8A)));
        Ok(picture.ground(-1.6).rotated(20.0, 30.0).without_strays(0.02))
    }
}
