//! Random throws in a closed bag of cloth, to see which come out.

use std::f32::consts::TAU;

use glam::Vec3;
use rayon::prelude::*;
use serde::Serialize;
use xpbd_cloth::Cloth;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{ObjectHandle, Settings, World};

use super::{Error, Kind, THICKNESS, add_thrown};
use crate::mesh::{Mesh, ball};
use crate::random::Random;
use crate::scene::FRAME;

/// Radius of the bag \[m\].
const RADIUS: f32 = 0.45;
/// Divisions of each of its triangles into four.
const QUARTERINGS: u32 = 3;
/// Mass of an area of cloth \[kg/m²\].
const DENSITY: f32 = 0.2;
/// Slowest and fastest throw \[m/s\].
const SPEEDS: [f32; 2] = [5.0, 50.0];
/// Frames of a throw.
const FRAMES: usize = 40;

/// One throw in a bag and its result.
#[derive(Debug, Clone, Serialize)]
pub struct BagThrow {
    /// The seed that it is made of.
    pub seed: u64,
    /// The kind that was thrown.
    pub kind: Kind,
    /// Speed at the start \[m/s\].
    pub speed: f32,
    /// Number of particles and bodies that were thrown.
    pub count: usize,
    /// Number of these that are outside at the end.
    pub outside: usize,
}

/// Makes so many random throws with the default settings, on all cores: the first with this seed, the next with the next.
///
/// # Errors
/// The first throw that cannot be built or stepped, with its seed.
pub fn throw_in_bags(first_seed: u64, count: u64) -> Result<Vec<BagThrow>, Error> {
    let with_seed = |seed| throw_in_bag(seed).map_err(|error| format!("the throw with seed {seed}: {error}").into());
    (0..count).into_par_iter().map(|k| with_seed(first_seed.wrapping_add(k))).collect()
}

/// Throws something of a random kind from about the middle of a bag that six points hold, in a random direction.
fn throw_in_bag(seed: u64) -> Result<BagThrow, Error> {
    let mut random = Random::new(seed);
    let kind = Kind::THROWN[random.bits() as usize % Kind::THROWN.len()];
    let speed = SPEEDS[0] + (SPEEDS[1] - SPEEDS[0]) * (0.5 + 0.5 * random.signed());
    let velocity = speed * random.vector().try_normalize().unwrap_or(Vec3::X);
    let place = 0.1 * random.vector();
    let mut world = World::new(Settings::default())?;
    let mesh = ball(RADIUS, QUARTERINGS);
    let bag = add_bag(&mut world, &mesh)?;
    let thrown = add_thrown(&mut world, kind, place, velocity)?;
    let mut backend = CpuBackend::new(Threads::Exactly(1));
    for _ in 0..FRAMES {
        world.step(&mut backend, FRAME)?;
    }
    let mut points = thrown.centres(&world)?;
    points.extend(thrown.particles(&world)?);
    let bag = Mesh { positions: world.positions(bag)?.collect(), triangles: mesh.triangles };
    let outside = points.iter().filter(|&&x| winding_number(&bag, x) < 0.5).count();
    Ok(BagThrow { seed, kind, speed, count: points.len(), outside })
}

/// Adds a ball of cloth that is held where it is farthest out along the axes.
fn add_bag(world: &mut World, mesh: &Mesh) -> Result<ObjectHandle, Error> {
    let farthest = |way: Vec3| {
        let along = |k: &u32| mesh.positions[*k as usize].dot(way);
        (0..mesh.positions.len() as u32).max_by(|a, b| along(a).total_cmp(&along(b)))
    };
    let ways = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let cloth = Cloth::from_mesh(&mesh.positions, mesh.triangles.as_flattened());
    let cloth = cloth.density(DENSITY).surface_collision(THICKNESS).pin(ways.into_iter().filter_map(farthest));
    Ok(world.add(cloth.build()?)?)
}

/// Returns how often a closed mesh goes around a point: the solid angle of its triangles (Van Oosterom and Strackee, *The solid
/// angle of a plane triangle*, 1983, equation 8) over that of a sphere \[1\].
fn winding_number(mesh: &Mesh, x: Vec3) -> f32 {
    let solid_angle = |&triangle: &[u32; 3]| {
        let [a, b, c] = mesh.corners(triangle).map(|corner| corner - x);
        let [p, q, r] = [a, b, c].map(Vec3::length);
        let below = p * q * r + a.dot(b) * r + b.dot(c) * p + c.dot(a) * q;
        2.0 * libm::atan2f(a.dot(b.cross(c)), below)
    };
    mesh.triangles.iter().map(solid_angle).sum::<f32>() / (2.0 * TAU)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mesh_goes_once_around_what_is_inside() {
        let mesh = ball(0.5, 2);
        for (x, expected) in [(Vec3::new(0.1, -0.2, 0.3), 1.0), (Vec3::new(0.4, 0.4, 0.1), 0.0)] {
            let found = winding_number(&mesh, x);
            assert!((found - expected).abs() < 1e-4, "{x}: {found}");
        }
    }
}
