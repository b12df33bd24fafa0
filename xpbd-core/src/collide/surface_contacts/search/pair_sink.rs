//! The lists that take the triangles which the search finds near each other, and the pairs of their features.

use super::LeafSearch;
use crate::collide::surface_contacts::feature_pair::{CLOSE, FeaturePair};
use crate::collide::surface_contacts::kept_pairs::KeptPair;
use crate::collide::surface_contacts::motion::Wake;
use crate::collide::surface_contacts::tangles::Crossing;

/// Pairs that may touch, and when each has to be looked at.
#[derive(Debug, Default)]
pub(super) struct PairList {
    pub pairs: Vec<FeaturePair>,
    pub wakes: Vec<Wake>,
    /// Number of pairs that were left out because too many met at one place.
    pub dropped: usize,
}

/// A consumer of triangles whose boxes meet, and of the pairs of their features.
pub(super) trait PairSink: Sized {
    /// Takes two triangles, by their numbers.
    fn meet(&mut self, search: &LeafSearch<'_>, a: usize, b: usize) {
        search.triangles(a, b, self);
    }

    /// Takes a pair; `same` is true within one surface.
    fn take(&mut self, search: &LeafSearch<'_>, pair: FeaturePair, same: bool);

    /// Drops all pairs beyond this number.
    fn truncate(&mut self, most: usize);

    /// Returns the number of pairs.
    fn len(&self) -> usize;
}

impl PairSink for PairList {
    fn take(&mut self, search: &LeafSearch<'_>, pair: FeaturePair, same: bool) {
        search.consider(pair, same, self);
    }

    fn truncate(&mut self, most: usize) {
        self.dropped += self.pairs.len().saturating_sub(most);
        self.pairs.truncate(most);
        self.wakes.truncate(most);
    }

    fn len(&self) -> usize {
        self.pairs.len()
    }
}

/// Pairs to be kept, and the gap up to which they are \[m\].
pub(super) struct KeptList<'a> {
    pub pairs: &'a mut Vec<KeptPair>,
    pub reach: f32,
    /// True if there were more than are kept.
    pub is_full: bool,
}

impl PairSink for KeptList<'_> {
    fn take(&mut self, search: &LeafSearch<'_>, pair: FeaturePair, same: bool) {
        let corners = search.points().corners(pair.nodes);
        let gap = pair.kind.nearest(corners).apart.length() - pair.distance * CLOSE;
        if gap <= self.reach {
            self.pairs.push(KeptPair { pair, same, gap });
        }
    }

    fn truncate(&mut self, most: usize) {
        self.is_full |= self.pairs.len() > most;
        self.pairs.truncate(most);
    }

    fn len(&self) -> usize {
        self.pairs.len()
    }
}

/// The crossings of the triangles whose boxes meet.
#[derive(Default)]
pub(super) struct CrossingList(pub Vec<Crossing>);

impl PairSink for CrossingList {
    fn meet(&mut self, search: &LeafSearch<'_>, a: usize, b: usize) {
        let [first, second] = [a, b].map(|k| &search.features.triangles[k]);
        if search.may_touch(first, second).is_some() {
            for (one, other) in [(first, second), (second, first)] {
                for edge in (0..3).filter(|&k| one.edges[k]).map(|k| one.edge(k)) {
                    self.0.extend(Crossing::of(search.context.particles, edge, other.corners));
                }
            }
        }
    }

    fn take(&mut self, _: &LeafSearch<'_>, _: FeaturePair, _: bool) {}

    fn truncate(&mut self, _: usize) {}

    fn len(&self) -> usize {
        self.0.len()
    }
}
