// Bodies between the passes of a substep; the twin of `xpbd_core::cpu::bodies`. `advance_turning` and
// `settle_turning` are recorded from `xpbd_core::bodies::motion`.

// Behind the inputs of particles: for each body that follows a path its number, anchor, offset and
// rotation at the start of the frame, its velocity and its angular velocity; then, for each substep, offset and rotation of each of them.
@group(1) @binding(2) var<storage, read_write> inputs: array<vec4u>;

const FOLLOWER = 6u;

// Moves a body to its place at the end of the substep, which the host has worked out.
fn follow(k: u32) {
    let table = substep.target_table + substep.targets;
    let first = table + k * FOLLOWER;
    let path = table + substep.followers * (FOLLOWER + 2u * substep.index) + 2u * k;
    let b = inputs[first].x;
    if substep.index == 0u {
        let place = bitcast<vec3f>(inputs[first + 1u].xyz);
        bodies[of_body(BODY_ANCHOR, b)].x = place.x;
        bodies[of_body(BODY_ANCHOR, b)].y = place.y;
        bodies[of_body(BODY_ANCHOR, b)].z = place.z;
        bodies[of_body(BODY_START, b)] = bitcast<vec4f>(inputs[first + 2u]);
        bodies[of_body(BODY_START_ROTATION, b)] = bitcast<vec4f>(inputs[first + 3u]);
        bodies[of_body(BODY_VELOCITY, b)] = bitcast<vec4f>(inputs[first + 4u]);
        bodies[of_body(BODY_SPIN, b)] = bitcast<vec4f>(inputs[first + 5u]);
    } else {
        bodies[of_body(BODY_START, b)] = bodies[of_body(BODY_OFFSET, b)];
        bodies[of_body(BODY_START_ROTATION, b)] = bodies[of_body(BODY_ROTATION, b)];
    }
    bodies[of_body(BODY_OFFSET, b)] = bitcast<vec4f>(inputs[path]);
    bodies[of_body(BODY_ROTATION, b)] = bitcast<vec4f>(inputs[path + 1u]);
}

fn is_movable(b: u32) -> bool {
    return bodies[of_body(BODY_ANCHOR, b)].w != 0.0;
}

// Keeps where a body is at the start of a frame, in case it is to be frozen there.
fn remember(b: u32) {
    bodies[of_body(BODY_BEFORE, b)] = bodies[of_body(BODY_ANCHOR, b)] + bodies[of_body(BODY_OFFSET, b)];
    bodies[of_body(BODY_ROTATION_BEFORE, b)] = bodies[of_body(BODY_ROTATION, b)];
}

// Moves a body as if there were no constraints.
fn predict_body(b: u32) {
    if substep.index == 0u {
        remember(b);
    }
    let was = bodies[of_body(BODY_ANCHOR, b)];
    let rest = bodies[of_body(BODY_OFFSET, b)];
    let inertia = bodies[of_body(BODY_INERTIA, b)];
    let acceleration = bodies[of_body(BODY_ACCELERATION, b)].xyz;
    let free = (bodies[of_body(BODY_VELOCITY, b)].xyz + acceleration * substep.h) * free_along(inertia.w);
    bodies[of_body(BODY_VELOCITY, b)] = vec4f(free, 0.0);
    let way = vec4f(free * substep.h, 0.0);
    let moved = vec4f((was + (rest + way)).xyz, was.w);
    let from_here = (was - moved) + rest;
    bodies[of_body(BODY_ANCHOR, b)] = moved;
    bodies[of_body(BODY_START, b)] = from_here;
    bodies[of_body(BODY_OFFSET, b)] = from_here + way;
    let rotation = bodies[of_body(BODY_ROTATION, b)];
    let spin = bodies[of_body(BODY_SPIN, b)].xyz;
    let torque = bodies[of_body(BODY_TORQUE, b)].xyz;
    let turning = advance_turning(rotation, spin, substep.h, torque, inertia.xyz, free_about(inertia.w));
    bodies[of_body(BODY_START_ROTATION, b)] = rotation;
    bodies[of_body(BODY_ROTATION, b)] = turning.rotation;
    bodies[of_body(BODY_SPIN, b)] = vec4f(turning.spin, 0.0);
    bodies[of_body(BODY_TURN, b)] = vec4f();
}

