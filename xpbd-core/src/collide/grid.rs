//! Particle pairs closer than a reach [m], by a uniform grid and a counting sort.
//!
//! A cell is a cube one reach wide, so partners lie in the 27 cells around a particle. The bucket
//! of a cell is `x + a y + b z` in a table of about two buckets per particle: the three cells that
//! are neighbours along x lie in three consecutive buckets, whose particles are consecutive after
//! the counting sort. A particle therefore scans nine runs of memory instead of 27 cells.
//!
//! Every particle looks all around itself and takes the partners of higher index. The pairs of a
//! particle are then complete when it is left, they leave the search in order, and neither a sort
//! over all pairs nor a buffer for them is needed; the half neighbourhood would halve the distance
//! tests and pay for both.
//!
//! **Invariant**: the pairs and their order depend on the positions alone, never on cells or
//! hashes. Different cells that share a bucket are told apart by their row, so that a bucket
//! reached from two rows gives each pair once.

use glam::{IVec3, Vec3};

/// Finds particle pairs; the buffers are kept from call to call, so a warm grid does not allocate.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    /// First entry of each bucket; two more than there are buckets, the last one is the total.
    first: Vec<u32>,
    cells: Vec<IVec3>,
    /// Particles in the order of their buckets.
    entries: Vec<Entry>,
    /// Partners of the particle at hand: squared distance [m²] and index.
    partners: Vec<(f32, u32)>,
    /// How many of them are found so far.
    found: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    position: Vec3,
    index: u32,
    y: i32,
    z: i32,
}

impl Grid {
    /// All pairs `[i, j]`, `i < j`, with `|xᵢ − xⱼ| < reach` [m] and `keep(i, j)`, sorted.
    ///
    /// `out` is cleared first. Particles with a position that is not finite have no pairs; neither
    /// has anyone for a reach that is not positive and finite.
    pub fn pairs(
        &mut self,
        positions: &[Vec3],
        reach: f32,
        keep: impl Fn(u32, u32) -> bool,
        out: &mut Vec<[u32; 2]>,
    ) {
        self.pairs_capped(positions, reach, usize::MAX, keep, out);
    }

    /// As [`Grid::pairs`], with at most `cap` partners `j > i` for each `i`; returns how many pairs
    /// were dropped.
    ///
    /// The nearest partners stay, of equally near ones those with the lowest index.
    pub fn pairs_capped(
        &mut self,
        positions: &[Vec3],
        reach: f32,
        cap: usize,
        keep: impl Fn(u32, u32) -> bool,
        out: &mut Vec<[u32; 2]>,
    ) -> usize {
        out.clear();
        if !(reach > 0.0 && reach.is_finite()) || positions.len() < 2 {
            return 0;
        }
        self.sort(positions, reach);
        let mut dropped = 0;
        for (i, &x) in (0u32..).zip(positions) {
            self.collect(i, x, reach, &keep);
            let excess = self.partners.len().saturating_sub(cap);
            if excess > 0 {
                self.partners
                    .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                self.partners.truncate(cap);
                dropped += excess;
            }
            self.partners.sort_unstable_by_key(|&(_, j)| j);
            out.extend(self.partners.iter().map(|&(_, j)| [i, j]));
        }
        dropped
    }

    /// Counting sort of the particles by bucket.
    fn sort(&mut self, positions: &[Vec3], reach: f32) {
        let buckets = (2 * positions.len()).next_power_of_two().max(4);
        let mask = buckets as u32 - 1;
        let scale = 1.0 / (f64::from(reach) * (1.0 + 1e-6));
        self.cells.clear();
        self.cells.extend(positions.iter().map(|&x| cell(x, scale)));
        self.first.clear();
        self.first.resize(buckets + 1, 0);
        for &c in &self.cells {
            self.first[bucket(c, mask) as usize + 1] += 1;
        }
        for b in 0..buckets {
            self.first[b + 1] += self.first[b];
        }
        self.entries.resize(positions.len(), Entry::default());
        for i in (0..positions.len()).rev() {
            let c = self.cells[i];
            let slot = &mut self.first[bucket(c, mask) as usize + 1];
            *slot -= 1;
            self.entries[*slot as usize] = Entry {
                position: positions[i],
                index: i as u32,
                y: c.y,
                z: c.z,
            };
        }
        self.first.push(positions.len() as u32);
    }

