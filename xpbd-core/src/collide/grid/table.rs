//! Particles sorted by the cells `[1]` of a hashed uniform grid.

use glam::{IVec3, Vec3, Vec4};

/// Counting sort of the particles by the bucket of their cell.
#[derive(Clone, Debug, Default)]
pub(super) struct CellTable {
    /// Start of each bucket, after one unused entry; the last one is the number of entries.
    first: Vec<u32>,
    /// Bucket and row of each particle.
    cells: Vec<(u32, CellRow)>,
    /// Particles in the order of their buckets, within a bucket by their index.
    pub entries: Vec<CellEntry>,
    /// The three coordinates of their positions and of their displacements \[m\], each in a list of [`LANES`] more numbers.
    coordinates: [Vec<f32>; 6],
    mask: u32,
}

/// Number of particles that are tested together.
pub(super) const LANES: usize = 4;

/// One particle in the table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CellEntry {
    pub index: u32,
    /// Row of the cell; different rows may share a bucket.
    pub row: CellRow,
}

/// The cells of one y and one z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CellRow {
    y: i32,
    z: i32,
}

/// Buckets between the cells of two rows with the same x.
#[derive(Clone, Copy)]
pub(super) struct RowStep {
    y: i32,
    z: i32,
    buckets: u32,
}

impl RowStep {
    pub const fn new(y: i32, z: i32) -> Self {
        let buckets = (y as u32).wrapping_mul(0x9E37_79B1);
        let buckets = buckets.wrapping_add((z as u32).wrapping_mul(0x85EB_CA75));
        Self { y, z, buckets }
    }
}

impl CellRow {
    #[inline]
    pub fn step(self, step: RowStep) -> Self {
        Self { y: self.y + step.y, z: self.z + step.z }
    }

    /// Returns whether both rows are the same, without a branch.
    #[inline]
    pub fn same(self, other: Self) -> bool {
        (self.y == other.y) & (self.z == other.z)
    }
}

impl CellTable {
    /// Sorts particles with these displacements into cells of this width.
    pub fn fill(&mut self, positions: &[Vec3], displacements: &[Vec3], width: f32) {
        let table = (2 * positions.len()).next_power_of_two().max(4);
        self.mask = table as u32 - 1;
        let scale = 1.0 / (f64::from(width) * (1.0 + 1e-6));
        self.first.clear();
        self.first.resize(table + 1, 0);
        self.cells.clear();
        for &x in positions {
            let c = cell(x, scale);
            let bucket = bucket(c, self.mask);
            self.cells.push((bucket, CellRow { y: c.y, z: c.z }));
            self.first[bucket as usize + 1] += 1;
        }
        let mut sum = 0;
        for count in &mut self.first {
            sum += *count;
            *count = sum;
        }
        self.entries.resize(positions.len(), CellEntry::default());
        self.coordinates.iter_mut().for_each(|list| list.resize(positions.len() + LANES, 0.0));
        for (i, (position, displacement)) in positions.iter().zip(displacements).enumerate().rev() {
            let (bucket, row) = self.cells[i];
            let slot = &mut self.first[bucket as usize + 1];
            *slot -= 1;
            self.entries[*slot as usize] = CellEntry { index: i as u32, row };
            let numbers = position.to_array().into_iter().chain(displacement.to_array());
            self.coordinates.iter_mut().zip(numbers).for_each(|(list, number)| list[*slot as usize] = number);
        }
        self.first.push(positions.len() as u32);
    }

    /// Returns the bucket of a particle.
    #[inline]
    pub fn bucket(&self, particle: u32) -> u32 {
        self.cells[particle as usize].0
    }

    /// Returns the row of the cell of a particle.
    #[inline]
    pub fn row(&self, particle: u32) -> CellRow {
        self.cells[particle as usize].1
    }

    /// Returns the entries of `count` consecutive buckets, around the end of the table in two parts; the first
    /// bucket lies `step` and `back` cells in −x away from `bucket`.
    #[inline]
    pub fn runs(&self, bucket: u32, step: RowStep, back: u32, count: u32) -> [(usize, usize); 2] {
        let left = bucket.wrapping_add(step.buckets).wrapping_sub(back) & self.mask;
        let end = left + count;
        if end <= self.mask + 1 {
            [(self.start(left), self.start(end)), (0, 0)]
        } else {
            let rest = end - self.mask - 1;
            [(self.start(left), self.entries.len()), (0, self.start(rest))]
        }
    }

    /// Returns the coordinates of the positions and of the displacements of four entries \[m\]; those beyond the last entry are
    /// any numbers.
    #[inline]
    pub fn lanes(&self, first: usize) -> [[Vec4; 3]; 2] {
        let four = |k: usize| Vec4::from_slice(&self.coordinates[k][first..]);
        [[four(0), four(1), four(2)], [four(3), four(4), four(5)]]
    }

    #[inline]
    fn start(&self, bucket: u32) -> usize {
        self.first[bucket as usize + 1] as usize
    }
}

/// Returns the cell of a position, computed in double precision, because partners must fall in neighbouring
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

/// Returns the bucket of a cell, linear in it, so that the rows around a particle lie at the same offsets for all.
fn bucket(c: IVec3, mask: u32) -> u32 {
    RowStep::new(c.y, c.z).buckets.wrapping_add(c.x as u32) & mask
}
