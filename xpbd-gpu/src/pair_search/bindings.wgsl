// What the kernels of the search share. Each entry point uses one view of a buffer.

struct Search {
    particles: u32,
    // Buckets of the table, a power of two.
    buckets: u32,
    // Room for partners, in words.
    capacity: u32,
    // Length of the frame [s].
    dt: f32,
    // Distance at which a pair is kept [m].
    touching: f32,
    diameter: f32,
    // Distance between positions beyond which there are no pairs [m].
    furthest: f32,
    // Where the sections of `work` and `lists` begin, in words.
    table: u32,
    cells: u32,
    sums: u32,
    memory: u32,
    // How many partners of each particle are remembered between counting and filling.
    remembered: u32,
    cutoffs: u32,
    partners: u32,
}

@group(0) @binding(1) var<storage, read_write> anchor: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> offset: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> motion: array<vec4f>;

@group(1) @binding(0) var<uniform> search: Search;
@group(1) @binding(1) var<storage, read> setup: array<u32>;
@group(1) @binding(2) var<storage, read_write> work: array<u32>;
@group(1) @binding(2) var<storage, read_write> work_atomic: array<atomic<u32>>;
@group(1) @binding(2) var<storage, read_write> work_quads: array<vec4u>;
@group(1) @binding(3) var<storage, read_write> lists: array<u32>;
@group(1) @binding(3) var<storage, read_write> lists_atomic: array<atomic<u32>>;

const NONE = 0xffffffffu;

// Words of `work`: seven bounds, the square of the reach [m²], then two quads for each entry.
const REACH_SQUARE = 7u;
const ENTRIES = 8u;

// Words of `lists`: partners that there are, pairs dropped, whether a particle has too many
// partners, one unused; then the starts of the lists.
const NEEDED = 0u;
const DROPPED = 1u;
const CROWDED = 2u;
const FIRST = 4u;

// Most partners of higher index that a particle keeps.
const MOST_PARTNERS = 48u;

// An entry holds the index of its particle below the tag of its row.
const INDEX_BITS = 28u;
