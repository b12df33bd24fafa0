// Moves a particle.
fn shift_particle(i: u32, by: vec4f) {
    offset[i] += by;
}

