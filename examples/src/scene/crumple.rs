//! A sheet of foil that is crushed from all sides and released keeps its folds.

use glam::Vec3;
use xpbd_cloth::{Bending, Cloth};
use xpbd_core::plasticity::Plasticity;
use xpbd_core::world::{BatchHandle, ObjectHandle, Settings, World, WorldError};

use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, cloths};
use crate::picture::{Material, Picture, hex};
use crate::random::Random;

/// Side of the sheet \[m\].
const SIDE: f32 = 0.3;
/// Bending stiffness \[N m\].
const STIFFNESS: f32 = 2e-4;
/// Plastic behaviour of a foil: it yields at once.
const PLASTICITY: Plasticity = Plasticity { yield_strain: 0.1, creep: 60.0, limit: 2.5 };
/// Acceleration that pulls the sheet together \[m/s²\], the distance to its middle at which that ends \[m\], and the
/// number of frames.
const CRUSH: (f32, f32, u64) = (30.0, 0.05, 60);
/// Height of the ripples that it has before \[m\].
const RIPPLE: f32 = 1e-3;

pub(super) const RECIPE: Recipe = Recipe {
    name: "crumple",
    summary: "a sheet of foil is crushed and released",
    frames: 180,
    substeps: 10,
    keys: &[
        OptionKey { name: "n", default: "40", help: "particles a side" },
        OptionKey { name: "plastic", default: "on", help: "whether folds stay: on or off" },
    ],
    takes_mesh: false,
    build,
};

struct Crumple {
    sheet: ObjectHandle,
    folds: BatchHandle,
    /// Mean square distance from the middle at rest \[m²\].
    flat: f32,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let side = setup.count("n", 4, 400)?;
    let plastic = setup.choice("plastic", &[("on", true), ("off", false)])?;
    let radius = 0.4 * SIDE / (side - 1) as f32;
    let settings =
        Settings { gravity: Vec3::ZERO, particle_radius: radius, contact_margin: radius, ..setup.settings() };
    let mut cloth =
        Cloth::grid(side as u32, side as u32, SIDE, SIDE).density(0.1).linear_damping(3.0).self_collision(true);
    cloth = cloth.bending(Bending::Dihedral { stiffness: STIFFNESS });
    if plastic {
        cloth = cloth.bending_plasticity(PLASTICITY);
    }
    let mut object = cloth.build().map_err(|error| SceneError::Object(error.to_string()))?;
    let mut random = Random::new(3);
    object.positions.iter_mut().for_each(|place| place.y += RIPPLE * random.signed());
    let flat = spread(object.positions.iter().copied());
    let mut world = World::new(settings)?;
    let sheet = world.add(object)?;
    let folds = world.batches_of(sheet)[1];
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(Crumple { sheet, folds, flat }) })
}

/// Returns the mean square distance from the middle \[m²\].
fn spread(places: impl Iterator<Item = Vec3>) -> f32 {
    let (mut count, mut sum, mut squares) = (0.0, Vec3::ZERO, 0.0);
    for place in places {
        count += 1.0;
        sum += place;
        squares += place.length_squared();
    }
    squares / count - (sum / count).length_squared()
}

impl Observer for Crumple {
    /// Draws the sheet together.
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        let (acceleration, near, frames) = CRUSH;
        if world.state().frames >= frames {
            return Ok(());
        }
        world.synchronize().map_err(|error| WorldError::Device(error.to_string()))?;
        let places: Vec<Vec3> = world.positions(self.sheet)?.collect();
        for (k, place) in places.into_iter().enumerate().filter(|(_, place)| place.length() > near) {
            let mass = world.state().particles.mass[k];
            world.add_force(self.sheet, k, place.normalize_or_zero() * (-acceleration * mass))?;
        }
        Ok(())
    }

    /// `flatness`: how far the sheet is spread about its middle, 1 when it is flat \[1\]; `kept_rad`: the mean
    /// angle at which its edges are at rest \[rad\]; `energy_j`: what it moves with and holds \[J\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let spread = spread(world.positions(self.sheet)?);
        let folds = world.batch(self.folds)?;
        let angles =
            folds.traced().map(|batch| (0..folds.len()).map(|k| f64::from(batch.parameters(k)[0].abs())).sum());
        let kept: f64 = angles.unwrap_or(0.0);
        Ok(vec![
            ("flatness", f64::from((spread / self.flat).sqrt())),
            ("kept_rad", kept / folds.len() as f64),
            ("energy_j", world.energy().total()),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let mesh = cloths::mesh(world, self.sheet)?;
        let low = mesh.bounds().min.y;
        let picture = picture.mesh(&mesh, Material::polished(hex(0xB8BDC4)));
        Ok(picture.ground(low - 0.02).rotated(30.0, 25.0))
    }
}
