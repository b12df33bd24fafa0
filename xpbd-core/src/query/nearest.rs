//! The search for the nearest leaf.

use std::cell::{Cell, RefCell};

use parry3d::partitioning::BvhNode;

use super::QueryHit;
use super::index::SpatialIndex;
use super::leaf::FARTHEST;

/// The part of a distance by which the search goes on beyond what it has found \[1\]: some roundings.
const ROUNDINGS: f32 = 1e-6;

/// The nearest hit so far.
struct Nearest {
    limit: Cell<f32>,
    best: RefCell<Option<(u32, QueryHit)>>,
}

impl Nearest {
    /// Takes what is nearer, and of what is equally near the first leaf. Returns the distance beyond which nothing more
    /// needs to be looked at, if it has taken it.
    fn offer(&self, leaf: u32, hit: QueryHit) -> Option<f32> {
        let mut best = self.best.borrow_mut();
        let is_nearer = match &*best {
            Some((first, nearest)) => (hit.distance, leaf) < (nearest.distance, *first),
            None => hit.distance <= self.limit.get(),
        };
        if !(is_nearer && is_sound(&hit)) {
            return None;
        }
        self.limit.set(hit.distance);
        *best = Some((leaf, hit));
        Some(beyond(hit.distance))
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
    /// Returns the nearest hit of all leaves, at most at `max` \[m\]. `bound` gives the least distance of a box, or
    /// `f32::MAX` for one that cannot be hit; `test` the hit of a leaf at no more than a distance.
    pub(super) fn nearest(
        &self,
        max: f32,
        bound: impl Fn(&BvhNode) -> f32,
        test: impl Fn(u32, f32) -> Option<QueryHit>,
    ) -> Option<QueryHit> {
        let nearest = Nearest { limit: Cell::new(reach(max)?), best: RefCell::new(None) };
        let offer = |leaf: u32| nearest.offer(leaf, test(leaf, nearest.limit.get())?);
        for &leaf in &self.unbounded {
            offer(leaf);
        }
        let limit = beyond(nearest.limit.get());
        self.tree.find_best(limit, |node, _| bound(node), |leaf, _| offer(self.in_tree[leaf as usize]));
        nearest.best.into_inner().map(|(_, hit)| hit)
    }

    /// Returns the hits of all leaves, at most at `max` \[m\], the nearest first, with the parameters of
    /// [`SpatialIndex::nearest`].
    pub(super) fn all_hits(
        &self,
        max: f32,
        bound: impl Fn(&BvhNode) -> f32,
        test: impl Fn(u32, f32) -> Option<QueryHit>,
    ) -> Vec<QueryHit> {
        let Some(max) = reach(max) else { return Vec::new() };
        let hits = self.leaves_where(|node| bound(node) <= max).into_iter().filter_map(|leaf| test(leaf, max));
        let mut hits: Vec<QueryHit> = hits.filter(|hit| hit.distance <= max && is_sound(hit)).collect();
        hits.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        hits
    }

    /// Returns all leaves whose boxes are not excluded, in order.
    pub(super) fn leaves_where(&self, meets: impl Fn(&BvhNode) -> bool) -> Vec<u32> {
        let found = self.tree.leaves(meets).map(|leaf| self.in_tree[leaf as usize]);
        let mut leaves: Vec<u32> = found.chain(self.unbounded.iter().copied()).collect();
        leaves.sort_unstable();
        leaves
    }
}
