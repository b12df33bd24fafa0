// Contacts of particles that know how deep they are in a body, the twin of `field.rs` in
// `xpbd_core::collide`.

const FLATNESS = 32.0;
const LAYER = 2.0;
const APART = 1e-6;

// Kinds of touch of a pair: none, as balls, or as parts of bodies.
const NOT = 0.0;
const BALLS = 1.0;
const BODIES = 2.0;

// The direction from the second particle to the first, and the depth of the one that is less deep;
// no direction if neither has a field.
fn way_out(a: u32, b: u32) -> vec4f {
    let first = motion[motion_index(SIGNED_DISTANCE, a)];
    let second = motion[motion_index(SIGNED_DISTANCE, b)];
    let has_first = dot3(first.xyz, first.xyz) > 0.5;
    let has_second = dot3(second.xyz, second.xyz) > 0.5;
    if has_first && (!has_second || first.w > second.w) {
        return vec4f(-first.xyz, -first.w);
    }
    if has_second {
        return vec4f(second.xyz, -second.w);
    }
    return vec4f();
}

// Returns how two particles touch that are near enough.
fn touch_of(a: u32, b: u32) -> f32 {
    let way = way_out(a, b);
    if owner_of(a) == owner_of(b) || !any(way.xyz != vec3f()) {
        return BALLS;
    }
    let x = (anchor[a] - anchor[b]).xyz + (offset[a] - offset[b]).xyz;
    return select(BODIES, BALLS, way.w <= LAYER * substep.radius && dot3(way.xyz, x) >= 0.0);
}

// Moves the first particle by a vector, and keeps it at least this distance away (w) then.
fn separation_of(a: u32, b: u32, touch: f32) -> vec4f {
    if touch == BODIES {
        let way = way_out(a, b);
        let length = FLATNESS * substep.radius;
        return vec4f(way.xyz * length, (max(way.w, substep.radius) + substep.radius) + length);
    }
    let distance = 2.0 * substep.radius;
    return vec4f(0.0, distance * APART, 0.0, distance);
}
