//! Seams between colliders that nothing can hit.
//!
//! A body that rolls or slides over floor tiles meets the edge of the next tile, a wall as thin as paper, as it meets the
//! [edges of a mesh](super::internal_edges). But a convex shape that lies on the face of one collider is above the plane of this
//! face, and does not touch what does not rise above it. Tiles may be on bodies that nothing pushes.

use glam::{Quat, Vec3, Vec4Swizzles};

use super::broad_phase::BroadPhaseCollider;
use super::internal_edges::{hidden, is_edge_beside};
use super::kept_manifolds::{FoundManifold, FoundPairs, SLOP};
use super::manifold_set::{ManifoldCandidate, ManifoldSet};
use crate::bodies::Bodies;

/// Height above a face up to which an edge is no obstacle, as a part of the least half extent of what meets there \[1\]: cards
/// lean on each other by edges that are higher than a part of the contact margin.
const SLOP_OF_THIN: f32 = 0.1;

/// A manifold as one of its colliders meets the other one, which is its ground.
#[derive(Clone, Copy)]
struct OnGround<'a> {
    found: &'a ManifoldCandidate,
    /// The side of the ground.
    ground: usize,
    /// Number of the task that found it, and its number in there.
    place: [usize; 2],
}

/// Removes the manifolds of convex shapes whose points on the ground do not rise above the face of another ground that the
/// shape lies on, or by less than a part of the contact margin \[m\]. Those that go on are in slots of these `sets`, of pairs
/// and of what is on no body.
pub(super) fn remove_seams(
    tasks: &mut [FoundPairs],
    sets: [&ManifoldSet; 2],
    placed: &[BroadPhaseCollider<'_>],
    bodies: &Bodies,
    margin: f32,
) {
    let mut all = on_ground(tasks, sets, placed);
    all.sort_by_key(OnGround::collider);
    let of_group = |group: &[OnGround<'_>]| {
        let is_hidden = hidden(group, |face, other| face.hides(other, placed, bodies, margin));
        let places = group.iter().zip(is_hidden).filter(|(_, is_hidden)| *is_hidden).map(|(one, _)| one.place);
        places.collect::<Vec<_>>()
    };
    let groups = all.chunk_by(|a, b| a.collider() == b.collider());
    let mut places: Vec<[usize; 2]> = groups.filter(|group| group.len() > 1).flat_map(of_group).collect();
    places.sort_unstable();
    for of_task in places.chunk_by(|a, b| a[0] == b[0]) {
        let mut numbers = 0..;
        let is_left = |number: usize| of_task.binary_search_by_key(&number, |place| place[1]).is_err();
        tasks[of_task[0][0]].manifolds.retain(|_| numbers.next().is_none_or(is_left));
    }
}

/// Returns the manifolds of convex shapes that can be pushed, each with its ground.
fn on_ground<'a>(
    tasks: &'a [FoundPairs],
    sets: [&'a ManifoldSet; 2],
    placed: &[BroadPhaseCollider<'_>],
) -> Vec<OnGround<'a>> {
    let is_convex = |collider: u32| {
        let placed = &placed[collider as usize];
        placed.is_movable && placed.collider.shape.as_support_map().is_some()
    };
    let mut all = Vec::new();
    for (task, of_task) in tasks.iter().enumerate() {
        for (number, found) in of_task.manifolds.iter().enumerate() {
            let found = match *found {
                FoundManifold::Fresh(k) => &of_task.candidates[k as usize],
                FoundManifold::Continued(place) => &sets[usize::from(place.is_ground)].candidates[place.slot as usize],
            };
            let grounds = [0, 1].into_iter().filter(|&ground| is_convex(found.colliders[1 - ground]));
            all.extend(grounds.map(|ground| OnGround { found, ground, place: [task, number] }));
        }
    }
    all
}

impl OnGround<'_> {
    /// Returns the collider that is not the ground.
    fn collider(&self) -> u32 {
        self.found.colliders[1 - self.ground]
    }

    fn ground_collider(&self) -> u32 {
        self.found.colliders[self.ground]
    }

    /// Returns the outward normal of the ground.
    fn normal(&self) -> Vec3 {
        if self.ground == 1 { self.found.normal } else { -self.found.normal }
    }

    /// Returns whether what meets the ground lies on a face of it.
    fn is_on_face(&self) -> bool {
        self.found.on_face[self.ground]
    }

    /// Returns where the points of the ground are measured from, in two parts \[m\].
    fn center(&self, bodies: &Bodies) -> [Vec3; 2] {
        let side = &self.found.sides[self.ground];
        side.body.map_or([side.center, Vec3::ZERO], |k| {
            [bodies.anchor[k as usize], bodies.offset[k as usize]].map(|v| v.xyz())
        })
    }

    /// Returns a point of the ground from there \[m\].
    fn point(&self, k: usize, bodies: &Bodies) -> Vec3 {
        let side = &self.found.sides[self.ground];
        let rotation = side.body.map_or(Quat::IDENTITY, |k| bodies.rotation[k as usize]);
        rotation * side.cores[k] + self.normal() * side.round[k]
    }

    /// Returns whether it is on a face above whose plane no point of another ground rises.
    fn hides(&self, other: &Self, placed: &[BroadPhaseCollider<'_>], bodies: &Bodies, margin: f32) -> bool {
        let normal = self.normal();
        let [collider, own, ground] =
            [self.collider(), self.ground_collider(), other.ground_collider()].map(|k| &placed[k as usize]);
        // What can be pushed tilts and sinks: an edge of it that bears a part of a load goes on bearing it.
        if ground.is_movable {
            return false;
        }
        if !self.is_on_face()
            || std::ptr::eq(own, ground)
            || !is_edge_beside(normal, (other.normal(), other.is_on_face()))
        {
            return false;
        }
        let [from, center] = [self.center(bodies), other.center(bodies)];
        let surface = self.point(0, bodies);
        let apart = (center[0] - from[0]) + (center[1] - from[1]) - surface;
        let slop = (SLOP * margin).min(SLOP_OF_THIN * collider.thickness().min(ground.thickness()));
        // A coin meets a wall no higher than a seam, but this rises farther off.
        let rises = || ground.height(normal, from).is_some_and(|height| height - normal.dot(surface) > slop);
        (0..other.found.count).all(|k| normal.dot(apart + other.point(k, bodies)) <= slop)
            && !(other.is_on_face() && rises())
    }
}
