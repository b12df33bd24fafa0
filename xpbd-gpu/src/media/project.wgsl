// Says how far a wall pushes a member [m]: what it is pushed back by.
fn push_wall(k: u32, n: u32, by: f32) {
    walls.records[wall_record(particle_of(k), n) + 2u].x = bitcast<u32>(by);
}

fn wall_push(k: u32, n: u32) -> f32 {
    return bitcast<f32>(walls.records[wall_record(particle_of(k), n) + 2u].x);
}

fn shift(k: u32, by: vec3f) {
    if place(k).w > 0.0 && !is_solid(k) {
        offset[particle_of(k)] += vec4f(by, 0.0);
        let change = CHANGE * medium.stride + k;
        members[change] = bitcast<vec4u>(bitcast<vec4f>(members[change]) + vec4f(by, 0.0));
    }
}
