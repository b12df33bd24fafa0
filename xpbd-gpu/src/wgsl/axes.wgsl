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

// What is left of a move and a turn of a body along and about the axes that are free.
struct Freed {
    along: vec4f,
    about: vec4f,
}

fn freed(b: u32, shift: vec4f, rotate: vec4f) -> Freed {
    let locked = bodies[of_body(BODY_INERTIA, b)].w;
    if locked == 0.0 {
        return Freed(shift, rotate);
    }
    return Freed(shift * vec4f(free_along(locked), 0.0), rotate * vec4f(free_about(locked), 0.0));
}
