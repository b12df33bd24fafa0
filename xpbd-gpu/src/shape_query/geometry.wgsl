// The shapes as numbers; the order of the words is that of `shape_query.rs` and its parts, which print kinds and sizes.

fn number(at: u32) -> f32 {
    return bitcast<f32>(geometry[at]);
}

fn vector(at: u32) -> vec3f {
    return vec3f(number(at), number(at + 1u), number(at + 2u));
}
