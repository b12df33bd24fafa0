//! Members sorted by the cells of a uniform grid.
//!
//! A cell is a cube a little wider than the reach, so partners lie in the 27 cells around a member. The
//! bucket of cell (x, y, z) is `x + a y + b z` modulo the size of the table: three cells in a row along
//! x are three consecutive buckets, whose members are consecutive after the sort, and a neighbourhood is
//! nine runs of memory. Where the members lie close together a and b are the sides of their box, so that
//! members near in space are near in memory; where they lie far apart a and b scatter the rows over the
//! table. Either way the nine runs around a cell do not overlap: nobody is met twice.

use glam::{IVec3, Vec3};

/// Width of a cell in reaches \[1\]: partners fall into neighbouring cells in spite of rounding
/// up to [`FARTHEST`].
const WIDER: f32 = 1.002;
/// Number of cells from the middle beyond which all are one: the distance alone decides there.
const FARTHEST: f32 = 8192.0;
/// Rows of cells around a cell, as steps in y and z.
pub(super) const ROWS: [[i32; 2]; 9] = [[-1, -1], [0, -1], [1, -1], [-1, 0], [0, 0], [1, 0], [-1, 1], [0, 1], [1, 1]];

/// A counting sort of points by their cells.
#[derive(Debug, Clone, Default)]
pub(super) struct Cells {
    /// Start of each bucket among the sorted points; one entry more than there are buckets.
    first: Vec<u32>,
    /// Bucket of each point as given.
    bucket: Vec<u32>,
    mask: u32,
    along_y: u32,
    along_z: u32,
}

impl Cells {
    /// Sorts points \[m\], given from a place in their middle, within a box; `order` becomes their numbers
    /// by bucket, within a bucket ascending.
    pub fn sort(&mut self, points: &[Vec3], reach: f32, order: &mut Vec<u32>) {
        let scale = 1.0 / (reach * WIDER);
        let cell = |x: Vec3| cell(x * scale);
        let box_of = |(low, high): (IVec3, IVec3), c: IVec3| (low.min(c), high.max(c));
        let start = points.first().map_or(IVec3::ZERO, |&x| cell(x));
        let (low, high) = points.iter().map(|&x| cell(x)).fold((start, start), box_of);
        self.choose(points.len(), low, high);
        let size = self.mask as usize + 1;
        self.first.clear();
        self.first.resize(size + 1, 0);
        self.bucket.clear();
        for &x in points {
            let c = cell(x) - low;
            let bucket = self.row(c.y, c.z).wrapping_add(c.x as u32 + 1) & self.mask;
            self.bucket.push(bucket);
            self.first[bucket as usize] += 1;
        }
        let mut sum = 0;
        for count in &mut self.first {
            sum += *count;
            *count = sum;
        }
        order.clear();
        order.resize(points.len(), 0);
        for (number, &bucket) in self.bucket.iter().enumerate().rev() {
            let place = &mut self.first[bucket as usize];
            *place -= 1;
            order[*place as usize] = number as u32;
        }
    }

    fn row(&self, y: i32, z: i32) -> u32 {
        (y as u32).wrapping_mul(self.along_y).wrapping_add((z as u32).wrapping_mul(self.along_z))
    }

    /// Chooses the table and the steps along y and z.
    fn choose(&mut self, count: usize, low: IVec3, high: IVec3) {
        let most = (4 * count).next_power_of_two().max(64) as u64;
        // One empty cell beside each row and each layer, so that what is beyond a side is not what is on it.
        let sides = (high - low).as_u64vec3() + 3;
        let box_size = sides.x * sides.y * sides.z;
        if count > 0 && box_size <= most {
            self.mask = box_size.next_power_of_two() as u32 - 1;
            (self.along_y, self.along_z) = (sides.x as u32, (sides.x * sides.y) as u32);
            if self.is_apart() {
                return;
            }
        }
        self.mask = most as u32 - 1;
        (self.along_y, self.along_z) = (0x9E37_79B1, 0x85EB_CA75);
        while !self.is_apart() {
            self.along_y = self.along_y.wrapping_add(0x61C8_8646);
            self.along_z = self.along_z.wrapping_add(0x3C6E_F372);
        }
    }

    /// Returns whether the runs of the rows around a cell have no bucket in common.
    fn is_apart(&self) -> bool {
        let starts = ROWS.map(|[y, z]| self.row(y, z) & self.mask);
        let gap = |a: u32, b: u32| a.wrapping_sub(b) & self.mask;
        let apart = |a: u32, b: u32| gap(a, b) >= 3 && gap(b, a) >= 3;
        starts.iter().enumerate().all(|(k, &a)| starts[..k].iter().all(|&b| apart(a, b)))
    }

    /// Returns the bucket of a point by its index as given.
    pub fn bucket(&self, point: u32) -> u32 {
        self.bucket[point as usize]
    }

    /// Lists the runs of sorted points in the 27 cells around a bucket; where a run goes around the end of the
    /// table, it is in two parts.
    pub fn runs(&self, bucket: u32, out: &mut Vec<(u32, u32)>) {
        out.clear();
        let size = self.mask + 1;
        for [y, z] in ROWS {
            let left = bucket.wrapping_add(self.row(y, z)).wrapping_sub(1) & self.mask;
            let end = left + 3;
            let parts = if end <= size { [(left, end), (0, 0)] } else { [(left, size), (0, end - size)] };
            for (from, to) in parts {
                let run = (self.first[from as usize], self.first[to as usize]);
                if run.0 < run.1 {
                    out.push(run);
                }
            }
        }
    }
}

/// Returns the cell of a point given in cells, as a floor without a function call.
#[inline(always)]
fn cell(x: Vec3) -> IVec3 {
    let near = x.clamp(Vec3::splat(-FARTHEST), Vec3::splat(FARTHEST)) + FARTHEST;
    near.as_ivec3()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that every partner within reach is in exactly one run, close together and scattered.
    #[test]
    fn runs_hold_each_partner_once() {
        for spread in [3.0, 40.0, 3000.0, 1e7] {
            let mut state = 1u32;
            let mut number = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / (1 << 24) as f32 - 0.5
            };
            let points: Vec<Vec3> = (0..800)
                .map(|k| {
                    if k % 2 == 0 {
                        Vec3::new(number(), number(), number()) * spread
                    } else {
                        Vec3::new(number(), number(), number())
                    }
                })
                .collect();
            let (mut cells, mut order, mut runs) = (Cells::default(), Vec::new(), Vec::new());
            cells.sort(&points, 0.9, &mut order);
            for (i, &x) in points.iter().enumerate() {
                cells.runs(cells.bucket(i as u32), &mut runs);
                let met: Vec<u32> = runs.iter().flat_map(|&(a, b)| &order[a as usize..b as usize]).copied().collect();
                for (j, &y) in points.iter().enumerate().filter(|(_, y)| x.distance(**y) < 0.9) {
                    assert_eq!(met.iter().filter(|&&k| k as usize == j).count(), 1, "{x} and {y}, spread {spread}");
                }
            }
        }
    }
}
