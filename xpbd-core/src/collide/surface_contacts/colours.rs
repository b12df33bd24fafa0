//! Groups of pairs that touch, solved one after the other: no two of a group share a particle or body that moves.
//!
//! A pair keeps its group from when it first touches until pairs are found anew: solved in another order in every
//! substep, layers at rest tremble.

use std::ops::Range;

use super::feature_pair::{ActivePair, NO_POINT};

/// Largest number of groups.
const MOST: u8 = 64;
/// Group of a pair that has not touched yet.
const NONE: u8 = u8::MAX;

/// The groups of pairs, whose memory is kept from substep to substep.
#[derive(Debug, Default)]
pub(super) struct PairColours {
    /// Group of each pair, or [`NONE`].
    of: Vec<u8>,
    /// Groups that have each particle and body in this substep, one bit each.
    taken: Vec<u64>,
    /// Group of each pair that touches; [`MOST`] in the remainder.
    now: Vec<u8>,
    late: Vec<u32>,
    /// The particles and bodies that each touching pair moves, and [`NO_POINT`] beside them.
    moved: Vec<[u32; 4]>,
    sorted: Vec<ActivePair>,
}

impl PairColours {
    /// Clears the groups of all pairs.
    pub fn begin(&mut self, pairs: usize, nodes: usize) {
        self.of.clear();
        self.of.resize(pairs, NONE);
        self.taken.resize(nodes, 0);
    }

    /// Adds pairs, so that there are so many.
    pub fn grow(&mut self, pairs: usize) {
        self.of.resize(pairs, NONE);
    }

    /// Sorts the pairs that touch by group, appends the ranges of the groups, and returns the range of the remainder. `moved`
    /// gives the numbers of the particles, and after them of the bodies, that a pair moves, and [`NO_POINT`] beside them.
    pub fn sort(
        &mut self,
        active: &mut Vec<ActivePair>,
        moved: impl Fn(&ActivePair) -> [u32; 4],
        colours: &mut Vec<Range<usize>>,
    ) -> Range<usize> {
        self.moved.clear();
        self.moved.extend(active.iter().map(moved));
        self.colour(active);
        let mut starts = [0; MOST as usize + 2];
        self.now.iter().for_each(|&colour| starts[colour as usize + 1] += 1);
        (0..=MOST as usize).for_each(|k| starts[k + 1] += starts[k]);
        let used = (0..MOST as usize).filter(|&k| starts[k] < starts[k + 1]);
        colours.extend(used.map(|k| starts[k]..starts[k + 1]));
        let remainder = starts[MOST as usize]..active.len();
        self.sorted.clear();
        self.sorted.extend_from_slice(active);
        for (&colour, active_now) in self.now.iter().zip(&*active) {
            self.sorted[starts[colour as usize]] = *active_now;
            starts[colour as usize] += 1;
        }
        std::mem::swap(active, &mut self.sorted);
        remainder
    }

    /// Keeps the groups of pairs that have touched before, and gives the others the first free group.
    fn colour(&mut self, active: &[ActivePair]) {
        let Self { of, taken, now, late, moved, .. } = self;
        let nodes = |place: usize| moved[place].into_iter().filter(|&node| node != NO_POINT).map(|node| node as usize);
        now.clear();
        now.resize(active.len(), MOST);
        late.clear();
        for (place, active) in active.iter().enumerate() {
            let colour = of[active.pair as usize];
            if colour < MOST && nodes(place).all(|node| taken[node] >> colour & 1 == 0) {
                nodes(place).for_each(|node| taken[node] |= 1 << colour);
                now[place] = colour;
            } else {
                late.push(place as u32);
            }
        }
        for &place in &*late {
            let place = place as usize;
            let colour = nodes(place).fold(0, |used, node| used | taken[node]).trailing_ones() as u8;
            if colour < MOST {
                nodes(place).for_each(|node| taken[node] |= 1 << colour);
                now[place] = colour;
            }
            of[active[place].pair as usize] = colour;
        }
        (0..active.len()).flat_map(nodes).for_each(|node| taken[node] = 0);
    }
}
