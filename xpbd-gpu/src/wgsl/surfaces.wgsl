// Contacts of surfaces beside the passes that solve them.

@group(1) @binding(0) var<uniform> range: Range;

// Marks the first nodes of contacts that pushed, for the integrator.
fn mark(thread: u32, threads: u32, nodes: u32) {
    for (var slot = thread; slot < range.count; slot += threads) {
        if lambda[range.lambda + slot] > 0.0 {
            for (var node = 0u; node < nodes; node++) {
                let particle = data[range.base + node * range.stride + slot];
                motion[vector_index(PREVIOUS_VELOCITY, particle)].w = 1.0;
            }
        }
    }
}

// Marks the particles that surfaces and particles have pushed.
@compute @workgroup_size($group)
fn mark_surfaces(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    mark(id.x, groups.x * $groupu, 4u);
}

// Marks the particles that shapes have pushed.
@compute @workgroup_size($group)
fn mark_surface_shapes(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    mark(id.x, groups.x * $groupu, 3u);
}
