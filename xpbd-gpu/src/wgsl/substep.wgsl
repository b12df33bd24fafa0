// What happens to each particle between the passes of a substep.

@compute @workgroup_size($group)
fn predict_all(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        predict(i);
    }
}

// Contacts of an iteration that is not the last.
@compute @workgroup_size($group)
fn resolve_all(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        resolve(i);
    }
}

// Contacts of the last iteration, and velocities.
@compute @workgroup_size($group)
fn conclude_all(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        resolve(i);
        take_velocity(i, push(i));
    }
}

// The end of a substep and the beginning of the next in one, where nothing happens in between.
@compute @workgroup_size($group)
fn advance_all(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        resolve(i);
        take_velocity(i, push(i));
        predict(i);
    }
}
