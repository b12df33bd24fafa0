// A whole frame of small islands, one workgroup each.

struct Range {
    base: u32,
    stride: u32,
    lambda: u32,
    // First word of the table of islands: for each of them its part of every colour, of the
    // remainder and of the gathers, first and count.
    colours: u32,
    count: u32,
    first: u32,
    remainder: u32,
    gathers: u32,
    gather_table: u32,
    entries: u32,
    // First word of the bounds of islands.
    islands: u32,
    padding: u32,
}

@group(1) @binding(0) var<uniform> passes: array<Range, $passes>;
@group(1) @binding(1) var<storage, read> data: array<u32>;
@group(1) @binding(2) var<storage, read_write> lambda: array<f32>;
@group(1) @binding(3) var<storage, read_write> corrections: array<vec4f>;

// The pass that is solved.
var<private> range: Range;

fn gather(k: u32) {
    let node = data[range.gather_table + 2u * k];
    let end = data[range.gather_table + 2u * k + 3u];
    var sum = vec4f();
    for (var entry = data[range.gather_table + 2u * k + 1u]; entry < end; entry++) {
        sum += corrections[data[range.entries + entry]];
    }
    offset[node] += sum * substep.omega;
}

@compute @workgroup_size($group)
fn frame(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let island = group.x;
    let first_particle = data[passes[0].islands + 2u * island];
    let last_particle = data[passes[0].islands + 2u * island + 1u];
    var table = 0u;
    // The uniform is that of the last substep.
    for (var step = 0u; step <= substep.index; step++) {
        for (var i = first_particle + lane; i < last_particle; i += $groupu) {
            predict(i);
        }
        storageBarrier();
        for (var iteration = 0u; iteration < $iterationsu; iteration++) {
            //$body
        }
        for (var i = first_particle + lane; i < last_particle; i += $groupu) {
            take_velocity(i, false);
        }
    }
}
