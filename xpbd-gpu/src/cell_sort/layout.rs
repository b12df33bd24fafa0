//! Sections of the buffers of a search, and its uniform.

use bytemuck::{Pod, Zeroable};

use crate::layout::wgsl_constants;

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
/// Words of a member that say who is near.
const NEAR: u32 = 10;
/// Values that one workgroup of the scan adds up.
pub const SCAN_BLOCK: u32 = 4096;
/// Word of `work` with the square of the reach \[m²\], behind the seven bounds.
const REACH_SQUARE: u32 = BOUNDS - 1;
/// Word of `lists` with the number of partners that there are.
const NEEDED: u32 = 0;
/// Word of `lists` with the number of pairs dropped.
const DROPPED: u32 = 1;
/// Word of `lists` that is not 0 where a particle has too many partners.
const CROWDED: u32 = 2;

/// Returns the constants of the kernels.
pub fn wgsl() -> String {
    wgsl_constants!(
        INDEX_BITS = INDEX_BITS,
        ENTRIES = BOUNDS,
        REACH_SQUARE = REACH_SQUARE,
        NEEDED = NEEDED,
        DROPPED = DROPPED,
        CROWDED = CROWDED,
        FIRST = FIRST,
    )
}

/// Reasons why a search cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// Entries cannot number the particles.
    #[error("a world of {particles} particles is too large for the search for pairs, which takes at most {most}")]
    TooManyParticles {
        /// Number of particles.
        particles: usize,
        /// Largest number of particles.
        most: usize,
    },
    /// The device cannot bind a buffer that is needed.
    #[error("the search for pairs needs a buffer of {needed} bytes, but the device binds at most {most}")]
    TooLong {
        /// Length \[bytes\].
        needed: u64,
        /// Greatest length \[bytes\].
        most: u64,
    },
}

/// Sections of the buffers for a number of particles, in words of 4 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SearchLayout {
    /// Number of particles.
    pub particles: u32,
    /// Buckets of the table, a power of two.
    pub buckets: u32,
    /// In `work`: the starts of the buckets.
    pub table: u32,
    /// In `work`: bucket, row and rank of each particle.
    pub cells: u32,
    /// In `work`: sums of the blocks of a scan.
    pub sums: u32,
    /// In `work`: who is near each member, by rows.
    pub near: u32,
    /// In `work`: the first partners of each particle.
    pub memory: u32,
    /// Number of these partners for each particle, a multiple of 4.
    pub remembered: u32,
    /// Length of `work`.
    pub work: u32,
    /// In `lists`: the cut-offs.
    pub cutoffs: u32,
    /// In `lists`: the partners.
    pub partners: u32,
}

impl SearchLayout {
    /// Lays out a search for pairs among this many particles.
    ///
    /// # Errors
    /// There are more particles than an entry can number.
    pub fn new(particles: usize, remembered: u32) -> Result<Self, SearchError> {
        let most = (1 << INDEX_BITS) / 4;
        if particles > most {
            return Err(SearchError::TooManyParticles { particles, most });
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
            near: 0,
            memory,
            remembered,
            work: memory + remembered * particles,
            cutoffs,
            partners: cutoffs + 2 * particles,
        })
    }
}

impl SearchLayout {
    /// Lays out a sort alone, of at most `members` of the particles, with entries of one word.
    ///
    /// # Errors
    /// There are more particles than a section can be addressed for.
    pub fn of_sort(particles: usize, members: usize) -> Result<Self, SearchError> {
        let most = (1 << INDEX_BITS) / 4;
        if particles > most {
            return Err(SearchError::TooManyParticles { particles, most });
        }
        let particles = particles as u32;
        let buckets = (members as u32).next_power_of_two().max(64);
        let table = BOUNDS + members as u32;
        let cells = table + buckets + 1;
        let sums = cells + 2 * particles;
        let near = sums + (buckets + 1).div_ceil(SCAN_BLOCK);
        let work = near + NEAR * members as u32;
        Ok(Self { particles, buckets, table, cells, sums, near, work, ..Self::default() })
    }
}

/// The uniform `search` of the kernels.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
pub struct SearchUniform {
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
    pub near: u32,
    pub memory: u32,
    pub remembered: u32,
    pub cutoffs: u32,
    pub partners: u32,
}
