// The correction of every member.

var<private> lambda: f32;
var<private> sum: vec3f;
var<private> own_way: vec3i;
var<private> parting: vec3i;

// The way of a particle among others at its place; see `one_place.rs`.
fn way(k: u32) -> vec3i {
    let bits = particle_of(k) * 0x9e3779b1u;
    return vec3i(vec3u(bits >> 24u, (bits >> 16u) & 0xffu, (bits >> 8u) & 0xffu)) - 128;
}

fn visit(j: u32, other: vec4f, apart: vec3f, square: f32) {
    if movable(j, other.w) > 0.0 {
        sum += apart * (slope(part_of_reach(square)) * (lambda + field(SOLVED, j).x));
    }
    if square == 0.0 && !is_solid(j) {
        parting += own_way - way(j);
    }
}

fn correct(k: u32) {
    if is_solid(k) {
        return;
    }
    lambda = field(SOLVED, k).x;
    sum = vec3f();
    own_way = way(k);
    parting = vec3i();
    around(k);
    sum *= place(k).w;
    for (var n = 0u; n < wall_count(k); n++) {
        sum += wall_push(k, n) * wall(k, n).normal;
    }
    shift(k, sum + vec3f(parting) * (PARTING * radius() / 256.0));
}
