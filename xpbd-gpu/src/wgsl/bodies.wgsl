// Bodies between the passes of a substep; the twin of `xpbd_core::cpu::bodies`. `advance_rotation` and
// `solve_angular_velocity` are recorded from `xpbd_core::bodies::motion`.

// Behind the inputs of particles: for each body that follows a path its number, anchor, offset and
// rotation at the start of the frame, its velocity and its angular velocity; then, for each substep, offset and rotation of each of them.
@group(1) @binding(2) var<storage, read_write> inputs: array<vec4u>;

const FOLLOWER = 6u;

// Moves a body to its position at the end of the substep, which the host has computed.
fn follow(k: u32) {
    let table = substep.particles + substep.targets;
    let first = table + k * FOLLOWER;
    let path = table + substep.kinematic_bodies * (FOLLOWER + 2u * substep.index) + 2u * k;
    let b = inputs[first].x;
    if substep.index == 0u {
        let position = bitcast<vec3f>(inputs[first + 1u].xyz);
        bodies[body_index(BODY_ANCHOR, b)].x = position.x;
        bodies[body_index(BODY_ANCHOR, b)].y = position.y;
        bodies[body_index(BODY_ANCHOR, b)].z = position.z;
        bodies[body_index(BODY_START, b)] = bitcast<vec4f>(inputs[first + 2u]);
        bodies[body_index(BODY_START_ROTATION, b)] = bitcast<vec4f>(inputs[first + 3u]);
        bodies[body_index(BODY_VELOCITY, b)] = bitcast<vec4f>(inputs[first + 4u]);
        bodies[body_index(BODY_ANGULAR_VELOCITY, b)] = bitcast<vec4f>(inputs[first + 5u]);
    } else {
        bodies[body_index(BODY_START, b)] = bodies[body_index(BODY_OFFSET, b)];
        bodies[body_index(BODY_START_ROTATION, b)] = bodies[body_index(BODY_ROTATION, b)];
    }
    bodies[body_index(BODY_OFFSET, b)] = bitcast<vec4f>(inputs[path]);
    bodies[body_index(BODY_ROTATION, b)] = bitcast<vec4f>(inputs[path + 1u]);
}

// Returns whether a body can be moved.
fn is_movable(b: u32) -> bool {
    return bodies[body_index(BODY_ANCHOR, b)].w != 0.0;
}

// Stores position and rotation of a body at the start of a frame, in case it is to be frozen there.
fn remember(b: u32) {
    bodies[body_index(BODY_FRAME_POSITION, b)] = bodies[body_index(BODY_ANCHOR, b)] + bodies[body_index(BODY_OFFSET, b)];
    bodies[body_index(BODY_FRAME_ROTATION, b)] = bodies[body_index(BODY_ROTATION, b)];
}

// Moves a body as if there were no constraints.
fn predict_body(b: u32) {
    if substep.index == 0u {
        remember(b);
    }
    let was = bodies[body_index(BODY_ANCHOR, b)];
    let body_offset = bodies[body_index(BODY_OFFSET, b)];
    let inertia = bodies[body_index(BODY_INERTIA, b)];
    let acceleration = bodies[body_index(BODY_ACCELERATION, b)].xyz;
    let free = (bodies[body_index(BODY_VELOCITY, b)].xyz + acceleration * substep.h) * free_along(inertia.w);
    bodies[body_index(BODY_VELOCITY, b)] = vec4f(free, 0.0);
    let displacement = vec4f(free * substep.h, 0.0);
    let moved = vec4f((was + (body_offset + displacement)).xyz, was.w);
    let from_here = (was - moved) + body_offset;
    bodies[body_index(BODY_ANCHOR, b)] = moved;
    bodies[body_index(BODY_START, b)] = from_here;
    bodies[body_index(BODY_OFFSET, b)] = from_here + displacement;
    let rotation = bodies[body_index(BODY_ROTATION, b)];
    let angular_velocity = bodies[body_index(BODY_ANGULAR_VELOCITY, b)].xyz;
    let torque = bodies[body_index(BODY_TORQUE, b)].xyz;
    let rotational = advance_rotation(rotation, angular_velocity, substep.h, torque, inertia.xyz, free_about(inertia.w));
    bodies[body_index(BODY_START_ROTATION, b)] = rotation;
    bodies[body_index(BODY_ROTATION, b)] = rotational.rotation;
    bodies[body_index(BODY_ANGULAR_VELOCITY, b)] = vec4f(rotational.angular_velocity, 0.0);
    bodies[body_index(BODY_ROTATION_CORRECTION, b)] = vec4f();
}

