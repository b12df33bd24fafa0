// Functions of the stages that change velocities.

// Returns the velocity before the first of these stages [m/s].
fn velocity(k: u32) -> vec3f {
    return bitcast<vec3f>(members[MEMBER_VELOCITY * medium.stride + k].xyz);
}

// Changes a velocity [m/s], unless the member is pinned.
fn accelerate(k: u32, by: vec3f) {
    if place(k).w > 0.0 {
        motion[vector_index(VELOCITY, particle_of(k))] += vec4f(by, 0.0);
    }
}

// Copies the velocity of a member for the stages to read.
fn copy_velocity(k: u32) {
    members[MEMBER_VELOCITY * medium.stride + k] = bitcast<vec4u>(motion[vector_index(VELOCITY, particle_of(k))]);
}
