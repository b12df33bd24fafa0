// Normals and densities, of the same liquid alone.

var<private> own: u32;
var<private> sum: vec4f;

fn visit(j: u32, other: vec4f, apart: vec3f, square: f32) {
    if liquid(j) == own {
        let q = part_of_reach(square);
        sum += vec4f(slope(q) * apart, weight(q));
    }
}

fn set_normal(k: u32) {
    own = liquid(k);
    if own != NO_LIQUID {
        sum = vec4f();
        around(k);
        set_field(HANDED_ON, k, vec4f(sum.xyz * reach(), sum.w));
    }
}
