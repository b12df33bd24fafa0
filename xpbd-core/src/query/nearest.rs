//! The search for the nearest leaf.

use super::QueryHit;
use super::index::SpatialIndex;
use super::leaf::FARTHEST;
use super::tree::{BoxDistances, FourBoxes};

/// The part of a distance by which the search goes on beyond what it has found \[1\]: some roundings.
const ROUNDINGS: f32 = 1e-6;

/// The nearest hit so far, with its leaf.
struct Nearest {
    limit: f32,
    best: Option<(u32, QueryHit)>,
}

impl Nearest {
    /// Takes what is nearer, and of what is equally near the first leaf.
    fn offer(&mut self, leaf: u32, hit: Option<QueryHit>) {
        let Some(hit) = hit else { return };
        let is_nearer = match &self.best {
            Some((first, nearest)) => (hit.distance, leaf) < (nearest.distance, *first),
            None => hit.distance <= self.limit,
        };
        if is_nearer && is_sound(&hit) {
            self.limit = hit.distance;
            self.best = Some((leaf, hit));
        }
    }
}

/// Returns whether all numbers of a hit are finite.
fn is_sound(hit: &QueryHit) -> bool {
    hit.point.is_finite() && hit.normal.is_finite() && hit.distance.is_finite()
}

/// Returns the distance up to which hits count, none if there can be no hit.
fn reach(max: f32) -> Option<f32> {
    (max >= 0.0).then_some(max.min(FARTHEST))
}

/// Returns a distance a little larger than this.
fn beyond(distance: f32) -> f32 {
    distance + distance * ROUNDINGS + f32::MIN_POSITIVE
}

impl SpatialIndex {
    /// Returns the nearest hit of all leaves, at most at `max` \[m\]. `bound` gives the least distances of four boxes, and
    /// those that can be hit at no more than a distance; `test` the hit of a leaf at no more than a distance.
    pub(super) fn nearest(
        &self,
        max: f32,
        bound: impl Fn(&FourBoxes, f32) -> BoxDistances,
        test: impl Fn(u32, f32) -> Option<QueryHit>,
    ) -> Option<QueryHit> {
        let mut nearest = Nearest { limit: reach(max)?, best: None };
        for &leaf in &self.unbounded {
            nearest.offer(leaf, test(leaf, nearest.limit));
        }
        self.tree.visit(beyond(nearest.limit), bound, |leaf| {
            nearest.offer(leaf, test(leaf, nearest.limit));
            beyond(nearest.limit)
        });
        nearest.best.map(|(_, hit)| hit)
    }

    /// Returns the hits of all leaves, at most at `max` \[m\], the nearest first, with the parameters of
    /// [`SpatialIndex::nearest`].
    pub(super) fn all_hits(
        &self,
        max: f32,
        bound: impl Fn(&FourBoxes, f32) -> BoxDistances,
        test: impl Fn(u32, f32) -> Option<QueryHit>,
    ) -> Vec<QueryHit> {
        let Some(max) = reach(max) else { return Vec::new() };
        let hits = self.leaves_within(max, bound).into_iter().filter_map(|leaf| test(leaf, max));
        let mut hits: Vec<QueryHit> = hits.filter(|hit| hit.distance <= max && is_sound(hit)).collect();
        hits.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        hits
    }

    /// Returns all leaves whose boxes are at most at `max` \[m\], in order.
    pub(super) fn leaves_within(&self, max: f32, bound: impl Fn(&FourBoxes, f32) -> BoxDistances) -> Vec<u32> {
        let mut leaves = self.unbounded.clone();
        self.tree.visit(max, bound, |leaf| {
            leaves.push(leaf);
            max
        });
        leaves.sort_unstable();
        leaves
    }
}
