// The twin of project.rs. `lists` is laid out as words.rs says: the numbers of levels, coarse vertices and vertices of the
// mesh, then where these lists begin. `coarse` holds ΔX and W of each coarse vertex.
const LEVELS = 3u;
const COLOURS = 4u;
const NODES = 5u;
const PARENTS = 6u;
const MESH_PARENTS = 7u;
const PAIRS = 8u;
const CHILD_BEGINS = 9u;
const CHILDREN = 10u;

fn entry(list: u32, k: u32) -> u32 {
    return lists[lists[list] + k];
}

fn number(list: u32, k: u32) -> f32 {
    return bitcast<f32>(entry(list, k));
}

fn weigh(group: u32, lane: u32) {
    for (var above = lists[0]; above > 0u; above--) {
        let level = above - 1u;
        let is_finest = above == lists[0];
        for (var vertex = entry(LEVELS, 4u * level) + lane; vertex < entry(LEVELS, 4u * level + 1u); vertex += LANES) {
            var mass = 0.0;
            var is_held = false;
            for (var k = entry(CHILD_BEGINS, vertex); k < entry(CHILD_BEGINS, vertex + 1u); k++) {
                let child = entry(CHILDREN, 2u * k);
                var w = 0.0;
                if is_finest {
                    w = inverse_mass(child / 2u);
                } else {
                    w = coarse[child / 2u].w;
                }
                if w > 0.0 {
                    mass += number(CHILDREN, 2u * k + 1u) / w;
                } else {
                    is_held = is_held || (child & 1u) == 1u;
                }
            }
            var w = 0.0;
            if !is_held && mass > 0.0 {
                w = 1.0 / mass;
            }
            coarse[vertex] = vec4f(0.0, 0.0, 0.0, w);
        }
        storageBarrier();
    }
}

fn handed_part(list: u32, vertex: u32, k: u32) -> vec3f {
    return coarse[entry(list, 8u * vertex + k)].xyz * number(list, 8u * vertex + 4u + k);
}

fn handed_down(list: u32, vertex: u32) -> vec3f {
    let first = handed_part(list, vertex, 0u) + handed_part(list, vertex, 1u);
    return (first + handed_part(list, vertex, 2u)) + handed_part(list, vertex, 3u);
}

fn solve(pair: u32) {
    let a = entry(PAIRS, 3u * pair);
    let b = entry(PAIRS, 3u * pair + 1u);
    let max_distance = number(PAIRS, 3u * pair + 2u);
    let apart = between(entry(NODES, a), entry(NODES, b)) + (coarse[b].xyz - coarse[a].xyz);
    let distance = sqrt(dot3(apart, apart));
    let w = coarse[a].w + coarse[b].w;
    if distance > max_distance && w > 0.0 {
        let pull = apart * ((distance - max_distance) / (distance * w));
        coarse[a] = vec4f(coarse[a].xyz + pull * coarse[a].w, coarse[a].w);
        coarse[b] = vec4f(coarse[b].xyz - pull * coarse[b].w, coarse[b].w);
    }
}

fn sweep(group: u32, lane: u32) {
    for (var level = 0u; level < lists[0]; level++) {
        for (var vertex = entry(LEVELS, 4u * level) + lane; vertex < entry(LEVELS, 4u * level + 1u); vertex += LANES) {
            let w = coarse[vertex].w;
            var correction = vec3f();
            if w > 0.0 {
                correction = handed_down(PARENTS, vertex);
            }
            coarse[vertex] = vec4f(correction, w);
        }
        storageBarrier();
        let first = entry(LEVELS, 4u * level + 2u);
        let count = entry(LEVELS, 4u * level + 3u);
        for (var colour = 1u; colour < count; colour++) {
            for (var pair = entry(COLOURS, first + colour - 1u) + lane; pair < entry(COLOURS, first + colour); pair += LANES) {
                solve(pair);
            }
            storageBarrier();
        }
    }
}

fn follow(vertex: u32) {
    if inverse_mass(vertex) > 0.0 {
        shift(vertex, handed_down(MESH_PARENTS, vertex));
    }
}
