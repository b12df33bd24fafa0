// Twin of `primitive.rs`: signed distance and nearest point of the analytic solids. `at` is the
// first number of the solid in the geometry.

fn sphere(x: vec3f, centre: vec3f, radius: f32, fallback: vec3f) -> Nearest {
    let offset = x - centre;
    let length = length3(offset);
    var normal = fallback;
    if length > 0.0 {
        normal = offset / length;
    }
    return Nearest(centre + normal * radius, normal, length - radius);
}

fn ball_near(at: u32, x: vec3f) -> Nearest {
    return sphere(x, vector(at), number(at + 3u), vec3f(0.0, 1.0, 0.0));
}

fn capsule_near(at: u32, x: vec3f) -> Nearest {
    let a = vector(at);
    let axis = vector(at + 3u) - a;
    let square = dot3(axis, axis);
    var s = 0.0;
    if square > 0.0 {
        s = within(dot3(x - a, axis) / square, 0.0, 1.0);
    }
    return sphere(x, a + axis * s, number(at + 6u), across(axis));
}

fn half_space_near(at: u32, x: vec3f) -> Nearest {
    let normal = vector(at);
    let distance = dot3(normal, x);
    return Nearest(x - normal * distance, normal, distance);
}

fn cuboid_near(at: u32, x: vec3f) -> Nearest {
    let h = vector(at);
    let excess = abs(x) - h;
    let sign = vec3f(sign_of(x.x), sign_of(x.y), sign_of(x.z));
    let most = max_element(excess);
    var axis = vec3f(0.0, 0.0, 1.0);
    if excess.x >= most {
        axis = vec3f(1.0, 0.0, 0.0);
    } else if excess.y >= excess.z {
        axis = vec3f(0.0, 1.0, 0.0);
    }
    let side = axis * sign;
    if most <= 0.0 {
        return Nearest(x * (vec3f(1.0) - axis) + h * side, side, dot3(excess, axis));
    }
    let outside = greater3(excess, vec3f()) * sign;
    let distance = length3(outside);
    let point = lesser3(greater3(x, -h), h);
    if distance > 0.0 {
        return Nearest(point, outside / distance, distance);
    }
    return Nearest(point, side, distance);
}

/// The nearest feature of a profile in the half-plane (ρ, y).
struct Flat {
    point: vec2f,
    normal: vec2f,
    distance: f32,
}

fn revolve(x: vec3f, rho: f32, found: Flat) -> Nearest {
    var radial = vec2f(1.0, 0.0);
    if rho > 0.0 {
        radial = x.xz / rho;
    }
    let point = radial * found.point.x;
    let normal = radial * found.normal.x;
    return Nearest(
        vec3f(point.x, found.point.y, point.y),
        vec3f(normal.x, found.normal.y, normal.y),
        found.distance,
    );
}

fn cylinder_near(at: u32, x: vec3f) -> Nearest {
    let rho = length2(x.xz);
    return revolve(x, rho, cylinder_profile(vec2f(number(at), number(at + 1u)), vec2f(rho, x.y)));
}

fn cylinder_profile(size: vec2f, q: vec2f) -> Flat {
    let sign = vec2f(1.0, sign_of(q.y));
    let excess = q * sign - size;
    if excess.x > 0.0 || excess.y > 0.0 {
        let outside = select(vec2f(), excess, excess > vec2f());
        let inner = q * sign;
        let point = select(size, inner, inner < size) * sign;
        return Flat(point, normalize2_or(outside, vec2f(1.0, 0.0)) * sign, length2(outside));
    }
    if excess.x > excess.y {
        return Flat(vec2f(size.x, q.y), vec2f(1.0, 0.0), excess.x);
    }
    return Flat(vec2f(q.x, size.y * sign.y), vec2f(0.0, 1.0) * sign, excess.y);
}

fn cone_near(at: u32, x: vec3f) -> Nearest {
    let rho = length2(x.xz);
    return revolve(x, rho, cone_profile(number(at), number(at + 1u), vec2f(rho, x.y)));
}

fn cone_profile(radius: f32, h: f32, q: vec2f) -> Flat {
    let rim = vec2f(radius, -h);
    let slope = vec2f(-radius, 2.0 * h);
    let length = length2(slope);
    let along = slope / length;
    let slant = vec2f(along.y, -along.x);
    let p = q - rim;
    let side = slant.x * p.x + slant.y * p.y;
    let base = -h - q.y;
    let s = along.x * p.x + along.y * p.y;
    let in_base = Flat(vec2f(q.x, -h), vec2f(0.0, -1.0), base);
    let in_side = Flat(q - slant * side, slant, side);
    if side <= 0.0 && base <= 0.0 {
        if side > base {
            return in_side;
        }
        return in_base;
    }
    if side > 0.0 && s >= 0.0 && s <= length {
        return in_side;
    }
    if base > 0.0 && q.x <= radius {
        return in_base;
    }
    let corner = rim + along * within(s, 0.0, length);
    let offset = q - corner;
    return Flat(corner, normalize2_or(offset, slant), length2(offset));
}
