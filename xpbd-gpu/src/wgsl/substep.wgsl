// Kernels of particles between the passes of a substep.

@compute @workgroup_size($group)
fn predict_particles(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        predict(i);
    }
}

// Solves the contacts of an iteration that is not the last, or that direct solves follow.
@compute @workgroup_size($group)
fn solve_contacts(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        solve_collider_contacts(i);
    }
}

// Notes by which surfaces particles are held in the direct solves that follow.
@compute @workgroup_size($group)
fn hold_particles(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        hold(i);
    }
}

// Solves the contacts of the last iteration, and velocities.
@compute @workgroup_size($group)
fn end_substep(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        solve_collider_contacts(i);
        update_velocity(i, accumulate_impulses(i));
    }
}

// Takes velocities where contacts have been solved already.
@compute @workgroup_size($group)
fn take_velocities(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        update_velocity(i, accumulate_impulses(i));
    }
}

// Ends a substep and predicts the next, where nothing happens in between.
@compute @workgroup_size($group)
fn end_and_predict(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        solve_collider_contacts(i);
        update_velocity(i, accumulate_impulses(i));
        predict(i);
    }
}
