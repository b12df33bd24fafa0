// Moves each body to its place at the end of the substep, which the host has worked out.

@compute @workgroup_size($group)
fn advance_bodies(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var b = id.x; b < substep.bodies; b += groups.x * $groupu) {
        bodies[of_body(BODY_START, b)] = bodies[of_body(BODY_OFFSET, b)];
        bodies[of_body(BODY_START_ROTATION, b)] = bodies[of_body(BODY_ROTATION, b)];
        bodies[of_body(BODY_OFFSET, b)] = bodies[of_body(BODY_PATH + 2u * substep.index, b)];
        bodies[of_body(BODY_ROTATION, b)] = bodies[of_body(BODY_PATH + 2u * substep.index + 1u, b)];
    }
}
