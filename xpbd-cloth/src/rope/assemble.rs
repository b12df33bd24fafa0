//! The step from a description of rope to particles and constraints.

use glam::Vec3;
use xpbd_core::batch::{Batch, BatchError, ConstraintBatch};
use xpbd_core::number::NumberError;
use xpbd_core::object::Support;
use xpbd_core::settings::ConstraintSolver;
use xpbd_core::world::Object;

use super::{Rope, RopeError};
use crate::constraint::{Distance, DistanceParameters, RopeBending, RopeBendingParameters, Tether, TetherParameters};
use crate::polyline;
use crate::stiffness::{GRAVITY, damping_coefficient};

pub(super) fn object(rope: &Rope) -> Result<Object, RopeError> {
    check_numbers(rope)?;
    let points = rope.path.points()?;
    let links = links(rope, &points)?;
    let count = points.len();
    let pins = rope.particles.sorted_pins(count).map_err(|index| RopeError::Pin { index, points: count })?;
    let last = links.last().copied().unwrap_or(0.0);
    let all: Vec<f32> = links.iter().copied().chain((0..rope.settings.spool).map(|_| last)).collect();
    let ways = ways_to_pins(rope, &links, &pins);
    let batches = [tethers(rope, &links, &ways)?, Some(stretch(rope, &all)?), bending(rope, &all)?];
    let batches = batches.into_iter().flatten().map(|batch| break_beyond(batch, links.len()));
    let mut object = rope.particles.object(&points, polyline::masses(rope.settings.density, &links), pins);
    if let Some(point) = object.positions.iter().position(|x| !x.is_finite()) {
        return Err(RopeError::Position { point: point as u32, position: object.positions[point] });
    }
    object.rest_positions = polyline::along_x(&links);
    // What stretches under a load cannot be said to be held at its length.
    if rope.settings.stretch == f32::INFINITY {
        object.supports = ways;
    }
    object = object.capacity(rope.settings.spool as usize, rope.settings.density * last);
    Ok(batches.fold(object, Object::with))
}

/// Breaks the constraints that reach beyond this point.
fn break_beyond(mut batch: Batch, last: usize) -> Batch {
    for k in 0..batch.len() {
        if batch.node_indices(k).iter().any(|&point| point as usize > last) {
            batch.set_broken(k, true);
        }
    }
    batch
}

fn check_numbers(rope: &Rope) -> Result<(), RopeError> {
    rope.particles.check()?;
    NumberError::check_positive("density", rope.settings.density)?;
    NumberError::check_positive_or_infinite("stretch stiffness", rope.settings.stretch)?;
    NumberError::check_not_negative("bending stiffness", rope.settings.bending)?;
    NumberError::check_not_negative("damping time", rope.settings.damping_time)?;
    Ok(())
}

/// Returns the rest length of each link \[m\].
fn links(rope: &Rope, points: &[Vec3]) -> Result<Vec<f32>, RopeError> {
    if points.len() < 2 {
        return Err(RopeError::TooFewPoints(points.len()));
    }
    if let Some(point) = points.iter().position(|x| !x.is_finite()) {
        return Err(RopeError::Position { point: point as u32, position: points[point] });
    }
    let link = |(first, pair): (u32, &[Vec3])| {
        if pair[0] == pair[1] {
            return Err(RopeError::Coincident { first, second: first + 1 });
        }
        Ok(rope.path.link_length().unwrap_or_else(|| pair[0].distance(pair[1])))
    };
    (0..).zip(points.windows(2)).map(link).collect()
}

fn stretch(rope: &Rope, links: &[f32]) -> Result<Batch, BatchError> {
    let ends: Vec<_> = (0..links.len() as u32).map(|k| [k, k + 1]).collect();
    let parameters: Vec<_> = links.iter().map(|&rest_length| DistanceParameters { rest_length }).collect();
    let compliances: Vec<_> = links.iter().map(|link| link / rope.settings.stretch).collect();
    let beta = damping_coefficient(rope.settings.damping_time, &compliances);
    let batch = Batch::new(Distance, &ends, &parameters)?.solver(rope.settings.solver);
    Ok(batch.compliances(compliances)?.damping(beta))
}

fn bending(rope: &Rope, links: &[f32]) -> Result<Option<Batch>, BatchError> {
    if rope.settings.bending == 0.0 || links.len() < 2 {
        return Ok(None);
    }
    let points: Vec<_> = (1..links.len() as u32).map(|k| [k - 1, k, k + 1]).collect();
    let pairs = links.array_windows();
    let parameters: Vec<_> = pairs.clone().map(|&pair| RopeBendingParameters::new(pair)).collect();
    let compliances: Vec<_> = pairs.map(|&pair| RopeBending::compliance(pair, rope.settings.bending)).collect();
    let beta = damping_coefficient(rope.settings.damping_time, &compliances);
    let batch = Batch::new(RopeBending, &points, &parameters)?.solver(rope.settings.solver);
    Ok(Some(batch.compliances(compliances)?.damping(beta)))
}

/// Returns for each particle of a rope that is not reeled the next pin on each side, and its distance from there along
/// the rope.
fn ways_to_pins(rope: &Rope, links: &[f32], pins: &[u32]) -> Vec<Support> {
    let along = polyline::along_x(links);
    let mut ways = Vec::new();
    if rope.settings.spool > 0 || pins.is_empty() {
        return ways;
    }
    for particle in 0..along.len() as u32 {
        let Err(after) = pins.binary_search(&particle) else { continue };
        let before = after.checked_sub(1).map(|index| pins[index]);
        for pin in before.into_iter().chain(pins.get(after).copied()) {
            let length = (along[particle as usize].x - along[pin as usize].x).abs();
            ways.push(Support { particle, pin, length });
        }
    }
    ways
}

/// Tethers each particle of a rope that is swept to its pins. Tethers are longer by the stretch under the weight of the rope.
fn tethers(rope: &Rope, links: &[f32], ways: &[Support]) -> Result<Option<Batch>, BatchError> {
    if rope.settings.solver != ConstraintSolver::Sweep || !rope.settings.tethers || ways.is_empty() {
        return Ok(None);
    }
    let weight = GRAVITY * rope.settings.density * links.iter().sum::<f32>();
    let slack = 1.0 + weight / rope.settings.stretch;
    let ends: Vec<_> = ways.iter().map(|way| [way.particle, way.pin]).collect();
    let parameters: Vec<_> = ways.iter().map(|way| TetherParameters { max_distance: way.length * slack }).collect();
    Batch::new(Tether, &ends, &parameters).map(Some)
}
