// Vorticity confinement; the twin of `vorticity.rs`, where the formulas stand. ω and |ω| of each member are handed on.

var<private> own: vec3f;
var<private> sum: vec3f;

fn visit(j: u32, other: vec4f, apart: vec3f, square: f32) {
    if !is_solid(j) {
        sum += slope(part_of_reach(square)) * cross3(apart, velocity(j) - own);
    }
}

fn set_curl(k: u32) {
    if is_solid(k) {
        return;
    }
    own = velocity(k);
    sum = vec3f();
    around(k);
    let curl = sum / CURL_SUM;
    set_field(HANDED_ON, k, vec4f(curl, sqrt(dot3(curl, curl))));
}
