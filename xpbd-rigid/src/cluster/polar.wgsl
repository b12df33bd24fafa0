// The twin of polar.rs.

const SMALLEST = 1e-30;
const PIVOT = 1e-5;
const LITTLE = 0.02;
const LAST_STEP = 1e-10;
const BOUND_STEPS = 8u;
const SADDLE = 1e-3;
const NUDGE = vec3f(0.05, 0.08, 0.11);

struct Turn {
    half: vec3f,
    is_last: bool,
}

struct Hessian {
    diagonal: vec3f,
    mixed: vec3f,
}

struct Solved {
    omega: vec3f,
    lowest: f32,
}

fn polar_rotation(matrix: mat3x3f, guess: vec4f, steps: u32) -> vec4f {
    var q = guess;
    let largest = max(max(abs(matrix[0]), abs(matrix[1])), abs(matrix[2]));
    let top = max(max(largest.x, largest.y), largest.z);
    if is_not_finite(matrix[0]) || is_not_finite(matrix[1]) || is_not_finite(matrix[2]) || !(top > SMALLEST) {
        return q;
    }
    let scale = 1.0 / top;
    let a = array<vec3f, 3>(matrix[0] * scale, matrix[1] * scale, matrix[2] * scale);
    for (var k = 0u; k < steps; k++) {
        let turn = polar_step(a, q);
        q = turned(turn.half, q);
        if turn.is_last {
            break;
        }
    }
    return q;
}

fn polar_step(a: array<vec3f, 3>, q: vec4f) -> Turn {
    let r = columns(q);
    let g = (cross3(r[0], a[0]) + cross3(r[1], a[1])) + cross3(r[2], a[2]);
    let h = hessian(a, r);
    let size = sqrt(dot3(g, g));
    let newton = solve(h, size, g);
    if newton.lowest > least(h) {
        return Turn(newton.omega * 0.5, dot3(newton.omega, newton.omega) < LAST_STEP);
    }
    let omega = solve(h, (size - 1.5 * min(bound(h), 0.0)) + LITTLE * size_of(h), g).omega;
    if dot3(omega, omega) >= LAST_STEP {
        return Turn(omega * 0.5, false);
    }
    if is_saddle(h) {
        return Turn(NUDGE, false);
    }
    return Turn(omega * 0.5, true);
}

fn hessian(a: array<vec3f, 3>, r: array<vec3f, 3>) -> Hessian {
    // Row i of b is the sum of aⱼ[i] rⱼ.
    let b0 = (a[0].x * r[0] + a[1].x * r[1]) + a[2].x * r[2];
    let b1 = (a[0].y * r[0] + a[1].y * r[1]) + a[2].y * r[2];
    let b2 = (a[0].z * r[0] + a[1].z * r[1]) + a[2].z * r[2];
    let diagonal = vec3f(b1.y + b2.z, b0.x + b2.z, b0.x + b1.y);
    let mixed = vec3f(b0.y + b1.x, b0.z + b2.x, b1.z + b2.y) * -0.5;
    return Hessian(diagonal, mixed);
}

fn solve(h: Hessian, shift: f32, g: vec3f) -> Solved {
    let diagonal = h.diagonal + vec3f(shift);
    let mixed = h.mixed;
    let d0 = diagonal.x;
    let l10 = mixed.x / d0;
    let l20 = mixed.y / d0;
    let d1 = diagonal.y - l10 * mixed.x;
    let m = mixed.z - l20 * mixed.x;
    let l21 = m / d1;
    let d2 = (diagonal.z - l20 * mixed.y) - l21 * m;
    let y1 = g.y - l10 * g.x;
    let y2 = (g.z - l20 * g.x) - l21 * y1;
    let z = y2 / d2;
    let y = y1 / d1 - l21 * z;
    let x = (g.x / d0 - l10 * y) - l20 * z;
    var lowest = d0;
    if d0 > 0.0 {
        lowest = d1;
        if d1 > 0.0 {
            lowest = min(min(d0, d1), d2);
        }
    }
    return Solved(vec3f(x, y, z), lowest);
}

fn least(h: Hessian) -> f32 {
    return PIVOT * size_of(h);
}

fn size_of(h: Hessian) -> f32 {
    let d = abs(h.diagonal);
    let m = abs(h.mixed);
    return ((d.x + d.y) + d.z) + ((m.x + m.y) + m.z);
}

fn bound(h: Hessian) -> f32 {
    let d = h.diagonal;
    let m = h.mixed;
    let off = abs(m);
    var low = min(min(d.x - (off.x + off.y), d.y - (off.x + off.z)), d.z - (off.y + off.z));
    let minors = vec3f(d.x * d.y - m.x * m.x, d.x * d.z - m.y * m.y, d.y * d.z - m.z * m.z);
    let trace = (d.x + d.y) + d.z;
    let sum = (minors.x + minors.y) + minors.z;
    let determinant = (d.x * minors.z - m.x * (m.x * d.z - m.z * m.y)) + m.y * (m.x * m.z - d.y * m.y);
    for (var k = 0u; k < BOUND_STEPS; k++) {
        let value = ((low - trace) * low + sum) * low - determinant;
        let slope = (3.0 * low - 2.0 * trace) * low + sum;
        if value < 0.0 && slope > 0.0 {
            low -= value / slope;
        }
    }
    return low;
}

fn is_saddle(h: Hessian) -> bool {
    return bound(h) < -SADDLE * size_of(h);
}

fn columns(q: vec4f) -> array<vec3f, 3> {
    let two = q.xyz + q.xyz;
    let x = q.x * two;
    let y = q.y * two;
    let z = q.z * two;
    let w = q.w * two;
    return array<vec3f, 3>(
        vec3f(1.0 - (y.y + z.z), x.y + w.z, x.z - w.y),
        vec3f(x.y - w.z, 1.0 - (x.x + z.z), y.z + w.x),
        vec3f(x.z + w.y, y.z - w.x, 1.0 - (x.x + y.y)),
    );
}

fn turned(h: vec3f, q: vec4f) -> vec4f {
    let product = vec4f(
        ((q.x + h.x * q.w) + h.y * q.z) - h.z * q.y,
        ((q.y - h.x * q.z) + h.y * q.w) + h.z * q.x,
        ((q.z + h.x * q.y) - h.y * q.x) + h.z * q.w,
        ((q.w - h.x * q.x) - h.y * q.y) - h.z * q.z,
    );
    let square = ((product.x * product.x + product.y * product.y) + product.z * product.z) + product.w * product.w;
    return product / sqrt(square);
}
