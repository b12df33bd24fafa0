
// Before contacts that follow those of pairs particles are where pairs
// have moved them; afterwards pairs leave them where they are.
@compute @workgroup_size($group)
fn take_pairs(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        offset[i] = vec4f(motion[moving(CORRECTED, i)].xyz, 0.0);
    }
}

@compute @workgroup_size($group)
fn leave_pairs(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        motion[moving(CORRECTED, i)] = vec4f(offset[i].xyz, motion[moving(CORRECTED, i)].w);
    }
}
