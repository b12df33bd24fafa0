//! The rims that a ball touches: of the triangles of a sheet around it, the ones that are nearest.
//!
//! A ball above a triangle is also near the edges of its neighbours, which would push it aside, and over a ridge it is near
//! the same edge of two triangles. An edge or corner of one triangle counts only if no other triangle that has it is nearer to
//! the ball.

use super::feature_geometry::FeaturePairKind;
use super::feature_pair::{ActivePair, FeaturePair};

/// Removes contacts of balls with a rim to which another triangle with the same rim is nearer, or as near and earlier.
pub(super) fn keep_nearest(active: &mut Vec<ActivePair>, pairs: &[FeaturePair]) {
    let pair = |active: &ActivePair| &pairs[active.pair as usize];
    let is_ball = |active: &ActivePair| pair(active).kind == FeaturePairKind::ParticleTriangle;
    if !active.iter().any(|active| active.rim && is_ball(active)) {
        return;
    }
    let of_one_ball = |a: &ActivePair, b: &ActivePair| is_ball(a) && is_ball(b) && pair(a).nodes[0] == pair(b).nodes[0];
    let mut kept = Vec::with_capacity(active.len());
    for group in active.chunk_by(of_one_ball) {
        let is_nearest = |place: usize, rim: &ActivePair| {
            let has_rim = |other: &ActivePair| {
                let corners = &pair(other).nodes[1..];
                pair(rim).nodes[1..]
                    .iter()
                    .zip(rim.weights)
                    .all(|(node, weight)| weight == 0.0 || corners.contains(node))
            };
            let precedes = |number: usize, other: &ActivePair| (other.apart, number) < (rim.apart, place);
            !group.iter().enumerate().any(|(number, other)| precedes(number, other) && has_rim(other))
        };
        let counts =
            |&(place, active): &(usize, &ActivePair)| !active.rim || !is_ball(active) || is_nearest(place, active);
        kept.extend(group.iter().enumerate().filter(counts).map(|(_, active)| *active));
    }
    *active = kept;
}
