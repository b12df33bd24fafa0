//! Particle pairs closer than a reach `[m]`, by a uniform grid and a counting sort.
//!
//! A cell is a cube one reach wide, so partners lie in the 27 cells around a particle. The bucket
//! of a cell is `x + a y + b z` in a table of about two buckets per particle: the three cells that
//! are neighbours along x lie in three consecutive buckets, whose particles are consecutive after
//! the counting sort. A neighbourhood of 27 cells is nine runs of memory. Every particle searches its
//! whole neighbourhood for partners of higher index: twice the distance tests of half of it, but
//! particles are then independent of each other and leave their pairs in order.
//!
//! **Invariant**: the pairs and their order depend on the positions alone, never on cells or
//! hashes. Different cells that share a bucket are told apart by their row, so that a bucket
//! reached from two rows gives each pair once; cells of one row that share a bucket are so far
//! apart that the distance decides.

#![expect(unsafe_code, reason = "threads fill disjoint chunks of the list of pairs")]

mod table;

use std::ops::Range;

use glam::Vec3;
use table::{CellTable, RowStep};

use crate::parallel::{DisjointSlice, WorkerScope};

/// Number of particles in one task of the search.
const CHUNK: usize = 256;

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
    /// Returns all pairs `[i, j]`, `i < j`, with `|xᵢ − xⱼ| < reach` `[m]` and `keep(i, j)`, sorted, but at
    /// most `cap` partners `j > i` for each `i`; returns how many pairs were dropped.
    ///
    /// The nearest partners are kept, of equally near ones those with the lowest index. `out` is cleared first. Particles
    /// with a position that is not finite have no pairs, and a reach that is not positive and finite gives none.
    pub(crate) fn pairs(
        &mut self,
        positions: &[Vec3],
        reach: f32,
        cap: usize,
        keep: impl Fn(u32, u32) -> bool + Sync,
        workers: &WorkerScope<'_>,
        out: &mut Vec<[u32; 2]>,
    ) -> usize {
        out.clear();
        if !usable(positions, reach) {
            return 0;
        }
        self.table.fill(positions, reach);
        let tasks = positions.len().div_ceil(CHUNK);
        self.chunks.resize_with(self.chunks.len().max(tasks), PairChunk::default);
        let (table, chunks) = (&self.table, DisjointSlice::new(&mut self.chunks));
        workers.run(tasks, |_, range| {
            for task in range {
                // SAFETY: every task has its own chunk.
                let chunk = unsafe { &mut chunks.slice(task..task + 1)[0] };
                let particles = task * CHUNK..positions.len().min((task + 1) * CHUNK);
                chunk.search(table, positions, particles, reach, cap, &keep);
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
        positions: &[Vec3],
        particles: Range<usize>,
        reach: f32,
        cap: usize,
        keep: &impl Fn(u32, u32) -> bool,
    ) {
        self.pairs.clear();
        self.dropped = 0;
        for i in particles {
            let (x, i) = (positions[i], i as u32);
            self.collect(table, i, x, reach);
            let partners = &mut self.partners;
            partners.retain(|&(_, j)| keep(i, j));
            if partners.len() > cap {
                partners.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                self.dropped += partners.len() - cap;
                partners.truncate(cap);
            }
            partners.sort_unstable_by_key(|&(_, j)| j);
            self.pairs.extend(partners.iter().map(|&(_, j)| [i, j]));
        }
    }

    /// Collects the partners of particle `i` that have a higher index, in no particular order.
    fn collect(&mut self, table: &CellTable, i: u32, x: Vec3, reach: f32) {
        self.partners.clear();
        let (bucket, own) = (table.bucket(i), table.row(i));
        for step in ROWS {
            let row = own.step(step);
            for (begin, end) in table.runs(bucket, step, 1, 3) {
                for other in &table.entries[begin..end] {
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

#[cfg(test)]
mod tests;
