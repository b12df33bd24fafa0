//! Particles in the order of the cells of a uniform grid.
//!
//! A cell is a cube at least one reach wide, so everything closer than the reach to a point lies in the
//! 27 cells around it. Keys of cells count along x first: the three neighbours along x are consecutive in
//! the sorted list, and a neighbourhood is nine runs of it. Nothing is hashed and no table grows with the
//! extent, so a particle that flew far away costs nothing.

use std::ops::Range;

use glam::Vec3;

/// Bits of a cell's number along one axis. Cells beyond are one with the last, which costs time alone.
const BITS: u32 = 21;

/// The width of a cell over the reach `[1]`, above 1 so that rounding does not hide a neighbour.
const WIDER: f32 = 1.001;

/// Particles that are worth a thread of their own.
const SHARE: usize = 2048;

/// The particles of a neighbourhood: nine runs of the sorted list.
pub(super) type NeighbourRuns = [Range<usize>; 9];

/// Finite positions, sorted by cell and then by index. Buffers are kept from call to call.
#[derive(Debug, Clone, Default)]
pub(super) struct CellGrid {
    low: Vec3,
    per_metre: f32,
    /// Cell and index.
    sorted: Vec<(u64, u32)>,
    points: Vec<Vec3>,
}

impl CellGrid {
    /// Sorts `positions` `[m]` for searches within `reach` `[m]`, which must be positive; those that are
    /// not finite are left out.
    pub(super) fn sort(&mut self, positions: &[Vec3], reach: f32) {
        let finite = || (0..).zip(positions).filter(|(_, x)| x.is_finite());
        self.low = finite().fold(Vec3::INFINITY, |low, (_, x)| low.min(*x));
        self.per_metre = 1.0 / (WIDER * reach);
        let mut sorted = std::mem::take(&mut self.sorted);
        sorted.clear();
        sorted.extend(finite().map(|(index, x)| (self.key(*x), index)));
        sorted.sort_unstable();
        self.points.clear();
        self.points.extend(sorted.iter().map(|&(_, index)| positions[index as usize]));
        self.sorted = sorted;
    }

    /// Returns the sorted positions `[m]`.
    pub(super) fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Returns the index that the `k`-th sorted particle has among the given positions.
    pub(super) fn index(&self, k: usize) -> usize {
        self.sorted[k].1 as usize
    }

    /// Replaces `values` by those `of` all sorted particles with their neighbourhoods, in order. Threads
    /// share the particles; a value must not depend on others.
    pub(super) fn map<T: Copy + Default + Send>(
        &self,
        values: &mut Vec<T>,
        of: impl Fn(usize, &NeighbourRuns) -> T + Sync,
    ) {
        values.clear();
        values.resize(self.sorted.len(), T::default());
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let share = self.sorted.len().div_ceil(threads).max(SHARE);
        let fill = &|first: usize, values: &mut [T]| {
            let mut last = None;
            let mut rows = NeighbourRuns::default();
            for (k, value) in (first..).zip(values) {
                let key = self.sorted[k].0;
                if last != Some(key) {
                    rows = self.rows(key);
                    last = Some(key);
                }
                *value = of(k, &rows);
            }
        };
        std::thread::scope(|scope| {
            let mut shares = values.chunks_mut(share).enumerate();
            let own = shares.next();
            for (number, values) in shares {
                scope.spawn(move || fill(number * share, values));
            }
            own.into_iter().for_each(|(_, values)| fill(0, values));
        });
    }

    /// Returns the neighbourhood of any finite point `[m]`.
    pub(super) fn around(&self, point: Vec3) -> NeighbourRuns {
        self.rows(self.key(point))
    }

    /// Returns the key of the cell that holds a point. The lowest cell of an axis is 1, so that each has neighbours.
    fn key(&self, point: Vec3) -> u64 {
        const LAST: f32 = ((1 << BITS) - 2) as f32;
        let cell = ((point - self.low) * self.per_metre).floor() + 1.0;
        let [x, y, z] = cell.to_array().map(|number| (number.clamp(1.0, LAST) as u64).max(1));
        x | y << BITS | z << (2 * BITS)
    }

    /// Returns the runs of the cells around the one with this `key`.
    fn rows(&self, key: u64) -> NeighbourRuns {
        std::array::from_fn(|row| {
            let step = (row as u64 % 3) << BITS | (row as u64 / 3) << (2 * BITS);
            let middle = key + step - (1 << BITS | 1 << (2 * BITS));
            let first = self.sorted.partition_point(|&(other, _)| other < middle - 1);
            let count = self.sorted[first..].partition_point(|&(other, _)| other <= middle + 1);
            first..first + count
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns points that look random, some of them far away or not finite.
    fn scattered() -> Vec<Vec3> {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / 16_777_216.0
        };
        let mut points: Vec<Vec3> = (0..3000).map(|_| Vec3::new(next(), next(), next()) * 6.0 - 3.0).collect();
        points.extend([Vec3::NAN, Vec3::splat(1e9), Vec3::splat(-1e9), Vec3::new(0.0, f32::INFINITY, 0.0)]);
        points
    }

    #[test]
    fn neighbourhoods_hold_what_all_pairs_find() {
        let points = scattered();
        let reach = 0.5;
        let mut cells = CellGrid::default();
        cells.sort(&points, reach);
        let close = |a: Vec3, b: Vec3| a.distance(b) < reach;
        let mut checked = Vec::new();
        cells.map(&mut checked, |k, rows| {
            let here = cells.points()[k];
            let mut found: Vec<usize> = rows.iter().cloned().flatten().collect();
            found.retain(|&j| close(here, cells.points()[j]));
            let mut found: Vec<usize> = found.into_iter().map(|j| cells.index(j)).collect();
            found.sort_unstable();
            let expected: Vec<usize> = (0..points.len()).filter(|&j| close(here, points[j])).collect();
            assert_eq!(found, expected);
            true
        });
        assert!(checked.len() == points.len() - 2 && checked.into_iter().all(|checked| checked));
    }
}
