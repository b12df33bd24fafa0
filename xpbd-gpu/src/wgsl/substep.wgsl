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
        hold(i, solve_collider_contacts(i));
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

// Notes along which normals a particle is pushed, in this substep or, within a frame, in the one before; the twin of
// `held_particles.rs`.
fn hold(i: u32, pushed: vec4f) {
    let place = vector_index(HELD_ALONG, i);
    let before = motion[place];
    if pushed.w == 1.0 {
        motion[place] = pushed;
    } else {
        let stays = before.w == 1.0 && !has_flag(FIRST_SUBSTEP);
        motion[place] = vec4f(select(vec3f(), before.xyz, stays), 0.0);
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
