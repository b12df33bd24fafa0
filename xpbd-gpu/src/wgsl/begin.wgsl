// The start of a frame: forces become accelerations, targets become velocities. The twin of
// `begin_particles` in `xpbd_core::world`.

// Forces [N] of all particles, then the targets: position [m] and particle.
// Branches here depend on more than uniforms: see `Aim` of direct solves.
@group(1) @binding(2) var<storage, read_write> inputs: array<vec4u>;

@compute @workgroup_size($group)
fn begin(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        let position = anchor[i];
        let weight = bitcast<vec4f>(object_vector(owner_of(i), 0u));
        var push = vec3f();
        if position.w > 0.0 {
            var force = vec3f();
            if i < substep.forces {
                force = bitcast<vec3f>(inputs[i].xyz);
            }
            push = weight.xyz + force * position.w;
        }
        motion[vector_index(ACCELERATION, i)] = vec4f(push, select(weight.w, -1.0, is_inactive(i)));
        start[vector_index(FRAME_START, i)] = position;
        motion[vector_index(SIGNED_DISTANCE, i)] = vec4f();
        start[vector_index(SEARCHED_WAY, i)].w = UNSEARCHED;
        let history = vector_index(PREVIOUS_DISPLACEMENT, i);
        motion[history].w = select(motion[history].w, 0.0, has_flag(RESTART_HISTORY));
    }
}

@compute @workgroup_size($group)
fn follow_targets(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var k = id.x; k < substep.targets; k += groups.x * $groupu) {
        let goal = inputs[substep.particles + k];
        let i = goal.w;
        if anchor[i].w == 0.0 && !is_frozen(owner_of(i)) {
            let displacement = (bitcast<vec3f>(goal.xyz) - anchor[i].xyz) - offset[i].xyz;
            motion[vector_index(VELOCITY, i)] = vec4f(displacement / substep.dt, 0.0);
        }
    }
}
