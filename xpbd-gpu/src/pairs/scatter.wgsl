// Writes each particle to its place in the order of buckets. An entry is two quads: position [m],
// index and row; way in the frame [m], bucket and row.

@compute @workgroup_size(128)
fn scatter(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < search.particles; i += groups.x * 128u) {
        let place = work[search.cells + 2u * i];
        if place == NONE {
            continue;
        }
        let rank = work[search.cells + 2u * i + 1u];
        let entry = ENTRIES + 8u * (work[search.table + (place >> 4u)] + rank);
        let x = bitcast<vec3u>(position(i));
        let way = bitcast<vec3u>(travel(i));
        for (var axis = 0u; axis < 3u; axis++) {
            work[entry + axis] = x[axis];
            work[entry + 4u + axis] = way[axis];
        }
        work[entry + 3u] = i | ((place & 15u) << INDEX_BITS);
        work[entry + 7u] = place;
    }
}
