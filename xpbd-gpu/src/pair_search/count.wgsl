// Counts the partners of each particle, remembers the first ones, and marks the particles with too many
// of higher index.

var<private> all_partners: u32;
var<private> higher: u32;

fn visit(i: u32, j: u32, square: u32) {
    if all_partners < search.remembered {
        let at = search.memory + search.remembered * i + all_partners;
        work_quads[at >> 2u][at & 3u] = j;
    }
    all_partners += 1u;
    if j > i {
        higher += 1u;
    }
}

// The cut-off of a particle is the key (bits of the square of the distance, index) of the last
// partner of higher index that it keeps; none for most, and here the number in place of the index
// for those that need one.
@compute @workgroup_size(128)
fn count(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var entry = id.x; entry < entries(); entry += groups.x * 128u) {
        all_partners = 0u;
        higher = 0u;
        let i = around(entry);
        atomicStore(&lists_atomic[FIRST + i + 1u], all_partners);
        atomicStore(&lists_atomic[search.cutoffs + 2u * i], NONE);
        var mark = NONE;
        if higher > MAX_PARTNERS {
            mark = higher;
            atomicStore(&lists_atomic[CROWDED], 1u);
            atomicAdd(&lists_atomic[DROPPED], higher - MAX_PARTNERS);
        }
        atomicStore(&lists_atomic[search.cutoffs + 2u * i + 1u], mark);
    }
}
