//! Measures of how far two things are through each other, by the shapes that are drawn.

use glam::{Vec3, Vec3Swizzles};
use parry3d::math::Pose;
use parry3d::query::{contact, intersection_test};
use parry3d::shape::{SharedShape, Triangle};
use serde::Serialize;
use xpbd_core::world::World;

use super::piece::Piece;
use super::{Error, RADIUS};

/// Depth in a sheet or a floor from which on a point is under it \[m\].
const UNDER: f32 = 0.002;
/// Depth of two solids in each other from which on one is inside \[m\].
const DEEP: f32 = 0.01;

/// Parts of two things that are through each other at the end of a throw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Passed {
    /// Particles and centres of bodies under a sheet, a net or the floor, and corners of bodies under a height field.
    pub under: usize,
    /// Particles, corners and bodies inside of shapes and tetrahedra.
    pub inside: usize,
    /// Triangles of cloth that run through shapes.
    pub cut: usize,
    /// Pairs of particles that are nearer than a radius.
    pub overlapping: usize,
}

impl Passed {
    /// Returns whether nothing is through.
    pub fn is_held(self) -> bool {
        self == Self::default()
    }
}

/// Returns what of two things is through the other.
pub(super) fn passed(world: &World, thrown: &Piece, target: &Piece) -> Result<Passed, Error> {
    let mut centres = thrown.particles(world)?;
    centres.extend(thrown.centres(world)?);
    let sheet = target.triangles(world)?;
    let is_covered = |x: Vec3, depth: f32| sheet.iter().any(|triangle| is_under(x, triangle, depth));
    let mut under = centres.iter().filter(|&&x| is_covered(x, UNDER)).count();
    if !target.fixed.is_empty() {
        // What is woven counts the triangles that shapes cut.
        for solid in &thrown.solids {
            let pose = Piece::pose(world, solid)?;
            under += corners(&solid.shape).filter(|&corner| is_covered(pose * corner, DEEP)).count();
        }
    }
    if target.stands {
        under += centres.iter().chain(&target.particles(world)?).filter(|x| x.y < -UNDER).count();
    }
    let [a, b] = [(thrown, target), (target, thrown)];
    Ok(Passed {
        under,
        inside: inside(world, a)? + inside(world, b)? + deep(world, thrown, target)?,
        cut: cut(world, a)? + cut(world, b)?,
        overlapping: overlapping(world, thrown, target)?,
    })
}

/// Returns whether a triangle is above a point by more than a depth \[m\].
fn is_under(x: Vec3, triangle: &Triangle, depth: f32) -> bool {
    let [a, b, c] = [triangle.a, triangle.b, triangle.c].map(|corner| corner - x);
    let area = |p: Vec3, q: Vec3| p.xz().perp_dot(q.xz());
    let weights = [area(b, c), area(c, a), area(a, b)];
    let sum: f32 = weights.iter().sum();
    if sum == 0.0 || weights.iter().any(|weight| weight * sum < 0.0) {
        return false;
    }
    (weights[0] * a.y + weights[1] * b.y + weights[2] * c.y) / sum > depth
}

/// Returns how many particles and corners of the second are inside of the first.
fn inside(world: &World, (outer, inner): (&Piece, &Piece)) -> Result<usize, Error> {
    let mut points = inner.particles(world)?;
    let mut count = 0;
    for solid in &outer.solids {
        let pose = Piece::pose(world, solid)?;
        count += points.iter().filter(|&&x| solid.shape.contains_point(&pose, x)).count();
    }
    for solid in &inner.solids {
        let pose = Piece::pose(world, solid)?;
        points.extend(corners(&solid.shape).map(|corner| pose * corner));
    }
    let particles = outer.particles(world)?;
    for tetrahedron in &outer.tetrahedra {
        let corners = tetrahedron.map(|k| particles[k as usize]);
        count += points.iter().filter(|&&x| is_in(x, corners)).count();
    }
    Ok(count)
}

/// Returns the points of a convex shape that are farthest in 14 directions.
fn corners(shape: &SharedShape) -> impl Iterator<Item = Vec3> + '_ {
    let map = shape.as_support_map();
    let directions = (0..27).map(|k: i32| Vec3::new((k % 3 - 1) as f32, (k / 3 % 3 - 1) as f32, (k / 9 - 1) as f32));
    let chosen = directions.filter(|way| way.length_squared() == 1.0 || way.length_squared() == 3.0);
    chosen.filter_map(move |way| Some(map?.local_support_point(way)))
}

/// Returns whether a point is in a tetrahedron, of either orientation.
fn is_in(x: Vec3, [a, b, c, d]: [Vec3; 4]) -> bool {
    let volume = |a: Vec3, b: Vec3, c: Vec3, d: Vec3| (b - a).cross(c - a).dot(d - a);
    let whole = volume(a, b, c, d);
    let parts = [volume(x, b, c, d), volume(a, x, c, d), volume(a, b, x, d), volume(a, b, c, x)];
    parts.iter().all(|part| part * whole > 0.0)
}

/// Returns how many pairs of solids are deep in each other.
fn deep(world: &World, thrown: &Piece, target: &Piece) -> Result<usize, Error> {
    let mut count = 0;
    for a in &thrown.solids {
        let pose = Piece::pose(world, a)?;
        for b in &target.solids {
            let found = contact(&pose, &*a.shape, &Piece::pose(world, b)?, &*b.shape, 0.0)?;
            count += usize::from(found.is_some_and(|found| found.dist < -DEEP));
        }
    }
    Ok(count)
}

/// Returns how many triangles of the cloth of the second run through solids of the first.
fn cut(world: &World, (outer, inner): (&Piece, &Piece)) -> Result<usize, Error> {
    if !inner.woven || !inner.fixed.is_empty() {
        return Ok(0);
    }
    let triangles = inner.triangles(world)?;
    let mut count = 0;
    for solid in &outer.solids {
        let pose = Piece::pose(world, solid)?;
        for triangle in &triangles {
            count += usize::from(intersection_test(&pose, &*solid.shape, &Pose::IDENTITY, triangle)?);
        }
    }
    Ok(count)
}

/// Returns how many pairs of particles of both are too near. Those of a surface and of tetrahedra are no balls.
fn overlapping(world: &World, thrown: &Piece, target: &Piece) -> Result<usize, Error> {
    let are_balls = |piece: &Piece| !piece.woven && piece.tetrahedra.is_empty();
    if !are_balls(thrown) || !are_balls(target) || (thrown.flows && target.flows) {
        return Ok(0);
    }
    let (thrown, target) = (thrown.particles(world)?, target.particles(world)?);
    let near = |a: &Vec3| target.iter().filter(|b| a.distance_squared(**b) < RADIUS * RADIUS).count();
    Ok(thrown.iter().map(near).sum())
}
