// The shapes as numbers; the order of the words is that of `shapes.rs` and its parts.

const BALL = 0u;
const CAPSULE = 1u;
const CUBOID = 2u;
const CYLINDER = 3u;
const CONE = 4u;
const HALF_SPACE = 5u;
const TRIANGLE = 6u;
const HULL = 7u;
const MESH = 8u;
const HEIGHT_FIELD = 9u;
const COMPOUND = 10u;

/// Words before the numbers of a piece: its kind, whether it is round, and its border.
const HEADER_WORDS = 3u;
const NODE_WORDS = 8u;
/// In place of a leaf's item: the node is none.
const BRANCH = 0xffffffffu;

fn number(at: u32) -> f32 {
    return bitcast<f32>(geometry[at]);
}

fn vector(at: u32) -> vec3f {
    return vec3f(number(at), number(at + 1u), number(at + 2u));
}
