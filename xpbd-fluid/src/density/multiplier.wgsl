// λ of every member.

// Σ V W with itself, Σ w |∇W|² and Σ ∇W.
var<private> density: f32;
var<private> others: f32;
var<private> own: vec3f;
var<private> own_weight: f32;

fn visit(j: u32, other: vec4f, apart: vec3f, square: f32) {
    let q = part_of_reach(square);
    let volume = volume(j);
    density += weight(q) * volume;
    let inverse_mass = movable(j, other.w);
    let slope = slope(q);
    // Solids resist like the member itself; see `density.rs`.
    let pull = slope * volume;
    others += select(own_weight, inverse_mass, inverse_mass > 0.0) * (pull * pull * square);
    if inverse_mass > 0.0 {
        own += slope * apart;
    }
}

fn set_multiplier(k: u32) {
    if is_solid(k) {
        return;
    }
    density = 0.0;
    others = 0.0;
    own = vec3f();
    own_weight = place(k).w;
    around(k);
    let walls_here = wall_count(k);
    for (var n = 0u; n < walls_here; n++) {
        let slope = wall_slope(k, n);
        own += slope * wall(k, n).normal;
        push_wall(k, n, slope);
    }
    let compression = density + wall_share(k) - 1.0;
    let stiffness = others + place(k).w * dot3(own, own);
    var lambda = 0.0;
    if compression > 0.0 && stiffness > 0.0 {
        let most = radius() / sqrt(place(k).w * stiffness);
        lambda = -min(RELAXATION * compression / stiffness, most) / (1.0 + compression);
    }
    for (var n = 0u; n < walls_here; n++) {
        push_wall(k, n, wall_push(k, n) * (lambda * place(k).w));
    }
    set_field(SOLVED, k, vec4f(lambda, 0.0, 0.0, 0.0));
}
