// The twin of plastic.rs.

const FLAT = 1e-6;

struct Strain {
    is_known: bool,
    e: array<vec3f, 3>,
}

fn flow(law: vec4f, p: mat3x3f, a: array<vec3f, 3>, moment: mat3x3f, r: array<vec3f, 3>, h: f32) -> mat3x3f {
    let strain = strain_of(p, a, moment, r);
    let e = strain.e;
    let size = norm(e[0], e[1], e[2]);
    if !strain.is_known || !(size > law.x && size < 3.4028234e38) {
        return p;
    }
    let part = min(law.y * h, 1.0);
    return bounded(
        law.z,
        p[0] + (((e[0] * p[0].x + e[1] * p[0].y) + e[2] * p[0].z) * part),
        p[1] + (((e[0] * p[1].x + e[1] * p[1].y) + e[2] * p[1].z) * part),
        p[2] + (((e[0] * p[2].x + e[1] * p[2].y) + e[2] * p[2].z) * part),
    );
}

fn bounded(limit: f32, p0: vec3f, p1: vec3f, p2: vec3f) -> mat3x3f {
    let x = vec3f(1.0, 0.0, 0.0);
    let y = vec3f(0.0, 1.0, 0.0);
    let z = vec3f(0.0, 0.0, 1.0);
    let part = min(limit / max(norm(p0 - x, p1 - y, p2 - z), limit), 1.0);
    let q0 = x + (p0 - x) * part;
    let q1 = y + (p1 - y) * part;
    let q2 = z + (p2 - z) * part;
    let k = inverse_cube_root(dot3(cross3(q0, q1), q2));
    return mat3x3f(q0 * k, q1 * k, q2 * k);
}

fn strain_of(p: mat3x3f, a: array<vec3f, 3>, moment: mat3x3f, r: array<vec3f, 3>) -> Strain {
    let x0 = (p[0] * moment[0].x + p[1] * moment[0].y) + p[2] * moment[0].z;
    let x1 = (p[0] * moment[1].x + p[1] * moment[1].y) + p[2] * moment[1].z;
    let x2 = (p[0] * moment[2].x + p[1] * moment[2].y) + p[2] * moment[2].z;
    let row0 = cross3(x1, x2);
    let row1 = cross3(x2, x0);
    let row2 = cross3(x0, x1);
    let determinant = dot3(x0, row0);
    let l0 = sqrt(dot3(x0, x0));
    let l1 = sqrt(dot3(x1, x1));
    let l2 = sqrt(dot3(x2, x2));
    let is_flat = min(min(l0, l1), l2) <= FLAT * max(max(l0, l1), l2);
    var strain = Strain();
    strain.is_known = determinant > 1e-5 * ((l0 * l1) * l2) && !is_flat;
    if strain.is_known {
        let k0 = row0 / determinant;
        let k1 = row1 / determinant;
        let k2 = row2 / determinant;
        let f0 = (a[0] * k0.x + a[1] * k1.x) + a[2] * k2.x;
        let f1 = (a[0] * k0.y + a[1] * k1.y) + a[2] * k2.y;
        let f2 = (a[0] * k0.z + a[1] * k1.z) + a[2] * k2.z;
        let xy = 0.5 * (dot3(r[0], f1) + dot3(r[1], f0));
        let xz = 0.5 * (dot3(r[0], f2) + dot3(r[2], f0));
        let yz = 0.5 * (dot3(r[1], f2) + dot3(r[2], f1));
        strain.e = array<vec3f, 3>(
            vec3f(dot3(r[0], f0) - 1.0, xy, xz),
            vec3f(xy, dot3(r[1], f1) - 1.0, yz),
            vec3f(xz, yz, dot3(r[2], f2) - 1.0),
        );
    }
    return strain;
}

fn norm(a: vec3f, b: vec3f, c: vec3f) -> f32 {
    return sqrt((dot3(a, a) + dot3(b, b)) + dot3(c, c));
}

fn inverse_cube_root(d: f32) -> f32 {
    var k = 1.0;
    for (var n = 0; n < 12; n++) {
        k *= (4.0 - d * ((k * k) * k)) / 3.0;
    }
    return k;
}
