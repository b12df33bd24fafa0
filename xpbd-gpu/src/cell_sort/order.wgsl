// The order of the members of a medium.

@group(1) @binding(3) var<storage, read_write> members: array<vec4u>;

// Writes the members in the order of their cells, and in a bucket by the index of their particle, so that the order is
// the same from run to run.
@compute @workgroup_size(128)
fn order(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let count = work[search.table + search.buckets];
    for (var entry = id.x; entry < count; entry += groups.x * 128u) {
        let i = work[ENTRIES + entry];
        let bucket = work[search.cells + 2u * i] >> 4u;
        let first = work[search.table + bucket];
        let end = work[search.table + bucket + 1u];
        var k = first;
        for (var other = first; other < end; other++) {
            k += select(0u, 1u, work[ENTRIES + other] < i);
        }
        members[MEMBER_POSITION * search.capacity + k] = bitcast<vec4u>(vec4f(position(i), anchor[i].w));
        members[MEMBER_INFO * search.capacity + k] = vec4u(i, setup[i], bucket, 0u);
        members[MEMBER_DISPLACEMENT * search.capacity + k] = vec4u();
    }
}
