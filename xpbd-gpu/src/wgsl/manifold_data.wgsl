// Records of manifolds, and the columns of their pass. The first columns and the sizes of records are constants of the
// text.

// Records of manifolds: normal and restitution; slip and twist at the start of the frame; sliding friction, arm, number of
// points, 1 if these are to be taken anew; for each side its centre and body, and its points with their roundness; foot and
// impulse [N s].

fn record(slot: u32, vector: u32) -> vec4u {
    return records[range.first + slot * RECORD + vector];
}

fn record_f(slot: u32, vector: u32) -> vec4f {
    return bitcast<vec4f>(record(slot, vector));
}

fn body_of(slot: u32, side: u32) -> u32 {
    return record(slot, SIDES + SIDE * side).w;
}

fn core_of(slot: u32, side: u32, k: u32) -> vec3f {
    return bitcast<vec3f>(record(slot, SIDES + SIDE * side + 1u + k).xyz);
}

fn round_of(slot: u32, side: u32, k: u32) -> f32 {
    return bitcast<f32>(record(slot, SIDES + SIDE * side + 1u + k).w);
}

// Returns whether a side is round about a core.
fn is_round(slot: u32, side: u32) -> bool {
    var round = 0.0;
    for (var k = 0u; k < 4u; k++) {
        round = max(round, round_of(slot, side, k));
    }
    return round > 0.0;
}

fn foot_of(slot: u32) -> vec3f {
    return bitcast<vec3f>(record(slot, FOOT).xyz);
}

fn read_column(slot: u32, column: u32) -> f32 {
    return bitcast<f32>(data[range.base + column * range.stride + slot]);
}

fn read_vector(slot: u32, column: u32) -> vec3f {
    return vec3f(read_column(slot, column), read_column(slot, column + 1u), read_column(slot, column + 2u));
}

fn write_column(slot: u32, column: u32, number: f32) {
    data[range.base + column * range.stride + slot] = bitcast<u32>(number);
}

fn write_vector(slot: u32, column: u32, v: vec3f) {
    write_column(slot, column, v.x);
    write_column(slot, column + 1u, v.y);
    write_column(slot, column + 2u, v.z);
}

// Orientation of a side, now or at the start of the substep.
fn rotation_of(slot: u32, side: u32, section: u32) -> vec4f {
    let b = body_of(slot, side);
    if b == NOBODY {
        return vec4f(0.0, 0.0, 0.0, 1.0);
    }
    return bodies[body_index(section, b)];
}

fn multiplier(slot: u32, row: u32) -> f32 {
    return lambda[range.lambda + row * range.stride + slot];
}

