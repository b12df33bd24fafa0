// A whole frame of small islands, one workgroup each.

@group(1) @binding(0) var<uniform> passes: array<Range, $passes>;

// The pass that is solved.
var<private> range: Range;

@compute @workgroup_size($group)
fn frame(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let island = group.x;
    let first_particle = data[passes[0].islands + 2u * island];
    let last_particle = data[passes[0].islands + 2u * island + 1u];
    var table = 0u;
    // The uniform is that of the last substep. An empty island has none.
    let end = select(0u, substep.index + 1u, first_particle < last_particle);
    for (var step = 0u; step < end; step++) {
        for (var i = first_particle + lane; i < last_particle; i += $groupu) {
            predict(i);
        }
        storageBarrier();
        for (var iteration = 0u; iteration < $iterationsu; iteration++) {
            //$body
        }
        for (var i = first_particle + lane; i < last_particle; i += $groupu) {
            update_velocity(i, false);
        }
    }
}
