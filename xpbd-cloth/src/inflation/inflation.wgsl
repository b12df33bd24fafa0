// The twin of inflation.rs. `lists` begins with the numbers of vertices and chunks, then where the wings
// of each vertex begin, then the wings; `gas` begins with λ and Δλ, then the sums of each chunk, then
// the gradient of each vertex. The inputs are V* and α.
const CHUNK = 1024u;
const DEGENERATE = 1e-30;

var<workgroup> tree: array<vec2f, LANES>;

fn forget(k: u32) {
    gas[0].x = 0.0;
}

fn gradient(vertex: u32) -> vec3f {
    var normal = vec3f();
    let wings = 3u + lists[0];
    for (var k = lists[2u + vertex]; k < lists[3u + vertex]; k++) {
        normal += cross3(between(vertex, lists[wings + 2u * k]), between(vertex, lists[wings + 2u * k + 1u]));
    }
    return normal / 6.0;
}

fn measure(chunk: u32, lane: u32) {
    let end = min((chunk + 1u) * CHUNK, lists[0]);
    var sum = vec2f();
    for (var vertex = chunk * CHUNK + lane; vertex < end; vertex += LANES) {
        let g = gradient(vertex);
        gas[1u + lists[1] + vertex] = vec4f(g, 0.0);
        sum += vec2f(dot3(between(0u, vertex), g), inverse_mass(vertex) * dot3(g, g));
    }
    tree[lane] = sum;
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if lane < half {
            tree[lane] += tree[lane + half];
        }
    }
    if lane == 0u {
        gas[1u + chunk] = vec4f(tree[0], 0.0, 0.0);
    }
}

fn weigh(k: u32) {
    var sums = vec2f();
    for (var chunk = 0u; chunk < lists[1]; chunk++) {
        sums += gas[1u + chunk].xy;
    }
    let softness = input(1u) * compliance_scale();
    let excess = sums.x / 3.0 - input(0u);
    let denominator = sums.y + softness;
    gas[0].y = 0.0;
    if denominator > DEGENERATE {
        let change = (-excess - softness * gas[0].x) / denominator;
        gas[0].x += change;
        gas[0].y = change;
    }
}

fn push(vertex: u32) {
    let g = gas[1u + lists[1] + vertex].xyz;
    shift(vertex, g * (inverse_mass(vertex) * gas[0].y));
}
