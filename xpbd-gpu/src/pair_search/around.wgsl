// The search around one particle: calls `visit(i, j, square)` of the kernel for every `j` that may
// touch `i` in this frame, with the bits of the square of their distance [m²].

struct Own {
    index: u32,
    position: vec3f,
    travel: vec3f,
    anchor: vec4f,
    offset: vec3f,
    owner: u32,
}

// Entries within reach whose pairs are still to be looked at. Few of those that lie in the cells are,
// and threads that run in step would wait for each other at every one: so they are set aside.
const BATCH = 32u;

var<private> own: Own;
var<private> near: array<u32, 2 * BATCH>;
var<private> near_count: u32;

// Returns the number of entries.
fn entries() -> u32 {
    return word(search.table + search.buckets);
}

// Visits the nine rows of three cells around the particle of an entry, and returns its index.
fn around(entry: u32) -> u32 {
    let first = work_quads[ENTRIES / 4u + 2u * entry];
    let second = work_quads[ENTRIES / 4u + 2u * entry + 1u];
    let i = index_of(first);
    own = Own(i, bitcast<vec3f>(first.xyz), bitcast<vec3f>(second.xyz), anchor[i], offset[i].xyz, setup[i]);
    near_count = 0u;
    let bucket = second.w >> 4u;
    for (var row = 0u; row < 9u; row++) {
        let y = row % 3u - 1u;
        let z = row / 3u - 1u;
        let row_tag = tag((second.w & 3u) + y, ((second.w >> 2u) & 3u) + z);
        let left = (bucket + y * BUCKET_STEP_Y + z * BUCKET_STEP_Z - 1u) & (search.buckets - 1u);
        let end = left + 3u;
        gather(left, min(end, search.buckets), row_tag);
        if end > search.buckets {
            gather(0u, end - search.buckets, row_tag);
        }
    }
    visit_near();
    return i;
}

// Gathers the particles of consecutive buckets that lie in the row and within reach.
fn gather(left: u32, end: u32, row_tag: u32) {
    let reach_square = bitcast<f32>(word(REACH_SQUARE));
    let last = word(search.table + end);
    var entry = word(search.table + left);
    while entry < last {
        let stop = min(entry + BATCH, last);
        for (; entry < stop; entry++) {
            let first = work_quads[ENTRIES / 4u + 2u * entry];
            let square = squared(bitcast<vec3f>(first.xyz) - own.position);
            if square < reach_square && first.w >> INDEX_BITS == row_tag {
                near[near_count] = entry;
                near_count += 1u;
            }
        }
        if near_count > BATCH {
            visit_near();
        }
    }
}

// Visits those of the gathered particles that may touch.
fn visit_near() {
    for (var k = 0u; k < near_count; k++) {
        let entry = ENTRIES / 4u + 2u * near[k];
        let first = work_quads[entry];
        let j = index_of(first);
        let way = bitcast<vec3f>(work_quads[entry + 1u].xyz) - own.travel;
        if j != own.index && may_touch(j) && come_near(j, way) {
            visit(own.index, j, bitcast<u32>(squared(bitcast<vec3f>(first.xyz) - own.position)));
        }
    }
    near_count = 0u;
}

fn index_of(first: vec4u) -> u32 {
    return first.w & ((1u << INDEX_BITS) - 1u);
}

fn word(at: u32) -> u32 {
    return work_quads[at >> 2u][at & 3u];
}
