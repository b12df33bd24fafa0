// Changes the velocity of a particle.
fn shift_particle(i: u32, by: vec4f) {
    motion[moving(VELOCITY, i)] += by;
}

