// Twin of `near.rs`: the nearest feature of a piece, seen from a point.

struct Nearest {
    point: vec3f,
    normal: vec3f,
    distance: f32,
}

fn resolution(x: vec3f) -> f32 {
    return 1e-6 * (max_element(abs(x)) + 1e-3);
}

fn sharp(x: vec3f, point: vec3f, fallback: vec3f) -> Nearest {
    let offset = x - point;
    let distance = length3(offset);
    if distance > resolution(x) {
        return Nearest(point, offset / distance, distance);
    }
    return Nearest(point, fallback, distance);
}

fn across(axis: vec3f) -> vec3f {
    let r = reciprocal(length3(axis));
    if r == 0.0 {
        return vec3f(1.0, 0.0, 0.0);
    }
    let n = axis * r;
    let sign = sign_of(n.z);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    return vec3f(b, sign + n.y * n.y * a, -n.y);
}
