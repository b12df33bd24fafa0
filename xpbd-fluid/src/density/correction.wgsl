// The correction of every member.

var<private> lambda: f32;
var<private> sum: vec3f;

fn visit(j: u32, other: vec4f, apart: vec3f, square: f32) {
    if movable(j, other.w) > 0.0 {
        sum += apart * (slope(part_of_reach(square)) * (lambda + field(SOLVED, j).x));
    }
}

fn correct(k: u32) {
    if is_solid(k) {
        return;
    }
    lambda = field(SOLVED, k).x;
    sum = vec3f();
    around(k);
    sum *= place(k).w;
    for (var n = 0u; n < wall_count(k); n++) {
        sum += wall_push(k, n) * wall(k, n).normal;
    }
    shift(k, sum);
}
