// Bindings that the kernels of a sort and of a search share. Each entry point uses one view of a buffer. The words
// before the sections of `work` and `lists` are constants that `layout.rs` prints.

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
    // First words of the sections of `work` and `lists`.
    table: u32,
    cells: u32,
    sums: u32,
    near: u32,
    memory: u32,
    // Number of partners of each particle that are remembered between counting and filling.
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

// Returns whether all components are finite, by their exponents: compilers may assume that no number is infinite or NaN.
fn is_finite_vector(v: vec3f) -> bool {
    let exponents = bitcast<vec3u>(v) & vec3u(0x7f800000u);
    return all(exponents != vec3u(0x7f800000u));
}

// Returns whole numbers above 0 in the order of the floats.
fn ordered(v: vec3f) -> vec3u {
    let bits = bitcast<vec3u>(v);
    return select(bits | vec3u(0x80000000u), ~bits, bits >= vec3u(0x80000000u));
}

// Returns the float that an ordered whole number stands for.
fn from_ordered(bits: u32) -> f32 {
    return bitcast<f32>(select(~bits, bits & 0x7fffffffu, bits >= 0x80000000u));
}
