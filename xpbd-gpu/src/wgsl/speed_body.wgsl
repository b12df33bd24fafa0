// Changes the velocities of a body as far as its axes are free; the twin of `shift_body` in
// `xpbd_core::cpu::project`.
fn shift_body(b: u32, shift: vec4f, rotate: vec4f) {
    let free = freed(b, shift, rotate);
    bodies[of_body(BODY_VELOCITY, b)] += free.along;
    bodies[of_body(BODY_SPIN, b)] += free.about;
}

