// The end of a frame: objects that are not finite are frozen where they were at its start, the
// others fold their offsets. The twin of `end_particles` in `xpbd_core::world`.

@compute @workgroup_size($group)
fn mark_non_finite(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        let position = anchor[i].xyz + offset[i].xyz;
        if is_not_finite(position) || is_not_finite(motion[vector_index(VELOCITY, i)].xyz) {
            atomicOr(&outcome[FROZEN_MARKS + owner_of(i)], 1u);
        }
    }
}

@compute @workgroup_size($group)
fn fold_offsets(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        var position = anchor[i];
        var particle_offset = offset[i];
        let owner = owner_of(i);
        if atomicLoad(&outcome[FROZEN_MARKS + owner]) != 0u && !is_frozen(owner) {
            position = vec4f(start[vector_index(FRAME_START, i)].xyz, 0.0);
            particle_offset = vec4f();
            start[i] = vec4f();
            motion[vector_index(PREVIOUS_DISPLACEMENT, i)] = vec4f();
            motion[vector_index(PREVIOUS_VELOCITY, i)] = vec4f();
        }
        let folded = vec4f(position.xyz + particle_offset.xyz, position.w);
        anchor[i] = folded;
        offset[i] = (position - folded) + particle_offset;
        start[i] = (position - folded) + start[i];
        if position.w == 0.0 {
            motion[vector_index(VELOCITY, i)] = vec4f();
        }
    }
}

// Lists the contacts with colliders that pushed, in any order: the host sorts them.
@compute @workgroup_size($group)
fn list_contacts(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        if anchor[i].w <= 0.0 {
            continue;
        }
        let count = contact_count(i);
        for (var rank = 0u; rank < count; rank++) {
            let record = contact_record(i, rank);
            let impulse = contacts.records[record + 2u].z;
            if bitcast<f32>(impulse) <= 0.0 {
                continue;
            }
            let first = contacts.records[record];
            let collider = collider_at(first.w);
            let point = bitcast<vec3f>(contacts.records[record + 1u].xyz);
            let normal = bitcast<vec3u>(plane_at(bitcast<vec3f>(first.xyz), point, collider).normal);
            let slot = atomicAdd(&outcome[EVENT_COUNT], 1u);
            if slot < substep.event_capacity {
                let event = FROZEN_MARKS + substep.object_count + EVENT * slot;
                atomicStore(&outcome[event], i);
                atomicStore(&outcome[event + 1u], rank);
                atomicStore(&outcome[event + 2u], first.w);
                atomicStore(&outcome[event + 3u], impulse);
                atomicStore(&outcome[event + 4u], normal.x);
                atomicStore(&outcome[event + 5u], normal.y);
                atomicStore(&outcome[event + 6u], normal.z);
                atomicStore(&outcome[event + 7u], 0u);
            }
        }
    }
}
