//! A rope of two metres hung at both ends: a catenary.

use glam::Vec3;
use xpbd_cloth::Rope;
use xpbd_core::batch::ConstraintBatch;
use xpbd_core::world::{ObjectHandle, World, WorldError};

use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup};
use crate::picture::{Material, Picture, hex};

/// Length of the rope \[m\].
const LENGTH: f32 = 2.0;

pub(super) const RECIPE: Recipe = Recipe {
    name: "rope",
    summary: "a rope that hangs at both ends comes to rest as a catenary",
    frames: 600,
    substeps: 40,
    keys: &[
        OptionKey { name: "n", default: "64", help: "links" },
        OptionKey { name: "span", default: "1.5", help: "distance of the ends [m], below 2" },
    ],
    takes_mesh: false,
    build,
};

struct Hung {
    rope: ObjectHandle,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let links = setup.count("n", 2, 10_000)?;
    let span = setup.number("span", "above 0 and below 2", |value| value > 0.0 && value < LENGTH)?;
    let half = Vec3::X * (0.5 * span);
    let rope = Rope::between(-half, half, links as u32, LENGTH).pin_ends().linear_damping(2.0).build();
    let mut world = World::new(setup.settings())?;
    let rope = world.add(rope.map_err(|error| SceneError::Object(error.to_string()))?)?;
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(Hung { rope }) })
}

impl Hung {
    /// Returns what links and tethers together pull the first particle with \[N\].
    fn tension(&self, world: &World) -> Result<f64, WorldError> {
        let end = world.position(self.rope, 0)?;
        let mut pull = Vec3::ZERO;
        for handle in world.batches_of(self.rope) {
            let Some(batch) = world.batch(handle)?.traced() else { continue };
            for k in 0..batch.len() {
                if let &[a, b] = batch.node_indices(k)
                    && (a == 0 || b == 0)
                {
                    let way = world.position(self.rope, a.max(b) as usize)? - end;
                    pull -= way.normalize_or_zero() * world.row_forces(handle, k)?[0];
                }
            }
        }
        Ok(f64::from(pull.length()))
    }
}

impl Observer for Hung {
    /// `sag_m`: how far the lowest particle is below the ends \[m\]; `end_tension_n`: pull at the first
    /// \[N\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let lowest = world.positions(self.rope)?.map(|x| x.y).fold(f32::INFINITY, f32::min);
        Ok(vec![("sag_m", -f64::from(lowest)), ("end_tension_n", self.tension(world)?)])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let points: Vec<Vec3> = world.positions(self.rope)?.collect();
        let ends = [points[0], points[points.len() - 1]];
        let picture = picture.tube(&points, 0.012, Material::matte(hex(0xB98B4F))).rotated(15.0, 10.0);
        Ok(picture.spheres(&ends, 0.03, Material::polished(hex(0x44484F))).ground(-1.2))
    }
}
