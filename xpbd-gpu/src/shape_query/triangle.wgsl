// Twin of `triangle.rs`: the nearest point of a triangle and the feature it lies on.

const FACE = 0u;
const EDGE = 1u;
const VERTEX = 4u;

struct Triangle {
    a: vec3f,
    b: vec3f,
    c: vec3f,
}

/// A feature is `FACE`, `EDGE + i` or `VERTEX + i`.
struct Closest {
    point: vec3f,
    feature: u32,
}

struct OnTriangle {
    nearest: Nearest,
    feature: u32,
}

fn scaled_normal(t: Triangle) -> vec3f {
    return cross3(t.b - t.a, t.c - t.a);
}

fn triangle_near(t: Triangle, x: vec3f) -> OnTriangle {
    let scaled = scaled_normal(t);
    let found = closest(t, scaled, x);
    if found.feature == FACE {
        return OnTriangle(face(t, x, scaled), FACE);
    }
    if length3(x - found.point) > resolution(x) {
        return OnTriangle(sharp(x, found.point, vec3f(0.0, 1.0, 0.0)), found.feature);
    }
    let r = reciprocal(length3(scaled));
    var unit = scaled * r;
    if r == 0.0 {
        unit = across(t.b - t.a);
    }
    return OnTriangle(sharp(x, found.point, unit), found.feature);
}

fn triangle_square(t: Triangle, x: vec3f) -> f32 {
    let scaled = scaled_normal(t);
    let found = closest(t, scaled, x);
    if found.feature == FACE {
        return dot3(scaled, x - t.a) * (dot3(scaled, x - t.a) / dot3(scaled, scaled));
    }
    let offset = found.point - x;
    return dot3(offset, offset);
}

fn closest(t: Triangle, scaled: vec3f, x: vec3f) -> Closest {
    let ab = t.b - t.a;
    let ac = t.c - t.a;
    let ap = x - t.a;
    let bp = x - t.b;
    let cp = x - t.c;
    let d1 = dot3(ab, ap);
    let d2 = dot3(ac, ap);
    if d1 <= 0.0 && d2 <= 0.0 {
        return Closest(t.a, VERTEX);
    }
    let d3 = dot3(ab, bp);
    let d4 = dot3(ac, bp);
    if d3 >= 0.0 && d4 <= d3 {
        return Closest(t.b, VERTEX + 1u);
    }
    let d5 = dot3(ab, cp);
    let d6 = dot3(ac, cp);
    if d6 >= 0.0 && d5 <= d6 {
        return Closest(t.c, VERTEX + 2u);
    }
    if d1 >= 0.0 && d3 <= 0.0 && dot3(scaled, cross3(ab, ap)) <= 0.0 {
        return Closest(on_edge(t.a, ab, d1, d1 - d3), EDGE);
    }
    if d2 >= 0.0 && d6 <= 0.0 && dot3(scaled, cross3(ap, ac)) <= 0.0 {
        return Closest(on_edge(t.a, ac, d2, d2 - d6), EDGE + 2u);
    }
    let bc = t.c - t.b;
    if d4 >= d3 && d5 >= d6 && dot3(scaled, cross3(bc, bp)) <= 0.0 {
        return Closest(on_edge(t.b, bc, d4 - d3, (d4 - d3) + (d5 - d6)), EDGE + 1u);
    }
    return Closest(x, FACE);
}

fn on_edge(start: vec3f, along: vec3f, n: f32, d: f32) -> vec3f {
    var s = 0.0;
    if d > 0.0 {
        s = n / d;
    }
    return start + along * s;
}

fn face(t: Triangle, x: vec3f, scaled: vec3f) -> Nearest {
    let unit = normalize_or(scaled, vec3f());
    let height = dot3(unit, x - t.a);
    return Nearest(x - unit * height, select(unit, -unit, height < 0.0), abs(height));
}
