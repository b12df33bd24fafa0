// The correction of every member.

var<private> own: u32;
var<private> normal: vec4f;
var<private> sum: vec3f;

fn visit(j: u32, other: vec4f, apart: vec3f, square: f32) {
    if liquid(j) != own {
        return;
    }
    let q = part_of_reach(square);
    let they = field(HANDED_ON, j);
    let sparse = 2.0 / (they.w + normal.w);
    let along = max(sparse - 1.0, 0.0) * cohesion(q) * COHESION / max(sqrt(square), MIN_DISTANCE);
    let across = sparse * weight(q) * (TIGHTENING / SELF_WEIGHT);
    sum += along * apart + across * (normal.xyz - they.xyz);
}

fn apply_tension(k: u32) {
    own = liquid(k);
    if own == NO_LIQUID {
        return;
    }
    normal = field(HANDED_ON, k);
    sum = vec3f();
    around(k);
    let h = step_length();
    let scale = min(number(k, SURFACE_TENSION) * h * h * place(k).w, MAX_FORCE) * (2.0 * radius());
    shift(k, -sum * scale);
}
