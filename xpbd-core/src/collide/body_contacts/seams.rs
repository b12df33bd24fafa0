//! Seams between colliders that nothing can hit.
//!
//! A body that rolls or slides over floor tiles meets the edge of the next tile, a wall as thin as paper, as it meets the
//! [edges of a mesh](super::internal_edges). But a convex shape that lies on the face of one collider is above the plane of this
//! face, and does not touch what does not rise above it.

use super::broad_phase::BroadPhaseCollider;
use super::internal_edges::{hidden, is_edge_beside};
use super::kept_manifolds::{FoundManifold, FoundPairs};
use super::manifold_set::{ManifoldCandidate, ManifoldSet};

/// A manifold on a collider that is on no body.
#[derive(Clone, Copy)]
struct OnGround<'a> {
    found: &'a ManifoldCandidate,
    /// Number of the task that found it, and its number in there.
    place: [usize; 2],
}

/// Removes the manifolds of convex shapes on colliders that are on no body whose points do not rise more than `slop` \[m\] above
/// the face of another one that the shape lies on.
pub(super) fn remove_seams(
    tasks: &mut [FoundPairs],
    ground: &ManifoldSet,
    placed: &[BroadPhaseCollider<'_>],
    slop: f32,
) {
    let mut all = on_ground(tasks, ground);
    all.sort_by_key(|one| one.found.colliders[0]);
    let is_convex =
        |one: &OnGround<'_>| placed[one.found.colliders[0] as usize].collider.shape.as_support_map().is_some();
    let groups = all.chunk_by(|a, b| a.found.colliders[0] == b.found.colliders[0]);
    let of_group = |group: &[OnGround<'_>]| {
        let is_hidden = hidden(group, |face, other| hides(face.found, other.found, slop));
        let places = group.iter().zip(is_hidden).filter(|(_, is_hidden)| *is_hidden).map(|(one, _)| one.place);
        places.collect::<Vec<_>>()
    };
    let mut places: Vec<[usize; 2]> =
        groups.filter(|group| group.len() > 1 && is_convex(&group[0])).flat_map(of_group).collect();
    places.sort_unstable();
    for of_task in places.chunk_by(|a, b| a[0] == b[0]) {
        let mut numbers = 0..;
        let is_left = |number: usize| of_task.binary_search_by_key(&number, |place| place[1]).is_err();
        tasks[of_task[0][0]].manifolds.retain(|_| numbers.next().is_none_or(is_left));
    }
}

/// Returns the manifolds on colliders that are on no body.
fn on_ground<'a>(tasks: &'a [FoundPairs], ground: &'a ManifoldSet) -> Vec<OnGround<'a>> {
    let mut all = Vec::new();
    for (task, of_task) in tasks.iter().enumerate() {
        for (number, found) in of_task.manifolds.iter().enumerate() {
            let found = match *found {
                FoundManifold::Fresh(k) => Some(&of_task.candidates[k as usize]),
                FoundManifold::Continued(place) if place.is_ground => Some(&ground.candidates[place.slot as usize]),
                FoundManifold::Continued(_) => None,
            };
            let found = found.filter(|found| found.sides[1].body.is_none());
            all.extend(found.map(|found| OnGround { found, place: [task, number] }));
        }
    }
    all
}

/// Returns whether a manifold is on a face above whose plane no point of another one rises more than `slop` \[m\].
fn hides(face: &ManifoldCandidate, other: &ManifoldCandidate, slop: f32) -> bool {
    let (side, of_face) = (&other.sides[1], &face.sides[1]);
    let surface = of_face.cores[0] + face.normal * of_face.round[0];
    let above = |k: usize| {
        let point = side.cores[k] + other.normal * side.round[k];
        face.normal.dot((side.center - of_face.center) + (point - surface))
    };
    face.on_face[1]
        && face.colliders[1] != other.colliders[1]
        && is_edge_beside(face.normal, (other.normal, other.on_face[1]))
        && (0..other.count).all(|k| above(k) <= slop)
}
