// Functions of the stages that project.

// Stores how far a wall pushes a member [m]; the wall is pushed back by as much.
fn push_wall(k: u32, n: u32, by: f32) {
    walls.records[wall_record(particle_of(k), n) + 2u].x = bitcast<u32>(by);
}

fn wall_push(k: u32, n: u32) -> f32 {
    return bitcast<f32>(walls.records[wall_record(particle_of(k), n) + 2u].x);
}

// Moves a member, unless it is pinned or a solid.
fn shift(k: u32, by: vec3f) {
    if place(k).w > 0.0 && !is_solid(k) {
        offset[particle_of(k)] += vec4f(by, 0.0);
        let displacement = MEMBER_DISPLACEMENT * medium.stride + k;
        members[displacement] = bitcast<vec4u>(bitcast<vec4f>(members[displacement]) + vec4f(by, 0.0));
    }
}

// Applies the displacement of a member by the stages to the position that they read.
fn apply_displacement(k: u32) {
    let displacement = MEMBER_DISPLACEMENT * medium.stride + k;
    members[MEMBER_POSITION * medium.stride + k] = bitcast<vec4u>(place(k) + bitcast<vec4f>(members[displacement]));
    members[displacement] = vec4u();
}
