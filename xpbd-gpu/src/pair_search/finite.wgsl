// By the exponents: compilers may assume that no number is infinite or NaN.
fn finite(v: vec3f) -> bool {
    let exponents = bitcast<vec3u>(v) & vec3u(0x7f800000u);
    return all(exponents != vec3u(0x7f800000u));
}
