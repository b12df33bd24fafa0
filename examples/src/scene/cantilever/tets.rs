//! The beam as a block of tetrahedra.

use glam::Vec3;
use xpbd_cloth::{Elasticity, SoftBody, TetraMesh};
use xpbd_core::world::{Settings, World, WorldError};

use super::super::soft::{self, SceneBody};
use super::super::{BuiltScene, Metrics, Observer, SceneError, Setup};
use crate::picture::{Material, Picture, hex};

/// Length of the beam along x, and the side of its square section \[m\].
const LENGTH: f32 = 0.6;
const SIDE: f32 = 0.1;
/// Young's modulus \[Pa\] and Poisson ratio \[1\].
const YOUNG: f32 = 1e6;
const POISSON: f32 = 0.3;
/// Drag \[1/s\], a little less than what keeps it from swinging: its first frequency is 9 rad/s.
const DRAG: f32 = 12.0;

struct Tets {
    beam: SceneBody,
    /// Expected deflection under the load \[m\].
    sag: f32,
    /// Force on each vertex of the loaded end \[N\].
    load: Vec<(usize, f32)>,
}

pub(super) fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = match setup.count("n", 0, 1_000_000)? {
        0 => 2400,
        count => count,
    };
    let sag = LENGTH * super::sag(setup)?;
    // Cubes: six times as many along the beam as across it, of twelve tetrahedra each.
    let across = (1..).take_while(|k| 72 * k * k * k <= count as u32).last().unwrap_or(1);
    let size = Vec3::new(LENGTH, SIDE, SIDE);
    let mesh = TetraMesh::block([6 * across, across, across], size);
    let mesh = mesh.map_err(|error| SceneError::Object(error.to_string()))?;
    let end = 0.4999 * LENGTH;
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..setup.settings() })?;
    let material = Elasticity::NeoHookean { youngs_modulus: YOUNG, poisson_ratio: POISSON };
    let body = SoftBody::new(&mesh).elasticity(material).linear_damping(DRAG).pin_where(|_, x| x.x < -end);
    // P = 3 E I d/L³.
    let inertia = SIDE * SIDE * SIDE * SIDE / 12.0;
    let force = 3.0 * YOUNG * inertia * sag / (LENGTH * LENGTH * LENGTH);
    let load = soft::end_face_weights(&mesh, end).into_iter().map(|(vertex, share)| (vertex, force * share)).collect();
    let beam = soft::add(&mut world, body, mesh, |_, x| x)?;
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(Tets { beam, sag, load }) })
}

impl Observer for Tets {
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        self.load.iter().try_for_each(|&(k, force)| world.add_force(self.beam.object, k, Vec3::NEG_Y * force))
    }

    /// `tip_m`: how far the loaded end has come down, its mean \[m\]; `tip_error_ratio`: its difference from the
    /// closed form P L³/(3 E I), as a part of that \[1\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let (mut sum, mut all) = (0.0, 0.0);
        for &(k, force) in &self.load {
            let down = self.beam.mesh.positions()[k].y - world.position(self.beam.object, k)?.y;
            sum += f64::from(down * force);
            all += f64::from(force);
        }
        let (tip, expected) = (sum / all, f64::from(self.sag));
        Ok(vec![("tip_m", tip), ("tip_error_ratio", (tip - expected).abs() / expected)])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let surface = self.beam.surface(world)?;
        Ok(picture.mesh(&surface, Material::polished(hex(0x35618F))).rotated(20.0, 15.0))
    }
}