// Takes the velocities of a body from what the constraints have moved and turned.
fn take_body_velocity(b: u32) {
    let free = bodies[of_body(BODY_VELOCITY, b)];
    let predicted = bodies[of_body(BODY_START, b)] + free * substep.h;
    let velocity = free + (bodies[of_body(BODY_OFFSET, b)] - predicted) * substep.rate;
    let drag = bodies[of_body(BODY_ACCELERATION, b)].w;
    bodies[of_body(BODY_VELOCITY, b)] = velocity / (1.0 + substep.h * drag);
    let rotation = bodies[of_body(BODY_ROTATION, b)];
    let inertia = bodies[of_body(BODY_INERTIA, b)];
    let before = bodies[of_body(BODY_SPIN, b)].xyz;
    let turn = bodies[of_body(BODY_TURN, b)].xyz;
    let spin = settle_turning(rotation, before, substep.h, turn, inertia.xyz, free_about(inertia.w));
    let spin_drag = bodies[of_body(BODY_TORQUE, b)].w;
    bodies[of_body(BODY_SPIN, b)] = vec4f(spin, 0.0) / (1.0 + substep.h * spin_drag);
}

// Freezes a body that is not finite where it was at the start of the frame.
fn freeze(b: u32) {
    bodies[of_body(BODY_ANCHOR, b)] = vec4f(bodies[of_body(BODY_BEFORE, b)].xyz, 0.0);
    bodies[of_body(BODY_INERTIA, b)] = vec4f(0.0, 0.0, 0.0, bodies[of_body(BODY_INERTIA, b)].w);
    bodies[of_body(BODY_ROTATION, b)] = bodies[of_body(BODY_ROTATION_BEFORE, b)];
    bodies[of_body(BODY_START_ROTATION, b)] = bodies[of_body(BODY_ROTATION_BEFORE, b)];
    bodies[of_body(BODY_OFFSET, b)] = vec4f();
    bodies[of_body(BODY_START, b)] = vec4f();
    bodies[of_body(BODY_VELOCITY, b)] = vec4f();
    bodies[of_body(BODY_SPIN, b)] = vec4f();
    bodies[of_body(BODY_TURN, b)] = vec4f();
}

@compute @workgroup_size($group)
fn follow_paths(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var k = id.x; k < substep.followers; k += groups.x * $groupu) {
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
fn conclude_bodies(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var b = id.x; b < substep.bodies; b += groups.x * $groupu) {
        if is_movable(b) {
            take_body_velocity(b);
        }
    }
}

// The end of a substep and the beginning of the next in one, where nothing happens in between.
@compute @workgroup_size($group)
fn advance_bodies(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var b = id.x; b < substep.bodies; b += groups.x * $groupu) {
        if is_movable(b) {
            take_body_velocity(b);
            predict_body(b);
        }
    }
}

// The end of a frame: what is not finite is frozen, the others fold their offsets.
@compute @workgroup_size($group)
fn fold_bodies(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var b = id.x; b < substep.bodies; b += groups.x * $groupu) {
        if !is_movable(b) {
            continue;
        }
        let place = bodies[of_body(BODY_ANCHOR, b)];
        let rest = bodies[of_body(BODY_OFFSET, b)];
        let rotation = bodies[of_body(BODY_ROTATION, b)];
        let folded = vec4f(place.xyz + rest.xyz, place.w);
        let length = dot(rotation, rotation);
        if is_not_finite(folded.xyz) || is_not_finite(vec3f(length)) || abs(length - 1.0) >= 0.01
            || is_not_finite(bodies[of_body(BODY_VELOCITY, b)].xyz) || is_not_finite(bodies[of_body(BODY_SPIN, b)].xyz) {
            freeze(b);
            continue;
        }
        bodies[of_body(BODY_BEFORE, b)] = place;
        bodies[of_body(BODY_ROTATION_BEFORE, b)] = rest;
        bodies[of_body(BODY_ANCHOR, b)] = folded;
        bodies[of_body(BODY_OFFSET, b)] = (place - folded) + rest;
    }
}
