// What the stages of a hook find as it was before the first of them.

// Takes over what the stages that project have moved.
fn follow(k: u32) {
    let change = CHANGE * medium.stride + k;
    members[PLACE * medium.stride + k] = bitcast<vec4u>(place(k) + bitcast<vec4f>(members[change]));
    members[change] = vec4u();
}

// Takes velocities as they are now.
fn take_velocity(k: u32) {
    members[VELOCITY_COPY * medium.stride + k] = bitcast<vec4u>(motion[moving(VELOCITY, particle_of(k))]);
}
