//! Where the sections of the buffers lie, and the numbers that the kernels read.

use bytemuck::{Pod, Zeroable};

use super::PairSearchError;

/// Bits of an entry that hold the index of a particle.
const INDEX_BITS: u32 = 28;
/// Words before the entries of `work`.
const BOUNDS: u32 = 8;
/// Words of one entry.
const ENTRY: u32 = 8;
/// Partners of a particle that are remembered between counting and filling, if there is memory.
pub const REMEMBERED: u32 = 24;
/// Words of `lists` before the starts of the lists.
pub const FIRST: u32 = 4;
/// Values that one workgroup of the scan adds up.
pub const SCAN_BLOCK: u32 = 4096;

/// Sections of the buffers for a number of particles, in words of 4 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layout {
    /// How many particles there are.
    pub particles: u32,
    /// Buckets of the table, a power of two.
    pub buckets: u32,
    /// In `work`: the starts of the buckets.
    pub table: u32,
    /// In `work`: bucket, row and rank of each particle.
    pub cells: u32,
    /// In `work`: sums of the blocks of a scan.
    pub sums: u32,
    /// In `work`: the first partners of each particle.
    pub memory: u32,
    /// How many they are, a multiple of 4.
    pub remembered: u32,
    /// Length of `work`.
    pub work: u32,
    /// In `lists`: the cut-offs.
    pub cutoffs: u32,
    /// In `lists`: the partners.
    pub partners: u32,
}

impl Layout {
    /// # Errors
    /// More particles than an entry can number or a section can be addressed for.
    pub fn new(particles: usize, remembered: u32) -> Result<Self, PairSearchError> {
        let most = (1 << INDEX_BITS) / 4;
        if particles > most {
            return Err(PairSearchError::TooManyParticles { particles, most });
        }
        let particles = particles as u32;
        let buckets = (2 * particles).next_power_of_two().max(4);
        let table = BOUNDS + ENTRY * particles;
        let cells = table + buckets + 1;
        let sums = cells + 2 * particles;
        let memory = (sums + (buckets + 1).div_ceil(SCAN_BLOCK)).next_multiple_of(4);
        let cutoffs = FIRST + particles + 1;
        Ok(Self {
            particles,
            buckets,
            table,
            cells,
            sums,
            memory,
            remembered,
            work: memory + remembered * particles,
            cutoffs,
            partners: cutoffs + 2 * particles,
        })
    }
}

impl Layout {
    /// The layout of a sort alone, of at most `members` of the particles, with entries of one word.
    ///
    /// # Errors
    /// More particles than a section can be addressed for.
    pub fn of_sort(particles: usize, members: usize) -> Result<Self, PairSearchError> {
        let most = (1 << INDEX_BITS) / 4;
        if particles > most {
            return Err(PairSearchError::TooManyParticles { particles, most });
        }
        let particles = particles as u32;
        let buckets = (members as u32).next_power_of_two().max(64);
        let table = BOUNDS + members as u32;
        let cells = table + buckets + 1;
        let sums = cells + 2 * particles;
        let work = sums + (buckets + 1).div_ceil(SCAN_BLOCK);
        Ok(Self { particles, buckets, table, cells, sums, work, ..Self::default() })
    }
}

/// What the kernels read as `search`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
pub struct Uniform {
    pub particles: u32,
    pub buckets: u32,
    pub capacity: u32,
    /// Length of the frame \[s\].
    pub dt: f32,
    /// Distance at which a pair is kept \[m\].
    pub touching: f32,
    /// Diameter of a particle \[m\].
    pub diameter: f32,
    /// Distance between positions beyond which there are no pairs \[m\].
    pub furthest: f32,
    pub table: u32,
    pub cells: u32,
    pub sums: u32,
    pub memory: u32,
    pub remembered: u32,
    pub cutoffs: u32,
    pub partners: u32,
}
