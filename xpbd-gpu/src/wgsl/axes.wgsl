// Axes of the world along and about which a body moves: 1 where it is free, 0 where six bits lock it;
// the twin of `free_axes` in `xpbd_core::cpu::bodies`.

fn free_axis(mask: f32, bit: u32) -> f32 {
    return select(1.0, 0.0, ((u32(mask) >> bit) & 1u) == 1u);
}

fn free_along(mask: f32) -> vec3f {
    return vec3f(free_axis(mask, 0u), free_axis(mask, 1u), free_axis(mask, 2u));
}

fn free_about(mask: f32) -> vec3f {
    return vec3f(free_axis(mask, 3u), free_axis(mask, 4u), free_axis(mask, 5u));
}

// A displacement and a rotation vector without the components along and about locked axes.
struct Freed {
    along: vec4f,
    about: vec4f,
}

fn freed(b: u32, shift: vec4f, rotation: vec4f) -> Freed {
    let locked = bodies[body_index(BODY_INERTIA, b)].w;
    if locked == 0.0 {
        return Freed(shift, rotation);
    }
    return Freed(shift * vec4f(free_along(locked), 0.0), rotation * vec4f(free_about(locked), 0.0));
}
