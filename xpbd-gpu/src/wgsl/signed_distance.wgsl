// Contacts of particles that know how deep they are in a body, the twin of
// `xpbd_core::collide::separation`, from which `exit_direction` is printed.

// Kinds of touch of a pair: none, as balls, or as parts of bodies.
const NOT = 0.0;
const BALLS = 1.0;
const BODIES = 2.0;

// Returns the direction from the second particle to the first, and the depth of the one that is less deep.
fn exit_of(a: u32, b: u32) -> vec4f {
    return exit_direction(motion[vector_index(SIGNED_DISTANCE, a)], motion[vector_index(SIGNED_DISTANCE, b)]);
}

// Returns how two particles touch that are near enough.
fn touch_of(a: u32, b: u32) -> f32 {
    let exit = exit_of(a, b);
    if owner_of(a) == owner_of(b) || !any(exit.xyz != vec3f()) {
        return BALLS;
    }
    let x = (anchor[a] - anchor[b]).xyz + (offset[a] - offset[b]).xyz;
    return select(BODIES, BALLS, exit.w <= LAYER * substep.radius && dot3(exit.xyz, x) >= 0.0);
}

// Moves the first particle by a vector, and keeps it at least this distance away (w) then.
fn separation_of(a: u32, b: u32, touch: f32) -> vec4f {
    if touch == BODIES {
        let exit = exit_of(a, b);
        let length = FLATNESS * substep.radius;
        return vec4f(exit.xyz * length, (max(exit.w, substep.radius) + substep.radius) + length);
    }
    let distance = 2.0 * substep.radius;
    return vec4f(0.0, distance * APART, 0.0, distance);
}
