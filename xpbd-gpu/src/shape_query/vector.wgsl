// Vector arithmetic in the order of operations of glam's scalar `Vec3`, `Vec2` and `Quat`. The
// functions built into WGSL may round differently and are free in what they do with NaN.

fn length3(a: vec3f) -> f32 {
    return sqrt(dot3(a, a));
}

fn length2(a: vec2f) -> f32 {
    return sqrt(a.x * a.x + a.y * a.y);
}

fn is_finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

fn is_finite3(v: vec3f) -> bool {
    return is_finite(v.x) && is_finite(v.y) && is_finite(v.z);
}

fn is_nan(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

/// `f32::total_cmp` as the order of integers.
fn order(x: f32) -> i32 {
    let bits = bitcast<i32>(x);
    return bits ^ i32(u32(bits >> 31u) >> 1u);
}

/// Returns 1 with the sign of `x`, also of a zero.
fn sign_of(x: f32) -> f32 {
    return select(1.0, -1.0, bitcast<i32>(x) < 0);
}

/// `f32::min` and `f32::max`: of two numbers one that is NaN is not taken.
fn lesser(a: f32, b: f32) -> f32 {
    return select(a, b, b < a || is_nan(a));
}

fn greater(a: f32, b: f32) -> f32 {
    return select(a, b, b > a || is_nan(a));
}

fn within(x: f32, low: f32, high: f32) -> f32 {
    let above = select(x, low, x < low);
    return select(above, high, above > high);
}

fn lesser3(a: vec3f, b: vec3f) -> vec3f {
    return select(b, a, a < b);
}

fn greater3(a: vec3f, b: vec3f) -> vec3f {
    return select(b, a, a > b);
}

fn max_element(v: vec3f) -> f32 {
    let yz = select(v.z, v.y, v.y > v.z);
    return select(yz, v.x, v.x > yz);
}

/// Returns 1 over the length, or 0 where that is not finite.
fn reciprocal(length: f32) -> f32 {
    let r = 1.0 / length;
    return select(0.0, r, is_finite(r) && r > 0.0);
}

fn normalize_or(v: vec3f, fallback: vec3f) -> vec3f {
    let r = reciprocal(length3(v));
    if r > 0.0 {
        return v * r;
    }
    return fallback;
}

fn normalize2_or(v: vec2f, fallback: vec2f) -> vec2f {
    let r = reciprocal(length2(v));
    if r > 0.0 {
        return v * r;
    }
    return fallback;
}

