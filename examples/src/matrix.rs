//! Every kind of thing thrown at every other, to see which hold and which pass through.

mod bag;
mod kind;
mod measure;
pub mod page;
mod piece;
mod target;
mod thrown;

use glam::Vec3;
use rayon::prelude::*;
use serde::Serialize;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{Settings, World};

pub use bag::{BagThrow, throw_in_bags};
pub use kind::Kind;
pub use measure::Passed;
pub use piece::Piece;
pub use thrown::add_thrown;

use crate::scene::FRAME;

/// Frames of a throw: a second.
const FRAMES: usize = 60;
/// Velocity of what is thrown \[m/s\].
const SPEED: Vec3 = Vec3::new(0.0, -10.0, 0.0);
/// Density of what is solid \[kg/m³\].
const DENSITY: f32 = 500.0;
/// Radius of a particle \[m\].
const RADIUS: f32 = 0.01;
/// Distance of the layers of a surface \[m\].
const THICKNESS: f32 = 0.008;
/// Mass of a grain \[kg\].
const GRAIN: f32 = DENSITY * 8.0 * RADIUS * RADIUS * RADIUS;

/// An error of a throw: what could not be built or stepped.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// One throw and its result.
#[derive(Debug, Clone, Serialize)]
pub struct Throw {
    /// The kind that was thrown.
    pub thrown: Kind,
    /// The kind that it was thrown at.
    pub target: Kind,
    /// Parts that are through the other after a second.
    pub passed: Passed,
}

/// Throws everything that can be thrown at everything, with the default settings, on all cores.
///
/// # Errors
/// The first throw that cannot be built or stepped.
pub fn throw_all() -> Result<Vec<Throw>, Error> {
    let pairs: Vec<_> =
        Kind::THROWN.iter().flat_map(|&thrown| Kind::ALL.iter().map(move |&target| (thrown, target))).collect();
    pairs.into_par_iter().map(|(thrown, target)| throw(thrown, target)).collect()
}

/// Throws one kind at another with the default settings: it starts a hand's breadth above the target at 10 m/s.
///
/// # Errors
/// The throw cannot be built or stepped.
pub fn throw(thrown: Kind, target: Kind) -> Result<Throw, Error> {
    let mut world = World::new(Settings::default())?;
    let under = target::add(&mut world, target)?;
    let top = under.top(&world)?;
    let above = add_thrown(&mut world, thrown, Vec3::new(0.003, top + 0.21, 0.002), SPEED)?;
    let mut backend = CpuBackend::new(Threads::Exactly(1));
    for _ in 0..FRAMES {
        world.step(&mut backend, FRAME)?;
    }
    Ok(Throw { thrown, target, passed: measure::passed(&world, &above, &under)? })
}
