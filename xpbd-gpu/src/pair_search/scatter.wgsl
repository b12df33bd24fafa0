// Writes each particle to its place in the order of buckets.

@compute @workgroup_size(128)
fn scatter(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < search.particles; i += groups.x * 128u) {
        let place = work[search.cells + 2u * i];
        if place != NONE {
            let rank = work[search.cells + 2u * i + 1u];
            write_entry(work[search.table + (place >> 4u)] + rank, i, place);
        }
    }
}
