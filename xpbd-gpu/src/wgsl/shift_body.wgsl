// Moves and turns a body as far as its axes are free; the twin of `shift_body` in
// `xpbd_core::cpu::project`. `turned` is recorded from `xpbd_core::scalar::rotation`.
fn shift_body(b: u32, shift: vec4f, rotate: vec4f) {
    let free = freed(b, shift, rotate);
    bodies[of_body(BODY_OFFSET, b)] += free.along;
    bodies[of_body(BODY_TURN, b)] += free.about;
    bodies[of_body(BODY_ROTATION, b)] = turned(bodies[of_body(BODY_ROTATION, b)], free.about.xyz);
}

