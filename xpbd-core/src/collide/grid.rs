//! Pairs of particles that may come closer than a reach `[m]` on their ways, by a uniform grid and a counting sort.
//!
//! A cell is a cube as wide as partners may be apart, so they lie in the 27 cells around a particle. The bucket
//! of a cell is `x + a y + b z` in a table of about two buckets per particle: the three cells that
//! are neighbours along x lie in three consecutive buckets, whose particles are consecutive after
//! the counting sort. A neighbourhood of 27 cells is nine runs of memory. Every particle searches its
//! whole neighbourhood for partners of higher index: twice the distance tests of half of it, but
//! particles are then independent of each other and leave their pairs in order. Where particles are fast, cells are wide and
//! full; but particles next to each other often go the same way, so that few are left by a test of four at a time.
//!
//! **Invariant**: the pairs and their order depend on positions and displacements alone, never on cells or
//! hashes. Different cells that share a bucket are told apart by their row, so that a bucket
//! reached from two rows gives each pair once; cells of one row that share a bucket are so far
//! apart that the distance decides.

#![expect(unsafe_code, reason = "threads fill disjoint chunks of the list of pairs")]

mod table;

use std::ops::Range;

use glam::{Vec3, Vec4};
use table::{CellTable, LANES, RowStep};

use crate::parallel::{DisjointSlice, WorkerScope};

/// Number of particles in one task of the search.
const CHUNK: usize = 256;

/// The particles whose pairs are looked for, and how near these come.
#[derive(Clone, Copy)]
pub struct PairQuery<'a> {
    /// Position of each particle \[m\].
    pub positions: &'a [Vec3],
    /// Expected displacement of each particle \[m\].
    pub displacements: &'a [Vec3],
    /// Distance that partners come nearer than \[m\].
    pub reach: f32,
    /// Largest difference of two displacements that is counted \[m\].
    pub max_approach: f32,
}

impl PairQuery<'_> {
    /// Returns the largest distance of partners \[m\], if it is positive and finite.
    fn cell_width(&self) -> Option<f32> {
        let displacements = self.displacements;
        let mean = displacements.iter().sum::<Vec3>() / displacements.len().max(1) as f32;
        let longest = displacements.iter().map(|way| (way - mean).length()).fold(0.0, f32::max);
        let approach = if mean.is_finite() { 2.0 * longest * (1.0 + 1e-5) } else { f32::INFINITY };
        let width = self.reach + approach.min(self.max_approach);
        (self.reach > 0.0 && width.is_finite() && self.positions.len() > 1).then_some(width)
    }
}

/// A search for particle pairs, which keeps its buffers from call to call.
#[derive(Clone, Debug, Default)]
pub struct ParticleGrid {
    table: CellTable,
    chunks: Vec<PairChunk>,
}

/// The pairs found for the particles of one task.
#[derive(Clone, Debug, Default)]
struct PairChunk {
    pairs: Vec<[u32; 2]>,
    dropped: usize,
    /// Buffer for the particles near one.
    near: Vec<u32>,
    /// Buffer for the partners of one particle: squared distance `[m²]` and index.
    partners: Vec<(f32, u32)>,
}

/// The rows around a particle, its own among them.
const ROWS: [RowStep; 9] = [
    RowStep::new(-1, -1),
    RowStep::new(0, -1),
    RowStep::new(1, -1),
    RowStep::new(-1, 0),
    RowStep::new(0, 0),
    RowStep::new(1, 0),
    RowStep::new(-1, 1),
    RowStep::new(0, 1),
    RowStep::new(1, 1),
];

impl ParticleGrid {
    /// Returns all pairs `[i, j]`, `i < j`, whose distance is less than the reach and the difference of their displacements
    /// together, and with `keep(i, j)`, sorted, but at most `cap` partners `j > i` for each `i`; returns how many pairs were
    /// dropped.
    ///
    /// The nearest partners are kept, of equally near ones those with the lowest index. `out` is cleared first. Particles
    /// with a position that is not finite have no pairs, and a reach that is not positive and finite gives none.
    pub(crate) fn pairs(
        &mut self,
        query: PairQuery<'_>,
        cap: usize,
        keep: impl Fn(u32, u32) -> bool + Sync,
        workers: &WorkerScope<'_>,
        out: &mut Vec<[u32; 2]>,
    ) -> usize {
        out.clear();
        let Some(width) = query.cell_width() else { return 0 };
        self.table.fill(query.positions, query.displacements, width);
        let count = query.positions.len();
        let tasks = count.div_ceil(CHUNK);
        self.chunks.resize_with(self.chunks.len().max(tasks), PairChunk::default);
        let (table, chunks) = (&self.table, DisjointSlice::new(&mut self.chunks));
        workers.run(tasks, |_, range| {
            for task in range {
                // SAFETY: every task has its own chunk.
                let chunk = unsafe { &mut chunks.slice(task..task + 1)[0] };
                let particles = task * CHUNK..count.min((task + 1) * CHUNK);
                chunk.search(table, query, particles, cap, &keep);
            }
        });
        out.extend(self.chunks[..tasks].iter().flat_map(|chunk| &chunk.pairs));
        self.chunks[..tasks].iter().map(|chunk| chunk.dropped).sum()
    }
}

impl PairChunk {
    fn search(
        &mut self,
        table: &CellTable,
        query: PairQuery<'_>,
        particles: Range<usize>,
        cap: usize,
        keep: &impl Fn(u32, u32) -> bool,
    ) {
        self.pairs.clear();
        self.dropped = 0;
        for i in particles.map(|i| i as u32) {
            let Self { near, partners, .. } = self;
            list_near(table, query, i, near);
            let x = query.positions[i as usize];
            let partner = |&j: &u32| (query.positions[j as usize].distance_squared(x), j);
            partners.clear();
            partners.extend(near.iter().filter(|&&j| keep(i, j)).map(partner));
            if partners.len() > cap {
                partners.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                self.dropped += partners.len() - cap;
                partners.truncate(cap);
            }
            partners.sort_unstable_by_key(|&(_, j)| j);
            self.pairs.extend(partners.iter().map(|&(_, j)| [i, j]));
        }
    }
}

/// Lists the particles of higher index that are near particle `i`, in no particular order.
fn list_near(table: &CellTable, query: PairQuery<'_>, i: u32, near: &mut Vec<u32>) {
    let PairQuery { positions, displacements, reach, max_approach } = query;
    let [x, way] = [positions, displacements].map(|of| of[i as usize].to_array().map(Vec4::splat));
    let square = |from: [Vec4; 3], to: [Vec4; 3]| {
        let [x, y, z] = [0, 1, 2].map(|k| to[k] - from[k]);
        x * x + y * y + z * z
    };
    near.clear();
    let (bucket, own) = (table.bucket(i), table.row(i));
    for step in ROWS {
        let row = own.step(step);
        for (begin, end) in table.runs(bucket, step, 1, 3) {
            for first in (begin..end).step_by(LANES) {
                let [place, displacement] = table.lanes(first);
                let limit = square(way, displacement).sqrt().min(Vec4::splat(max_approach)) + reach;
                let mut mask = square(x, place).cmplt(limit * limit).bitmask();
                while mask != 0 {
                    let k = first + mask.trailing_zeros() as usize;
                    if k < end && table.entries[k].index > i && table.entries[k].row.same(row) {
                        near.push(table.entries[k].index);
                    }
                    mask &= mask - 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
