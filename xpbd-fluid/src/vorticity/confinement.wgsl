// The change of velocity of every member.

var<private> own: vec4f;
var<private> sum: vec3f;

fn visit(j: u32, other: vec4f, apart: vec3f, square: f32) {
    if !is_solid(j) {
        sum += slope(part_of_reach(square)) * (field(HANDED_ON, j).w - own.w) * apart;
    }
}

fn apply_confinement(k: u32) {
    if is_solid(k) {
        return;
    }
    let strength = number(k, VORTICITY);
    if strength == 0.0 {
        return;
    }
    own = field(HANDED_ON, k);
    sum = vec3f();
    around(k);
    let size = sqrt(dot3(sum, sum));
    if size > 0.0 {
        let scale = min(step_length() * strength, MAX_CONFINEMENT) * (2.0 * radius());
        accelerate(k, cross3(sum / size, own.xyz) * scale);
    }
}
