// The members near every member, which the stages of a medium visit: a bit for each of the first 32 of a row, and one for
// each row that goes on behind them. The test is the same for all threads, which then wait for no one in the visits.

@group(1) @binding(3) var<storage, read_write> members: array<vec4u>;

fn place(k: u32) -> vec3f {
    return bitcast<vec3f>(members[MEMBER_POSITION * search.capacity + k].xyz);
}

@compute @workgroup_size(128)
fn near(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let limit = search.furthest * search.furthest;
    for (var k = id.x; k < work[search.table + search.buckets]; k += groups.x * 128u) {
        let x = place(k);
        let bucket = members[MEMBER_INFO * search.capacity + k].z;
        var longer = 0u;
        for (var row = 0u; row < ROWS; row++) {
            let left = row_start(bucket, row, search.buckets);
            let first = work[search.table + left];
            let last = work[search.table + min(left + 3u, search.buckets)];
            var hits = 0u;
            for (var j = first; j < min(last, first + 32u); j++) {
                let apart = x - place(j);
                hits |= select(0u, 1u << (j - first), dot3(apart, apart) < limit);
            }
            work[search.near + row * search.capacity + k] = hits;
            longer |= select(0u, 1u << row, last > first + 32u || left + 3u > search.buckets);
        }
        work[search.near + ROWS * search.capacity + k] = longer;
    }
}
