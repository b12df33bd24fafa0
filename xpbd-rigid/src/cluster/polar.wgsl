// The search of polar.rs for the nearest rotation; the functions that it calls are printed from there.

struct PolarStep {
    half: vec3f,
    is_last: bool,
}

fn polar_rotation(matrix: mat3x3f, guess: vec4f, steps: u32) -> vec4f {
    var q = guess;
    let largest = max(max(abs(matrix[0]), abs(matrix[1])), abs(matrix[2]));
    let top = max(max(largest.x, largest.y), largest.z);
    if is_not_finite(matrix[0]) || is_not_finite(matrix[1]) || is_not_finite(matrix[2]) || !(top > MIN_ENTRY) {
        return q;
    }
    let scale = 1.0 / top;
    let a = mat3x3f(matrix[0] * scale, matrix[1] * scale, matrix[2] * scale);
    for (var k = 0u; k < steps; k++) {
        let step = polar_step(a, q);
        q = rotate_by(step.half, q);
        if step.is_last {
            break;
        }
    }
    return q;
}

fn polar_step(a: mat3x3f, q: vec4f) -> PolarStep {
    let r = columns(q);
    let g = polar_gradient(a, r);
    let h = hessian(a, r);
    let size = sqrt(dot3(g, g));
    let newton = solve(h.diagonal, h.mixed, size, g);
    if newton.lowest_pivot > min_pivot(h.diagonal, h.mixed) {
        let is_last = dot3(newton.omega, newton.omega) < CONVERGED || size < rounding(h.diagonal, h.mixed);
        return PolarStep(newton.omega * 0.5, is_last);
    }
    let omega = saddle_free_step(h.diagonal, h.mixed, g);
    return PolarStep(omega * 0.5, dot3(omega, omega) < CONVERGED);
}
