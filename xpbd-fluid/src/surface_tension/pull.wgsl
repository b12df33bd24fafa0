// The correction of every member.

const COHESION = 8.75f;
const TIGHTENING = 1.25f;
// The largest γ h²/m that a step can follow.
const MOST = 0.02f;
const LEAST_DISTANCE = 1e-20f;

var<private> own: u32;
var<private> normal: vec4f;
var<private> sum: vec3f;

// C.
fn cohesion(q: f32) -> f32 {
    let product = (1.0 - q) * q;
    let cube = product * product * product * 64.0;
    return select(cube * 2.0 - 1.0, cube, q > 0.5);
}

fn visit(j: u32, other: vec4f, apart: vec3f, square: f32) {
    if liquid(j) != own {
        return;
    }
    let q = part_of_reach(square);
    let they = field(HANDED_ON, j);
    let sparse = 2.0 / (they.w + normal.w);
    let along = max(sparse - 1.0, 0.0) * cohesion(q) * COHESION / max(sqrt(square), LEAST_DISTANCE);
    let across = sparse * weight(q) * (TIGHTENING / OWN);
    sum += along * apart + across * (normal.xyz - they.xyz);
}

fn pull(k: u32) {
    own = liquid(k);
    if own == NO_LIQUID {
        return;
    }
    normal = field(HANDED_ON, k);
    sum = vec3f();
    around(k);
    let h = step_length();
    let scale = min(number(k, SURFACE_TENSION) * h * h * place(k).w, MOST) * (2.0 * radius());
    shift(k, -sum * scale);
}
