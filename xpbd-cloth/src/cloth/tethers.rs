//! What the pins of a sheet hold its particles by: tethers, which are constraints, and supports, which contacts ask.

use glam::Vec3;
use xpbd_core::batch::Batch;
use xpbd_core::object::Support;

use super::{Cloth, ClothError, Tethers};
use crate::constraint::{Tether, TetherParameters};
use crate::mesh::Mesh;
use crate::mesh::geodesic::{self, GeodesicPath};

/// The largest number of pins that each have a tether to every particle.
const FEW_PINS: usize = 4;

/// The largest number of pins that support every particle, besides the nearest of all.
const SPREAD_PINS: usize = 16;

/// Returns the tethers of a sheet, and what supports its particles; both are longer by this strain.
pub(super) fn hold(
    cloth: &Cloth,
    mesh: &Mesh,
    pins: &[u32],
    strain: f32,
) -> Result<(Option<Batch>, Vec<Support>), ClothError> {
    let count = match cloth.settings.tethers {
        Tethers::None => 0,
        Tethers::Automatic if pins.len() <= FEW_PINS => FEW_PINS,
        Tethers::Automatic => 1,
        Tethers::Nearest(count) => count,
    };
    if count == 0 || pins.is_empty() || cloth.settings.tearing.is_some() {
        return Ok((None, Vec::new()));
    }
    let slack = 1.0 + strain;
    let (mut ends, mut parameters, mut supports) = (Vec::new(), Vec::new(), Vec::new());
    let nearest = geodesic::nearest_sources(mesh, pins, count);
    let spread = geodesic::nearest_sources(mesh, &spread_out(mesh.positions(), pins, SPREAD_PINS), SPREAD_PINS);
    for ((nearest, spread), vertex) in nearest.iter().zip(&spread).zip(0..) {
        if pins.binary_search(&vertex).is_err() {
            ends.extend(nearest.iter().map(|path| [vertex, path.source]));
            parameters.extend(nearest.iter().map(|path| TetherParameters { max_distance: path.length * slack }));
            let is_new = |path: &&GeodesicPath| spread.iter().all(|other| other.source != path.source);
            let paths = spread.iter().chain(nearest.first().filter(is_new));
            let support =
                |path: &GeodesicPath| Support { particle: vertex, pin: path.source, length: path.length * slack };
            supports.extend(paths.map(support));
        }
    }
    let tethers = if ends.is_empty() { None } else { Some(Batch::new(Tether, &ends, &parameters)?) };
    Ok((tethers, supports))
}

/// Returns at most `count` of the pins, each as far as possible from those before it.
fn spread_out(positions: &[Vec3], pins: &[u32], count: usize) -> Vec<u32> {
    if pins.len() <= count {
        return pins.to_vec();
    }
    let at = |pin: u32| positions[pin as usize];
    let mut taken = vec![pins[0]];
    let mut distances = vec![f32::INFINITY; pins.len()];
    while taken.len() < count {
        let last = at(taken[taken.len() - 1]);
        distances
            .iter_mut()
            .zip(pins)
            .for_each(|(distance, &pin)| *distance = distance.min(at(pin).distance_squared(last)));
        let farthest = distances.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        taken.extend(farthest.map(|(place, _)| pins[place]));
    }
    taken.sort_unstable();
    taken
}
