// Particles against bodies that can be pushed, at the start of a substep; the twin of
// `xpbd_core::collide::touch_contacts`. Where the columns of the pass begin is a constant of the text. A
// contact that does not touch has a slack below zero.

// Records of contacts: point on the body and impulse [N s]; normal on the body and restitution; normal in the world when it
// touched last; first vector and number of the supports of the particle, and the coverage.
// Supports: two pins a vector, each with its length [m].

fn column_index(slot: u32, column: u32) -> u32 {
    return range.base + column * range.stride + slot;
}

fn touch_node(slot: u32, node: u32) -> u32 {
    return data[column_index(slot, node)];
}

fn is_touching(slot: u32) -> bool {
    return bitcast<f32>(data[column_index(slot, SLACK)]) >= 0.0;
}

// Returns how far a particle and a body rebound in the substep [m] at the end of an arm of the body.
fn rebound_of(i: u32, b: u32, normal: vec3f, arm: vec3f, restitution: f32) -> f32 {
    if restitution <= 0.0 {
        return 0.0;
    }
    let spin = bodies[body_index(BODY_ANGULAR_VELOCITY, b)].xyz;
    let velocity = bodies[body_index(BODY_VELOCITY, b)].xyz + cross3(spin, arm);
    let parting = dot3(normal, motion[vector_index(VELOCITY, i)].xyz - velocity);
    let acceleration = motion[vector_index(ACCELERATION, i)] - bodies[body_index(BODY_ACCELERATION, b)];
    return rebound_way(restitution, parting, dot3(normal, acceleration.xyz) * substep.h);
}

// Returns the part of a push along a unit vector that a particle is free to follow [1].
fn free_part(header: vec4u, i: u32, direction: vec3f) -> f32 {
    var count = 0u;
    for (var k = 0u; k < header.y; k++) {
        let pair = records[header.x + k / 2u];
        let support = select(pair.xy, pair.zw, k % 2u == 1u);
        let way = ((anchor[i] - anchor[support.x]) + (offset[i] - offset[support.x])).xyz;
        let square = dot3(way, way);
        let least = bitcast<f32>(support.y) * TAUT;
        if anchor[support.x].w == 0.0 && square >= least * least && square > 0.0 {
            taut[count] = way / sqrt(square);
            count += 1u;
        }
    }
    return free_along(direction, count);
}

// Finds whether a particle touches at its predicted position.
fn refresh(slot: u32) {
    let first = range.first + slot * RECORD;
    let i = touch_node(slot, 0u);
    let b = touch_node(slot, 1u);
    let point = bitcast<vec3f>(records[first].xyz);
    let rotation = bodies[body_index(BODY_ROTATION, b)];
    let normal = rotate(rotation, bitcast<vec3f>(records[first + 1u].xyz));
    let apart = (anchor[i] - bodies[body_index(BODY_ANCHOR, b)]).xyz;
    let arm = rotate(rotation, point);
    let now = (apart + (offset[i] - bodies[body_index(BODY_OFFSET, b)]).xyz) - arm;
    if dot3(normal, now) >= substep.radius {
        data[column_index(slot, SLACK)] = bitcast<u32>(-1.0);
        return;
    }
    let swept = rotate(bodies[body_index(BODY_START_ROTATION, b)], point);
    let before = (apart + (start[i] - bodies[body_index(BODY_START, b)]).xyz) - swept;
    let overlap = substep.radius - dot3(normal, before);
    let slack = overlap - substep.max_depenetration_speed * substep.h;
    data[column_index(slot, SLACK)] = bitcast<u32>(select(0.0, slack, slack > 0.0));
    let free = free_part(records[first + 3u], i, normal);
    data[column_index(slot, FREE)] = bitcast<u32>(free);
    data[column_index(slot, REBOUND)] = bitcast<u32>(rebound_of(i, b, normal, arm, bitcast<f32>(records[first + 1u].w)));
    records[first + 2u] = vec4u(bitcast<vec3u>(normal), 0u);
    data[column_index(slot, NORMAL)] = bitcast<u32>(normal.x);
    data[column_index(slot, NORMAL + 1u)] = bitcast<u32>(normal.y);
    data[column_index(slot, NORMAL + 2u)] = bitcast<u32>(normal.z);
}

@compute @workgroup_size($group)
fn update_particle_bodies(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var slot = id.x; slot < range.count; slot += groups.x * $groupu) {
        refresh(slot);
    }
}

// Shares a particle or body among the contacts of it that touch.
fn share(k: u32) {
    let begin = data[range.gather_table + 2u * k + 1u];
    let end = data[range.gather_table + 2u * k + 3u];
    var count = 0.0;
    for (var entry = begin; entry < end; entry++) {
        if is_touching(data[range.entries + entry] / 2u) {
            count += 1.0;
        }
    }
    for (var entry = begin; entry < end; entry++) {
        let correction = data[range.entries + entry];
        data[column_index(correction / 2u, SHARES + correction % 2u)] = bitcast<u32>(count);
    }
}

@compute @workgroup_size($group)
fn share_particle_bodies(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var k = id.x; k < range.gathers; k += groups.x * $groupu) {
        share(k);
    }
}

// Adds the impulses of a substep, and marks the particles that were pushed.
@compute @workgroup_size($group)
fn accumulate_particle_bodies(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var slot = id.x; slot < range.count; slot += groups.x * $groupu) {
        let pushes = lambda[range.lambda + slot];
        if is_touching(slot) && pushes > 0.0 {
            let first = range.first + slot * RECORD;
            let impulse = bitcast<f32>(records[first].w) + pushes * substep.inverse_h;
            records[first].w = bitcast<u32>(impulse);
            motion[vector_index(PREVIOUS_VELOCITY, touch_node(slot, 0u))].w = 1.0;
        }
    }
}
