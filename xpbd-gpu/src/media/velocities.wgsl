fn velocity(k: u32) -> vec3f {
    return bitcast<vec3f>(members[VELOCITY_COPY * medium.stride + k].xyz);
}

fn accelerate(k: u32, by: vec3f) {
    if place(k).w > 0.0 {
        motion[moving(VELOCITY, particle_of(k))] += vec4f(by, 0.0);
    }
}
