// Corrections of particles and bodies; the twin of `shift_body` in `xpbd_core::cpu::project`. `CHANGES_VELOCITIES` is a
// constant of the text, and `rotated` is recorded from `xpbd_core::scalar::rotation`.

// Moves a particle, or changes its velocity.
fn shift_particle(i: u32, by: vec4f) {
    if CHANGES_VELOCITIES {
        motion[vector_index(VELOCITY, i)] += by;
    } else {
        offset[i] += by;
    }
}

// Moves and rotates a body as far as its axes are free, or changes its velocities.
fn shift_body(b: u32, shift: vec4f, rotation: vec4f) {
    let free = freed(b, shift, rotation);
    if CHANGES_VELOCITIES {
        bodies[body_index(BODY_VELOCITY, b)] += free.along;
        bodies[body_index(BODY_ANGULAR_VELOCITY, b)] += free.about;
    } else {
        bodies[body_index(BODY_OFFSET, b)] += free.along;
        bodies[body_index(BODY_ROTATION_CORRECTION, b)] += free.about;
        bodies[body_index(BODY_ROTATION, b)] = rotated(bodies[body_index(BODY_ROTATION, b)], free.about.xyz);
    }
}
