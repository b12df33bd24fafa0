// Vectors and quaternions with the operations of glam in their order, so that a device that does
// not fuse them gives the bits of the CPU. The built-in `dot` and `cross` leave the order open.

fn dot3(a: vec3f, b: vec3f) -> f32 {
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

fn cross3(a: vec3f, b: vec3f) -> vec3f {
    return vec3f(a.y * b.z - b.y * a.z, a.z * b.x - b.z * a.x, a.x * b.y - b.x * a.y);
}

fn rotate(q: vec4f, v: vec3f) -> vec3f {
    let b = q.xyz;
    let kept = v * (q.w * q.w - dot3(b, b));
    let along = b * (dot3(v, b) * 2.0);
    return (kept + along) + cross3(b, v) * (q.w * 2.0);
}

fn conjugate(q: vec4f) -> vec4f {
    return vec4f(-q.xyz, q.w);
}

fn multiply_quaternions(l: vec4f, r: vec4f) -> vec4f {
    let first = l.w * r + l.x * vec4f(r.w, -r.z, r.y, -r.x);
    let second = l.y * vec4f(r.z, r.w, -r.x, -r.y) + l.z * vec4f(-r.y, r.x, r.w, -r.z);
    return first + second;
}
