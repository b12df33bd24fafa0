// Contacts of surfaces beside the pass that solves them.

@group(1) @binding(0) var<uniform> range: Range;

// Marks the particles that were pushed, for the integrator.
@compute @workgroup_size($group)
fn mark_surfaces(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var slot = id.x; slot < range.count; slot += groups.x * $groupu) {
        if lambda[range.lambda + slot] > 0.0 {
            for (var node = 0u; node < 4u; node++) {
                let particle = data[range.base + node * range.stride + slot];
                motion[motion_index(PREVIOUS_VELOCITY, particle)].w = 1.0;
            }
        }
    }
}
