// Counts the particles of each bucket and ranks them in it; the rank depends on the order in which
// the particles come, and nothing that leaves the search depends on the rank.

@compute @workgroup_size(128)
fn histogram(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let reach = reach();
    if id.x == 0u {
        atomicStore(&work_atomic[REACH_SQUARE], bitcast<u32>(reach * reach));
    }
    let grid = grid(reach);
    for (var i = id.x; i < search.particles; i += groups.x * 128u) {
        var place = NONE;
        if takes_part(i) {
            let cell = cell(position(i), grid);
            let bucket = bucket(cell);
            place = (bucket << 4u) | tag(cell.y, cell.z);
            let rank = atomicAdd(&work_atomic[search.table + bucket + 1u], 1u);
            atomicStore(&work_atomic[search.cells + 2u * i + 1u], rank);
        }
        atomicStore(&work_atomic[search.cells + 2u * i], place);
    }
}

// How far apart partners may be [m]: the two can come nearer to each other by the diagonal of the
// box of all ways, and by no more than two diameters. The rest allows for rounding, so that the
// reach never decides whether a pair is kept.
fn reach() -> f32 {
    let diameters = 2.0 * search.diameter;
    var square = 0.0;
    for (var axis = 0u; axis < 3u; axis++) {
        let width = min(largest(axis) + largest(3u + axis), diameters);
        square += width * width;
    }
    let near = (search.touching + sqrt(square)) * 1.00001;
    return min(near + 16.0 * 1.1920929e-7 * largest(6u), search.furthest);
}

// A bound [m], from the whole number that stands for it.
fn largest(k: u32) -> f32 {
    let bits = atomicLoad(&work_atomic[k]);
    return bitcast<f32>(select(~bits, bits & 0x7fffffffu, bits >= 0x80000000u));
}
