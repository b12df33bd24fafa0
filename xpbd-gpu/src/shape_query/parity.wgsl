// Twin of `parity.rs`: whether a point may be inside a closed mesh, by counting crossings along one
// axis.

struct Ray {
    origin: vec3f,
    axis: u32,
    sign: f32,
}

fn inside_mesh(x: vec3f) -> bool {
    let mins = vector(set_shape + 7u);
    let maxs = vector(set_shape + 10u);
    if any(x < mins) || any(x > maxs) {
        return false;
    }
    let ray = shortest_ray(x, mins, maxs);
    let nodes = geometry[set_shape + 2u];
    var odd = false;
    var i = 0u;
    while i < geometry[set_shape + 1u] {
        let node = nodes + i * NODE_WORDS;
        if !ray_passes(ray, vector(node), vector(node + 4u)) {
            i = geometry[node + 3u];
            continue;
        }
        i += 1u;
        let item = geometry[node + 7u];
        if item != BRANCH && ray_crosses(ray, mesh_triangle(item)) {
            odd = !odd;
        }
    }
    return odd;
}

/// To the side where the bounds of the mesh are nearest.
fn shortest_ray(x: vec3f, mins: vec3f, maxs: vec3f) -> Ray {
    let below = x - mins;
    let above = maxs - x;
    var best = order(below.x);
    var ray = Ray(x, 0u, -1.0);
    for (var way = 1u; way < 6u; way++) {
        let axis = way % 3u;
        let length = order(select(above, below, way < 3u)[axis]);
        if length < best {
            best = length;
            ray = Ray(x, axis, select(1.0, -1.0, way < 3u));
        }
    }
    return ray;
}

/// Returns the two coordinates across the ray.
fn flat(ray: Ray, p: vec3f) -> vec2f {
    return vec2f(p[(ray.axis + 1u) % 3u], p[(ray.axis + 2u) % 3u]);
}

fn ray_passes(ray: Ray, mins: vec3f, maxs: vec3f) -> bool {
    let far = select(mins, maxs, ray.sign > 0.0);
    let beyond = ray.sign * (far[ray.axis] - ray.origin[ray.axis]) >= 0.0;
    let p = flat(ray, ray.origin);
    return beyond && all(flat(ray, mins) <= p) && all(flat(ray, maxs) >= p);
}

fn ray_crosses(ray: Ray, t: Triangle) -> bool {
    let p = flat(ray, ray.origin);
    let a = flat(ray, t.a);
    let b = flat(ray, t.b);
    let c = flat(ray, t.c);
    if (beside(p, a, b) != beside(p, b, c)) == beside(p, c, a) {
        return false;
    }
    let normal = scaled_normal(t);
    let height = dot3(normal, t.a - ray.origin);
    return height * normal[ray.axis] * ray.sign > 0.0;
}

/// Returns whether the horizontal line from `p` to the right crosses the edge.
fn beside(p: vec2f, a: vec2f, b: vec2f) -> bool {
    if (a.y > p.y) == (b.y > p.y) {
        return false;
    }
    let up = a.y < b.y;
    let low = select(b, a, up);
    let along = select(a, b, up) - low;
    let offset = p - low;
    return along.x * offset.y - along.y * offset.x > 0.0;
}
