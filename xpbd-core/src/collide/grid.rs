//! Particle pairs closer than a reach `[m]`, by a uniform grid and a counting sort.
//!
//! A cell is a cube one reach wide, so partners lie in the 27 cells around a particle. The bucket
//! of a cell is `x + a y + b z` in a table of about two buckets per particle: the three cells that
//! are neighbours along x lie in three consecutive buckets, whose particles are consecutive after
//! the counting sort. A neighbourhood of 27 cells is nine runs of memory; the half of it that gives
//! each pair once, its own cell and 13 more, is five.
//!
//! **Invariant**: the pairs and their order depend on the positions alone, never on cells or
//! hashes. Different cells that share a bucket are told apart by their row, so that a bucket
//! reached from two rows gives each pair once; cells of one row that share a bucket are so far
//! apart that the distance decides.

mod table;

use glam::Vec3;
use table::{Row, Step, Table};

/// Finds particle pairs; the buffers are kept from call to call, so a warm grid does not allocate.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    table: Table,
    /// Room for the pairs in the order they are found.
    unsorted: Vec<[u32; 2]>,
    /// Where the pairs of each particle end.
    ends: Vec<u32>,
    /// Room for the partners of one particle: squared distance `[m²]` and index.
    partners: Vec<(f32, u32)>,
}

/// The row of a particle itself.
const OWN: Step = Step::new(0, 0);
/// Half of the other rows around a particle; the other half is found from the other side.
const AHEAD: [Step; 4] = [Step::new(1, 0), Step::new(-1, 1), Step::new(0, 1), Step::new(1, 1)];
/// The other half.
const BEHIND: [Step; 4] = [Step::new(-1, 0), Step::new(1, -1), Step::new(0, -1), Step::new(-1, -1)];

impl Grid {
    /// All pairs `[i, j]`, `i < j`, with `|xᵢ − xⱼ| < reach` `[m]` and `keep(i, j)`, sorted.
    ///
    /// `out` is cleared first. Particles with a position that is not finite have no pairs; neither
    /// has anyone for a reach that is not positive and finite.
    pub fn pairs(&mut self, positions: &[Vec3], reach: f32, keep: impl Fn(u32, u32) -> bool, out: &mut Vec<[u32; 2]>) {
        out.clear();
        if !usable(positions, reach) {
            return;
        }
        self.table.fill(positions, reach);
        let found = self.search(reach, keep);
        self.sort(found, positions.len(), out);
    }

    /// As [`Grid::pairs`], with at most `cap` partners `j > i` for each `i`; returns how many pairs
    /// were dropped.
    ///
    /// The nearest partners stay, of equally near ones those with the lowest index. The memory
    /// needed is bounded by the pairs that stay, not by those that are found; for that each
    /// particle is finished on its own, with its whole neighbourhood.
    pub fn pairs_capped(
        &mut self,
        positions: &[Vec3],
        reach: f32,
        cap: usize,
        keep: impl Fn(u32, u32) -> bool,
        out: &mut Vec<[u32; 2]>,
    ) -> usize {
        out.clear();
        if !usable(positions, reach) {
            return 0;
        }
        self.table.fill(positions, reach);
        let mut dropped = 0;
        for (i, &x) in (0u32..).zip(positions) {
            self.collect(i, x, reach);
            let partners = &mut self.partners;
            partners.retain(|&(_, j)| keep(i, j));
            if partners.len() > cap {
                partners.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                dropped += partners.len() - cap;
                partners.truncate(cap);
            }
            partners.sort_unstable_by_key(|&(_, j)| j);
            out.extend(partners.iter().map(|&(_, j)| [i, j]));
        }
        dropped
    }

    /// Half neighbourhoods, in the order of the table. Written without branches on the distance,
    /// since whether a particle is a partner cannot be predicted. Says how many pairs there are.
    fn search(&mut self, reach: f32, keep: impl Fn(u32, u32) -> bool) -> usize {
        let square = reach * reach;
        let (table, unsorted) = (&self.table, &mut self.unsorted);
        let mut found = 0;
        for (place, own) in table.entries.iter().enumerate() {
            let mut scan = |row: Row, begin: usize, end: usize| {
                let most = found + end.saturating_sub(begin);
                if unsorted.len() < most {
                    unsorted.resize(2 * most, [0; 2]);
                }
                let free = &mut unsorted[found..most];
                let mut taken = 0;
                for other in table.entries.get(begin..end).unwrap_or_default() {
                    let (i, j) = (own.index.min(other.index), own.index.max(other.index));
                    let near = other.position.distance_squared(own.position) < square;
                    free[taken] = [i, j];
                    taken += usize::from(near & other.row.same(row));
                }
                let free = &mut free[..taken];
                found += compact(free, |&[i, j]| keep(i, j));
            };
            let bucket = table.bucket(own.index);
            let [(_, end), (begin, rest)] = table.runs(bucket, OWN, 0, 2);
            scan(own.row, place + 1, end);
            scan(own.row, begin, rest);
            for step in AHEAD {
                for (begin, end) in table.runs(bucket, step, 1, 3) {
                    scan(own.row.step(step), begin, end);
                }
            }
        }
        found
    }

    /// Counting sort of the pairs by their first particle, then each particle's by the second.
    fn sort(&mut self, found: usize, particles: usize, out: &mut Vec<[u32; 2]>) {
        let (ends, unsorted) = (&mut self.ends, &self.unsorted[..found]);
        ends.clear();
        ends.resize(particles, 0);
        for &[i, _] in unsorted {
            ends[i as usize] += 1;
        }
        let mut sum = 0;
        for end in ends.iter_mut() {
            (*end, sum) = (sum, sum + *end);
        }
        out.resize(found, [0; 2]);
        for &pair in unsorted {
            let end = &mut ends[pair[0] as usize];
            out[*end as usize] = pair;
            *end += 1;
        }
        let mut begin = 0;
        for &end in ends.iter() {
            out[begin..end as usize].sort_unstable();
            begin = end as usize;
        }
    }

    /// Partners of higher index of particle `i`, in no particular order.
    fn collect(&mut self, i: u32, x: Vec3, reach: f32) {
        self.partners.clear();
        let bucket = self.table.bucket(i);
        let own = self.table.row(i);
        for step in AHEAD.into_iter().chain([OWN]).chain(BEHIND) {
            let row = own.step(step);
            for (begin, end) in self.table.runs(bucket, step, 1, 3) {
                for other in &self.table.entries[begin..end] {
                    let square = other.position.distance_squared(x);
                    if square < reach * reach && other.index > i && other.row.same(row) {
                        self.partners.push((square, other.index));
                    }
                }
            }
        }
    }
}

fn usable(positions: &[Vec3], reach: f32) -> bool {
    reach > 0.0 && reach.is_finite() && positions.len() > 1
}

/// Moves the pairs to keep to the front; says how many they are.
fn compact(pairs: &mut [[u32; 2]], keep: impl Fn(&[u32; 2]) -> bool) -> usize {
    let mut kept = 0;
    for k in 0..pairs.len() {
        pairs[kept] = pairs[k];
        kept += usize::from(keep(&pairs[k]));
    }
    kept
}

#[cfg(test)]
mod tests;