    /// Partners of higher index of particle `i`, in no particular order.
    fn collect(&mut self, i: u32, x: Vec3, reach: f32, keep: &impl Fn(u32, u32) -> bool) {
        self.found = 0;
        let mask = self.first.len() as u32 - 3;
        let c = self.cells[i as usize];
        let corner = bucket(c, mask).wrapping_sub(1);
        for (dy, dz) in ROWS {
            let left = corner.wrapping_add(offset(dy, dz)) & mask;
            let row = Row {
                i,
                x,
                square: reach * reach,
                y: c.y + dy,
                z: c.z + dz,
            };
            let end = left + 3;
            if end <= mask + 1 {
                self.scan(&row, left, end);
            } else {
                self.scan(&row, left, mask + 1);
                self.scan(&row, 0, end - (mask + 1));
            }
        }
        self.partners.truncate(self.found);
        self.partners.retain(|&(_, j)| keep(i, j));
    }

    /// Takes the partners from the buckets `left..end`; written without branches, since whether a
    /// particle is a partner cannot be predicted.
    #[inline]
    fn scan(&mut self, row: &Row, left: u32, end: u32) {
        let begin = self.first[left as usize + 1] as usize;
        let end = self.first[end as usize + 1] as usize;
        let run = &self.entries[begin..end];
        let most = self.found + run.len();
        if self.partners.len() < most {
            self.partners.resize(most, (0.0, 0));
        }
        let free = &mut self.partners[self.found..most];
        let mut taken = 0;
        for e in run {
            let square = e.position.distance_squared(row.x);
            let partner = (square < row.square) & (e.index > row.i);
            free[taken] = (square, e.index);
            taken += usize::from(partner & (e.y == row.y) & (e.z == row.z));
        }
        self.found += taken;
    }
}

/// What is looked for in one row of cells.
struct Row {
    i: u32,
    x: Vec3,
    /// Square of the reach [m²].
    square: f32,
    y: i32,
    z: i32,
}

/// The nine rows of cells around a particle, as offsets in y and z.
const ROWS: [(i32, i32); 9] = [
    (-1, -1),
    (0, -1),
    (1, -1),
    (-1, 0),
    (0, 0),
    (1, 0),
    (-1, 1),
    (0, 1),
    (1, 1),
];

/// Cell of a position: computed in double precision, because partners must fall in neighbouring
/// cells even where a cell is narrower than the spacing of `f32`; saturated far away, where all
/// share the outermost cells and the distance test alone decides.
fn cell(x: Vec3, scale: f64) -> IVec3 {
    let limit = f64::from(1 << 30);
    let floor = |v: f32| {
        let scaled = (f64::from(v) * scale).clamp(-limit, limit);
        let whole = scaled as i32;
        whole - i32::from(f64::from(whole) > scaled)
    };
    IVec3::new(floor(x.x), floor(x.y), floor(x.z))
}

/// Linear in the cell, so that the rows around a particle lie at the same offsets for all.
fn bucket(c: IVec3, mask: u32) -> u32 {
    offset(c.y, c.z).wrapping_add(c.x as u32) & mask
}

/// Distance in buckets between two rows of cells.
fn offset(y: i32, z: i32) -> u32 {
    let y = (y as u32).wrapping_mul(0x9E37_79B1);
    y.wrapping_add((z as u32).wrapping_mul(0x85EB_CA75))
}

#[cfg(test)]
mod tests;
