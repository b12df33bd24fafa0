// Solves one pass: its colours one after the other, then its remainder.

struct Range {
    // First word of the pass in `data`: node columns, number columns, colours, gathers, entries.
    base: u32,
    // Words of a column.
    stride: u32,
    // First multiplier of the pass.
    lambda: u32,
    // First word of the colours to solve, two for each: first slot and count.
    colours: u32,
    // How many colours; more than one only in a dispatch of one workgroup.
    count: u32,
    // The remainder: first slot and count.
    first: u32,
    remainder: u32,
    // Nodes that the remainder moves, and the words where they begin: node, first entry; the
    // entries follow.
    gathers: u32,
    gather_table: u32,
    entries: u32,
}

@group(1) @binding(0) var<uniform> range: Range;
@group(1) @binding(1) var<storage, read> data: array<u32>;
@group(1) @binding(2) var<storage, read_write> lambda: array<f32>;
@group(1) @binding(3) var<storage, read_write> corrections: array<vec4f>;

@compute @workgroup_size($group)
fn colours(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var colour = 0u; colour < range.count; colour++) {
        if colour > 0u {
            storageBarrier();
        }
        let first = data[range.colours + 2u * colour];
        let end = first + data[range.colours + 2u * colour + 1u];
        for (var slot = first + id.x; slot < end; slot += groups.x * $groupu) {
            solve(slot);
        }
    }
}

@compute @workgroup_size($group)
fn remainder(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var k = id.x; k < range.remainder; k += groups.x * $groupu) {
        correct(range.first + k);
    }
}

// Adds up the corrections of each node in a fixed order and moves it.
@compute @workgroup_size($group)
fn gather(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var k = id.x; k < range.gathers; k += groups.x * $groupu) {
        let node = data[range.gather_table + 2u * k];
        let end = data[range.gather_table + 2u * k + 3u];
        var sum = vec4f();
        for (var entry = data[range.gather_table + 2u * k + 1u]; entry < end; entry++) {
            sum += corrections[data[range.entries + entry]];
        }
        offset[node] += sum * substep.omega;
    }
}
