// Counts the particles of each bucket and ranks them in it. The rank depends on the order in which threads run; no
// result of the search depends on the rank.
@compute @workgroup_size(128)
fn histogram(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let reach = reach();
    if id.x == 0u {
        atomicStore(&work_atomic[REACH_SQUARE], bitcast<u32>(reach * reach));
    }
    let grid = grid(reach);
    for (var i = id.x; i < search.particles; i += groups.x * 128u) {
        var key = NONE;
        if takes_part(i) {
            let cell = cell(position(i), grid);
            let bucket = bucket(cell);
            key = (bucket << 4u) | tag(cell.y, cell.z);
            let rank = atomicAdd(&work_atomic[search.table + bucket + 1u], 1u);
            atomicStore(&work_atomic[search.cells + 2u * i + 1u], rank);
        }
        atomicStore(&work_atomic[search.cells + 2u * i], key);
    }
}