// Computes the velocities of a body from the corrections of the constraints.
fn update_body_velocity(b: u32) {
    let free = bodies[body_index(BODY_VELOCITY, b)];
    let predicted = bodies[body_index(BODY_START, b)] + free * substep.h;
    let velocity = free + (bodies[body_index(BODY_OFFSET, b)] - predicted) * substep.inverse_h;
    let linear_damping = bodies[body_index(BODY_ACCELERATION, b)].w;
    bodies[body_index(BODY_VELOCITY, b)] = velocity / (1.0 + substep.h * linear_damping);
    let rotation = bodies[body_index(BODY_ROTATION, b)];
    let inertia = bodies[body_index(BODY_INERTIA, b)];
    let before = bodies[body_index(BODY_ANGULAR_VELOCITY, b)].xyz;
    let correction = bodies[body_index(BODY_ROTATION_CORRECTION, b)].xyz;
    let angular_velocity = solve_angular_velocity(rotation, before, substep.h, correction, inertia.xyz, free_about(inertia.w));
    let angular_damping = bodies[body_index(BODY_TORQUE, b)].w;
    bodies[body_index(BODY_ANGULAR_VELOCITY, b)] = vec4f(angular_velocity, 0.0) / (1.0 + substep.h * angular_damping);
}

// Freezes a body that is not finite where it was at the start of the frame.
fn freeze(b: u32) {
    bodies[body_index(BODY_ANCHOR, b)] = vec4f(bodies[body_index(BODY_FRAME_POSITION, b)].xyz, 0.0);
    bodies[body_index(BODY_INERTIA, b)] = vec4f(0.0, 0.0, 0.0, bodies[body_index(BODY_INERTIA, b)].w);
    bodies[body_index(BODY_ROTATION, b)] = bodies[body_index(BODY_FRAME_ROTATION, b)];
    bodies[body_index(BODY_START_ROTATION, b)] = bodies[body_index(BODY_FRAME_ROTATION, b)];
    bodies[body_index(BODY_OFFSET, b)] = vec4f();
    bodies[body_index(BODY_START, b)] = vec4f();
    bodies[body_index(BODY_VELOCITY, b)] = vec4f();
    bodies[body_index(BODY_ANGULAR_VELOCITY, b)] = vec4f();
    bodies[body_index(BODY_ROTATION_CORRECTION, b)] = vec4f();
}

@compute @workgroup_size($group)
fn move_kinematic_bodies(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var k = id.x; k < substep.kinematic_bodies; k += groups.x * $groupu) {
        follow(k);
    }
}

@compute @workgroup_size($group)
fn predict_bodies(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var b = id.x; b < substep.bodies; b += groups.x * $groupu) {
        if is_movable(b) {
            predict_body(b);
        }
    }
}

@compute @workgroup_size($group)
fn end_body_substep(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var b = id.x; b < substep.bodies; b += groups.x * $groupu) {
        if is_movable(b) {
            update_body_velocity(b);
        }
    }
}

// Ends a substep and predicts the next, where nothing happens in between.
@compute @workgroup_size($group)
fn end_and_predict_bodies(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var b = id.x; b < substep.bodies; b += groups.x * $groupu) {
        if is_movable(b) {
            update_body_velocity(b);
            predict_body(b);
        }
    }
}

// Ends a frame: freezes bodies that are not finite, and folds the offsets of the others.
@compute @workgroup_size($group)
fn fold_bodies(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var b = id.x; b < substep.bodies; b += groups.x * $groupu) {
        if !is_movable(b) {
            continue;
        }
        let position = bodies[body_index(BODY_ANCHOR, b)];
        let body_offset = bodies[body_index(BODY_OFFSET, b)];
        let rotation = bodies[body_index(BODY_ROTATION, b)];
        let folded = vec4f(position.xyz + body_offset.xyz, position.w);
        let length = dot(rotation, rotation);
        if is_not_finite(folded.xyz) || is_not_finite(vec3f(length)) || abs(length - 1.0) >= 0.01
            || is_not_finite(bodies[body_index(BODY_VELOCITY, b)].xyz) || is_not_finite(bodies[body_index(BODY_ANGULAR_VELOCITY, b)].xyz) {
            freeze(b);
            continue;
        }
        bodies[body_index(BODY_FRAME_POSITION, b)] = position;
        bodies[body_index(BODY_FRAME_ROTATION, b)] = body_offset;
        bodies[body_index(BODY_ANCHOR, b)] = folded;
        bodies[body_index(BODY_OFFSET, b)] = (position - folded) + body_offset;
    }
}
