// Moves and turns a body as far as its axes are free; the twin of `shift_body` in
// `xpbd_core::cpu::project`. `turned` is recorded from `xpbd_core::scalar::rotation`.
fn shift_body(b: u32, shift: vec4f, rotate: vec4f) {
    let locked = bodies[of_body(BODY_INERTIA, b)].w;
    var along = shift;
    var about = rotate;
    if locked != 0.0 {
        along *= vec4f(free_along(locked), 0.0);
        about *= vec4f(free_about(locked), 0.0);
    }
    bodies[of_body(BODY_OFFSET, b)] += along;
    bodies[of_body(BODY_TURN, b)] += about;
    bodies[of_body(BODY_ROTATION, b)] = turned(bodies[of_body(BODY_ROTATION, b)], about.xyz);
}

