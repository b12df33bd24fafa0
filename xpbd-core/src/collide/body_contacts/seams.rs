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

/// Height above a face up to which an edge is no obstacle, as a part of the least half extent of what meets there \[1\]: a
/// coin is thinner than a part of the contact margin.
const SLOP_OF_THIN: f32 = 0.1;

/// A manifold of a convex shape that can be pushed on its ground, a collider that nothing pushes.
#[derive(Clone, Copy)]
struct OnGround<'a> {
    found: &'a ManifoldCandidate,
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
    all.sort_by_key(|one| one.found.colliders[0]);
    let of_group = |group: &[OnGround<'_>]| {
        let is_hidden = hidden(group, |face, other| face.hides(other, placed, bodies, margin));
        let places = group.iter().zip(is_hidden).filter(|(_, is_hidden)| *is_hidden).map(|(one, _)| one.place);
        places.collect::<Vec<_>>()
    };
    let groups = all.chunk_by(|a, b| a.found.colliders[0] == b.found.colliders[0]);
    let mut places: Vec<[usize; 2]> = groups.filter(|group| group.len() > 1).flat_map(of_group).collect();
    places.sort_unstable();
    for of_task in places.chunk_by(|a, b| a[0] == b[0]) {
        let mut numbers = 0..;
        let is_left = |number: usize| of_task.binary_search_by_key(&number, |place| place[1]).is_err();
        tasks[of_task[0][0]].manifolds.retain(|_| numbers.next().is_none_or(is_left));
    }
}

/// Returns the manifolds of convex shapes on what nothing pushes. What can be pushed tilts and sinks: an edge of it that bears a
/// part of a load goes on bearing it.
fn on_ground<'a>(
    tasks: &'a [FoundPairs],
    sets: [&'a ManifoldSet; 2],
    placed: &[BroadPhaseCollider<'_>],
) -> Vec<OnGround<'a>> {
    let mut all = Vec::new();
    for (task, of_task) in tasks.iter().enumerate() {
        for (number, found) in of_task.manifolds.iter().enumerate() {
            let found = match *found {
                FoundManifold::Fresh(k) => &of_task.candidates[k as usize],
                FoundManifold::Continued(place) => &sets[usize::from(place.is_ground)].candidates[place.slot as usize],
            };
            let [collider, ground] = found.colliders.map(|k| &placed[k as usize]);
            if collider.is_convex() && !ground.is_movable {
                all.push(OnGround { found, place: [task, number] });
            }
        }
    }
    all
}

impl OnGround<'_> {
    /// Returns where the points of the ground are measured from, in two parts \[m\].
    fn center(&self, bodies: &Bodies) -> [Vec3; 2] {
        let side = &self.found.sides[1];
        side.body.map_or([side.center, Vec3::ZERO], |k| {
            [bodies.anchor[k as usize], bodies.offset[k as usize]].map(|v| v.xyz())
        })
    }

    /// Returns a point of the ground from there \[m\].
    fn point(&self, k: usize, bodies: &Bodies) -> Vec3 {
        let side = &self.found.sides[1];
        let rotation = side.body.map_or(Quat::IDENTITY, |k| bodies.rotation[k as usize]);
        rotation * side.cores[k] + self.found.normal * side.round[k]
    }

    /// Returns whether it is on a face above whose plane no point of another ground rises.
    fn hides(&self, other: &Self, placed: &[BroadPhaseCollider<'_>], bodies: &Bodies, margin: f32) -> bool {
        let ([collider, own], [_, ground]) = (self.found.colliders, other.found.colliders);
        let (normal, is_on_face) = (self.found.normal, other.found.on_face[1]);
        if !self.found.on_face[1] || own == ground || !is_edge_beside(normal, (other.found.normal, is_on_face)) {
            return false;
        }
        let [from, center] = [self.center(bodies), other.center(bodies)];
        let surface = self.point(0, bodies);
        let apart = (center[0] - from[0]) + (center[1] - from[1]) - surface;
        let [collider, ground] = [collider, ground].map(|k| &placed[k as usize]);
        let thickness = if ground.is_convex() { ground.thickness() } else { f32::INFINITY };
        let slop = (SLOP * margin).min(SLOP_OF_THIN * collider.thickness().min(thickness));
        // A coin meets a wall no higher than a seam, but this rises farther off.
        let rises = || ground.height(normal, from).is_some_and(|height| height - normal.dot(surface) > slop);
        (0..other.found.count).all(|k| normal.dot(apart + other.point(k, bodies)) <= slop) && !(is_on_face && rises())
    }
}
