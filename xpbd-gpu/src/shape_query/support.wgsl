// Farthest point of the piece at hand along a direction, as parry's support maps find it.

fn support(normal: vec3f) -> vec3f {
    if !is_round() {
        return support_shape(normal);
    }
    let n = normal * (1.0 / length3(normal));
    return support_shape(n) + n * number(piece_shape + 2u);
}

fn support_shape(n: vec3f) -> vec3f {
    let at = piece_shape + HEADER_WORDS;
    switch piece_kind {
        case BALL: { return n * (1.0 / length3(n)) * number(at + 3u); }
        case CAPSULE: { return capsule_support(at, n); }
        case CUBOID: { return vector(at) * vec3f(sign_of(n.x), sign_of(n.y), sign_of(n.z)); }
        case CYLINDER: { return cylinder_support(at, n); }
        case CONE: { return cone_support(at, n); }
        case HULL: { return hull_support(at, n); }
        default: { return triangle_support(n); }
    }
}

fn capsule_support(at: u32, direction: vec3f) -> vec3f {
    let n = normalize_or(direction, vec3f(0.0, 1.0, 0.0));
    let a = vector(at);
    let b = vector(at + 3u);
    return select(b, a, dot3(n, a) > dot3(n, b)) + n * number(at + 6u);
}

fn cylinder_support(at: u32, n: vec3f) -> vec3f {
    let rim = normalize_or(vec3f(n.x, 0.0, n.z), vec3f()) * number(at);
    return vec3f(rim.x, number(at + 1u) * sign_of(n.y), rim.z);
}

fn cone_support(at: u32, n: vec3f) -> vec3f {
    let h = number(at + 1u);
    let flat = vec3f(n.x, 0.0, n.z);
    let r = reciprocal(length3(flat));
    if r == 0.0 {
        return vec3f(0.0, h * sign_of(n.y), 0.0);
    }
    let rim = flat * r * number(at);
    let base = vec3f(rim.x, -h, rim.z);
    return select(base, vec3f(0.0, h, 0.0), dot3(n, base) < n.y * h);
}

fn triangle_support(n: vec3f) -> vec3f {
    let t = piece_triangle;
    let a = dot3(t.a, n);
    let b = dot3(t.b, n);
    let c = dot3(t.c, n);
    if a > b {
        return select(t.c, t.a, a > c);
    }
    return select(t.c, t.b, b > c);
}

fn hull_points(at: u32) -> u32 {
    return at + 2u + geometry[at] * HULL_FACE_WORDS;
}

fn hull_support(at: u32, n: vec3f) -> vec3f {
    let points = hull_points(at);
    var best = vector(points);
    var most = dot3(best, n);
    for (var i = 1u; i < geometry[at + 1u]; i++) {
        let p = vector(points + 3u * i);
        let along = dot3(p, n);
        if along > most {
            most = along;
            best = p;
        }
    }
    return best;
}

fn hull_behind(at: u32, point: vec3f, normal: vec3f, slack: f32) -> bool {
    let points = hull_points(at);
    for (var i = 0u; i < geometry[at + 1u]; i++) {
        if !(dot3(normal, vector(points + 3u * i) - point) <= slack) {
            return false;
        }
    }
    return true;
}
