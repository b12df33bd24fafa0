// The multipliers of a pass that is solved directly, between substeps. The sums over a frame follow them.

@group(1) @binding(0) var<uniform> range: Range;
@group(1) @binding(2) var<storage, read_write> lambda: array<f32>;

// Scales multipliers, which are forces times h², to another length of the substep.
@compute @workgroup_size($group)
fn rescale_multipliers(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var k = id.x; k < range.count; k += groups.x * $groupu) {
        lambda[range.lambda + k] = lambda[range.lambda + k] * substep.multiplier_scale;
    }
}

@compute @workgroup_size($group)
fn sum_multipliers(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var k = id.x; k < range.count; k += groups.x * $groupu) {
        let own = lambda[range.lambda + k];
        let sum = range.lambda + range.count + k;
        lambda[sum] = select(lambda[sum] + own, own, has_flag(FIRST_SUBSTEP));
    }
}
