// The twin of sums.rs: the lanes of a workgroup add up in a tree.

var<workgroup> tree: array<array<vec4f, 4>, LANES>;

// Adds the first `count` sums of all lanes; lane 0 has them then.
fn fold(lane: u32, count: u32) {
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if lane < half {
            for (var k = 0u; k < count; k++) {
                tree[lane][k] += tree[lane + half][k];
            }
        }
    }
}
