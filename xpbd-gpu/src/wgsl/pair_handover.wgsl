
// The positions of particles between the contacts of pairs and those that are solved after them.

// Moves particles to where pairs have moved them.
@compute @workgroup_size($group)
fn begin_from_pairs(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        offset[i] = vec4f(motion[vector_index(CORRECTED, i)].xyz, 0.0);
    }
}

// Gives pairs the present positions.
@compute @workgroup_size($group)
fn return_to_pairs(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        motion[vector_index(CORRECTED, i)] = vec4f(offset[i].xyz, motion[vector_index(CORRECTED, i)].w);
    }
}
