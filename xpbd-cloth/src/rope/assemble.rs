//! From a description of rope to particles and constraints.

use glam::Vec3;
use xpbd_core::batch::{Batch, BatchError, ConstraintBatch};
use xpbd_core::world::{CollisionLayers, Object};

use super::{Rope, RopeError};
use crate::constraint::{Distance, RopeBending, Tether};
use crate::parameter::{self, GRAVITY};

pub(super) fn object(rope: Rope) -> Result<Object, RopeError> {
    check_numbers(&rope)?;
    let links = links(&rope)?;
    let points = rope.points.len();
    let pins = parameter::pins(&rope.pins, points).map_err(|index| RopeError::Pin { index, points })?;
    let last = links.last().copied().unwrap_or(0.0);
    let all: Vec<f32> = links.iter().copied().chain((0..rope.spool).map(|_| last)).collect();
    let batches = [tethers(&rope, &links, &pins)?, Some(stretch(&rope, &all)?), bending(&rope, &all)?];
    let batches = batches.into_iter().flatten().map(|batch| break_beyond(batch, links.len()));
    let mut object = Object::new(rope.name, rope.points.iter().map(|&x| x + rope.offset).collect(), 0.0);
    for (k, link) in links.iter().enumerate() {
        object.masses[k] += 0.5 * rope.density * link;
        object.masses[k + 1] += 0.5 * rope.density * link;
    }
    object.pins = pins;
    object.friction = rope.friction;
    object.collision_layers = CollisionLayers { self_collision: rope.self_collision, ..CollisionLayers::default() };
    object.linear_damping = rope.drag;
    object.rest_positions = straight(&links);
    object = object.capacity(rope.spool as usize, rope.density * last);
    Ok(batches.fold(object, Object::with))
}

/// Lets the constraints beyond this point hold nothing.
fn break_beyond(mut batch: Batch, last: usize) -> Batch {
    for k in 0..batch.len() {
        if batch.node_indices(k).iter().any(|&point| point as usize > last) {
            batch.set_broken(k, true);
        }
    }
    batch
}

fn check_numbers(rope: &Rope) -> Result<(), RopeError> {
    if let Some(fault) = &rope.fault {
        return Err(fault.clone());
    }
    parameter::positive("density", rope.density)?;
    parameter::stiffness("stretch stiffness", rope.stretch)?;
    parameter::not_negative("bending stiffness", rope.bending)?;
    parameter::not_negative("damping time", rope.damping)?;
    parameter::not_negative("drag", rope.drag)?;
    Ok(())
}

/// Returns the rest length of each link \[m\].
fn links(rope: &Rope) -> Result<Vec<f32>, RopeError> {
    if rope.points.len() < 2 {
        return Err(RopeError::TooFewPoints(rope.points.len()));
    }
    if let Some(point) = rope.points.iter().position(|x| !(*x + rope.offset).is_finite()) {
        let position = rope.points[point] + rope.offset;
        return Err(RopeError::Position { point: point as u32, position });
    }
    let link = |(first, pair): (u32, &[Vec3])| {
        if pair[0] == pair[1] {
            return Err(RopeError::Coincident { first, second: first + 1 });
        }
        Ok(rope.link.unwrap_or_else(|| pair[0].distance(pair[1])))
    };
    (0..).zip(rope.points.windows(2)).map(link).collect()
}

/// Returns the rope at rest, laid out along x.
fn straight(links: &[f32]) -> Vec<Vec3> {
    let ends = links.iter().scan(0.0, |end, link| {
        *end += link;
        Some(*end)
    });
    std::iter::once(0.0).chain(ends).map(|x| Vec3::X * x).collect()
}

fn stretch(rope: &Rope, links: &[f32]) -> Result<Batch, BatchError> {
    let ends: Vec<_> = (0..links.len() as u32).map(|k| [k, k + 1]).collect();
    let params: Vec<_> = links.iter().map(|&link| [link]).collect();
    let compliances: Vec<_> = links.iter().map(|link| link / rope.stretch).collect();
    let beta = parameter::damping(rope.damping, &compliances);
    Ok(Batch::new(Distance, &ends, &params)?.compliances(compliances)?.damping(beta))
}

fn bending(rope: &Rope, links: &[f32]) -> Result<Option<Batch>, BatchError> {
    if rope.bending == 0.0 || links.len() < 2 {
        return Ok(None);
    }
    let points: Vec<_> = (1..links.len() as u32).map(|k| [k - 1, k, k + 1]).collect();
    let pairs = links.array_windows();
    let params: Vec<_> = pairs.clone().map(|&pair| RopeBending::params(pair)).collect();
    let compliances: Vec<_> = pairs.map(|&pair| RopeBending::compliance(pair, rope.bending)).collect();
    let beta = parameter::damping(rope.damping, &compliances);
    Ok(Some(Batch::new(RopeBending, &points, &params)?.compliances(compliances)?.damping(beta)))
}

/// Ties each particle to the next pin on each side.
fn tethers(rope: &Rope, links: &[f32], pins: &[u32]) -> Result<Option<Batch>, BatchError> {
    if !rope.tethers || rope.spool > 0 || pins.is_empty() {
        return Ok(None);
    }
    let along = straight(links);
    let weight = GRAVITY * rope.density * links.iter().sum::<f32>();
    let slack = 1.0 + weight / rope.stretch;
    let (mut ends, mut reach) = (Vec::new(), Vec::new());
    for point in 0..rope.points.len() as u32 {
        let Err(after) = pins.binary_search(&point) else { continue };
        let before = after.checked_sub(1).map(|place| pins[place]);
        for pin in before.into_iter().chain(pins.get(after).copied()) {
            ends.push([point, pin]);
            reach.push([(along[point as usize].x - along[pin as usize].x).abs() * slack]);
        }
    }
    if ends.is_empty() { Ok(None) } else { Batch::new(Tether, &ends, &reach).map(Some) }
}
