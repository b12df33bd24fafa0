// Bounds of the search: the box of what is bounded, as the largest of each component and of its negative
// [m], and the largest component of an anchor or offset [m]. The largest of whole numbers that are
// ordered like the floats does not depend on the order of the particles.

var<workgroup> group_largest: array<atomic<u32>, 7>;

@compute @workgroup_size(128)
fn bound(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(local_invocation_index) local: u32,
    @builtin(num_workgroups) groups: vec3u,
) {
    if local < 7u {
        atomicStore(&group_largest[local], 0u);
    }
    workgroupBarrier();
    var high = vec3u(0u);
    var low = vec3u(0u);
    var far = 0u;
    for (var i = id.x; i < search.particles; i += groups.x * 128u) {
        if takes_part(i) {
            let vector = bounded(i);
            high = max(high, ordered(vector));
            low = max(low, ordered(-vector));
            let parts = max(ordered(abs(anchor[i].xyz)), ordered(abs(offset[i].xyz)));
            far = max(far, max(parts.x, max(parts.y, parts.z)));
        }
    }
    for (var axis = 0u; axis < 3u; axis++) {
        atomicMax(&group_largest[axis], high[axis]);
        atomicMax(&group_largest[3u + axis], low[axis]);
    }
    atomicMax(&group_largest[6], far);
    workgroupBarrier();
    if local < 7u {
        atomicMax(&work_atomic[local], atomicLoad(&group_largest[local]));
    }
}
