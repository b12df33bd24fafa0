// Where everything is in the buffers of a batch, as kernel.rs lays it out. `lists` begins with the number of members, where members begin in `frames`,
// and where these lists begin:
const BEGINS = 2u;
const CHUNK_BEGINS = 3u;
const CHUNKS = 4u;
const NODES = 5u;
const CLUSTER_OF = 6u;
const GATHERED = 7u;
const GATHER_BEGINS = 8u;
const GATHERS = 9u;

// Vectors of a cluster in `frames`, and behind all clusters those of a chunk.
const ROTATION = 0u;
// Three columns; in the first, w is 1 where the cluster has been matched in this substep.
const PLASTIC = 1u;
const SHAPE = 4u;
// The weighted centre, and the sum of the weights.
const CENTRE = 7u;
const REST_CENTRE = 8u;
const DIAGONAL = 9u;
const MIXED = 10u;
const RESIDUAL_SHIFT = 11u;
const RESIDUAL_ROTATION = 12u;

fn entry(list: u32, k: u32) -> u32 {
    return lists[lists[list] + k];
}

fn part(chunk: u32, k: u32) -> u32 {
    return clusters() * FRAME + chunk * PARTS + k;
}

fn goal_offset(member: u32) -> u32 {
    return lists[1] + member;
}

fn correction(member: u32) -> u32 {
    return lists[1] + lists[0] + member;
}

fn numbers(cluster: u32) -> vec4f {
    return rest[lists[0] + cluster];
}

fn clusters() -> u32 {
    return lists[CHUNK_BEGINS] - lists[BEGINS] - 1u;
}

fn plasticity() -> vec4f {
    return rest[lists[0] + clusters()];
}

// The members of a chunk that lane 0 adds up, from the first to before the second.
fn members_of(chunk: u32) -> vec2u {
    let cluster = entry(CHUNKS, chunk);
    let begin = entry(BEGINS, cluster) + (chunk - entry(CHUNK_BEGINS, cluster)) * CHUNK;
    return vec2u(begin, min(begin + CHUNK, entry(BEGINS, cluster + 1u)));
}

fn weight(member: u32, cluster: u32) -> f32 {
    let node = entry(NODES, member);
    if inverse_mass(node) != 0.0 {
        return rest[member].w;
    }
    return select(0.0, numbers(cluster).y, is_active(node));
}

// The member from which the others are measured: the first of MAX_SEARCHED that is present.
fn first_node(cluster: u32) -> u32 {
    let begin = entry(BEGINS, cluster);
    let end = min(begin + MAX_SEARCHED, entry(BEGINS, cluster + 1u));
    for (var k = begin; k < end; k++) {
        if is_active(entry(NODES, k)) {
            return entry(NODES, k);
        }
    }
    return entry(NODES, begin);
}

fn transform(m: mat3x3f, v: vec3f) -> vec3f {
    return (m[0] * v.x + m[1] * v.y) + m[2] * v.z;
}

fn matrix(cluster: u32, k: u32) -> mat3x3f {
    let at = cluster * FRAME + k;
    return mat3x3f(frames[at].xyz, frames[at + 1u].xyz, frames[at + 2u].xyz);
}

