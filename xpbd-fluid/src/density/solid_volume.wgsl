// The volume that a solid particle stands for.

var<private> sum: f32;

fn visit(j: u32, other: vec4f, apart: vec3f, square: f32) {
    if is_solid(j) {
        sum += weight(part_of_reach(square));
    }
}

fn set_solid_volume(k: u32) {
    if is_solid(k) {
        sum = 0.0;
        around(k);
        set_field(SOLVED, k, vec4f(0.0, 1.0 / sum, 0.0, 0.0));
    }
}
