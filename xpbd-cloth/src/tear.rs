//! Tearing and cutting of sheets.
//!
//! A sheet that is [tearable](crate::Cloth::tearable) comes apart at its vertices: one vertex becomes two, each
//! with the mass of its share of the triangles around, at the same position and with the same velocity, so that
//! mass and momentum are kept. Triangles stay whole. Where the triangles around a vertex are no longer connected
//! by edges, it splits too, which is how a tear reaches the boundary and a piece comes off.
//!
//! Constraints follow their triangles: an edge between the two sides becomes two of half the stiffness each,
//! a fold across it is broken, all others are moved to the vertex on their side. A constraint to
//! a particle that no triangle joins with the vertex stays with the vertex of the old index. Duplicates keep their common
//! position in the rest shape, so the sides of a tear do not push each other apart, while pieces
//! that come from elsewhere collide as before.
//!
//! Tears depend on the world alone: on positions, batches and inactive particles. A world that is restored in the
//! middle of a tear continues with the same bits.

mod blade;
mod overload;
mod sheet;

pub use blade::Blade;

use glam::Vec3;
use thiserror::Error;
use xpbd_core::batch::{Batch, ConstraintBatch};
use xpbd_core::constraint::Constraint;
use xpbd_core::world::{BatchHandle, ObjectHandle, StepError, World, WorldError};

use crate::constraint::ClothFace;
use overload::overloads;
use sheet::Sheet;

/// A vertex that became two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SplitVertex {
    /// Index of the particle that was split.
    pub particle: u32,
    /// New particle, which was inactive before.
    pub duplicate: u32,
    /// Position of both \[m\].
    pub position: Vec3,
}

/// The result of a tear or a cut.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TearReport {
    /// Vertices that were split, in that order.
    pub split_vertices: Vec<SplitVertex>,
    /// Number of vertices that could not be split for want of inactive particles; nothing more tears then.
    pub missing_particles: usize,
}

/// An error of tearing or cutting.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TearError {
    /// The object is not tearable.
    #[error("object `{0}` cannot tear; build it with `Cloth::tearable`")]
    NotTearable(String),
    /// The blade covers no area, or is not finite.
    #[error("the blade moves from {corner} along {edge} and {path}; it must be finite and cover an area")]
    Blade {
        /// Corner of the blade \[m\].
        corner: Vec3,
        /// Edge of the blade \[m\].
        edge: Vec3,
        /// Path of the blade \[m\].
        path: Vec3,
    },
    /// The world refuses the edit.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The device that the world is on is lost.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// Tears a sheet where its limits are exceeded. It is called after a step, any number of times: each call
/// extends a tear by one vertex at each of its ends. A world on a device is synchronized first.
///
/// A triangle or an edge beyond its limit is separated at that of its vertices with the largest total overload,
/// across the direction in which it is stretched. Pinned vertices do not tear.
///
/// # Errors
/// The handle is stale, or the object is not tearable, or a device that is lost.
pub fn tear(world: &mut World, object: ObjectHandle) -> Result<TearReport, TearError> {
    world.synchronize()?;
    let mut sheet = Sheet::of(world, object)?;
    let overloads = overloads(&sheet);
    let mut heat = vec![0.0; sheet.len()];
    for overload in &overloads {
        overload.vertices.iter().for_each(|&vertex| heat[vertex as usize] += overload.ratio);
    }
    let mut rests = vec![false; sheet.len()];
    for overload in &overloads {
        let mut vertices = overload.vertices.clone();
        vertices.sort_by(|&a, &b| heat[b as usize].total_cmp(&heat[a as usize]).then(a.cmp(&b)));
        for vertex in vertices {
            if rests[vertex as usize] || sheet.is_pinned(vertex) || sheet.is_exhausted() {
                continue;
            }
            let around = sheet.neighbours(vertex);
            if sheet.split(vertex, |sheet, face| sheet.from(vertex, face).dot(overload.direction) > 0.0) {
                around.into_iter().for_each(|other| rests[other as usize] = true);
                rests[vertex as usize] = true;
                break;
            }
        }
    }
    sheet.finish().apply(world, object)
}

/// Cuts a sheet where a blade passes, along the edges of triangles next to its path. Pinned vertices are cut
/// too, and both parts are then pinned. A world on a device is synchronized first.
///
/// # Errors
/// The handle is stale, or the object is not tearable, a blade that covers no area, or a device that is lost.
pub fn cut(world: &mut World, object: ObjectHandle, blade: &Blade) -> Result<TearReport, TearError> {
    let plane = blade.plane()?;
    world.synchronize()?;
    let mut sheet = Sheet::of(world, object)?;
    let touched: Vec<u32> = (0..sheet.len() as u32).filter(|&vertex| plane.covers(sheet.position(vertex))).collect();
    for vertex in touched {
        if sheet.is_exhausted() {
            break;
        }
        sheet.split(vertex, |sheet, face| {
            plane.signed_distance(sheet.position(vertex) + sheet.from(vertex, face)) > 0.0
        });
    }
    sheet.finish().apply(world, object)
}

/// Returns the present triangles of a sheet.
///
/// # Errors
/// The handle is stale, or the object is not tearable.
pub fn sheet_triangles(world: &World, object: ObjectHandle) -> Result<Vec<[u32; 3]>, TearError> {
    let (_, faces) = faces_of(world, object)?;
    Ok((0..faces.len()).map(|face| corners(faces, face)).collect())
}

/// Returns the number of pieces of a sheet that share no vertex.
///
/// # Errors
/// The handle is stale, or the object is not tearable.
pub fn piece_count(world: &World, object: ObjectHandle) -> Result<usize, TearError> {
    let triangles = sheet_triangles(world, object)?;
    let mut above: Vec<u32> = (0..world.positions(object)?.len() as u32).collect();
    let root = |above: &mut Vec<u32>, mut k: u32| {
        while above[k as usize] != k {
            above[k as usize] = above[above[k as usize] as usize];
            k = above[k as usize];
        }
        k
    };
    let mut used: Vec<bool> = vec![false; above.len()];
    for [a, b, c] in triangles {
        [a, b, c].into_iter().for_each(|k| used[k as usize] = true);
        for other in [b, c] {
            let (one, other) = (root(&mut above, a), root(&mut above, other));
            above[one.max(other) as usize] = one.min(other);
        }
    }
    Ok((0..above.len()).filter(|&k| used[k] && above[k] == k as u32).count())
}

/// Returns the faces of an object.
fn faces_of(world: &World, object: ObjectHandle) -> Result<(BatchHandle, &Batch), TearError> {
    let state = world.state();
    let name = &state.objects.get(object).ok_or(WorldError::StaleHandle("object"))?.name;
    let of_object = world.batches_of(object).into_iter().find_map(|handle| {
        let batch = world.batch(handle).ok()?.traced()?;
        (batch.kind().name() == ClothFace::NAME).then_some((handle, batch))
    });
    of_object.ok_or_else(|| TearError::NotTearable(name.clone()))
}

/// Returns the corners of a face.
fn corners(faces: &Batch, face: usize) -> [u32; 3] {
    let nodes = faces.node_indices(face);
    [nodes[0], nodes[1], nodes[2]]
}
