// What the sums of a fluid need besides the functions of `kernel.rs`, which are printed from there.

// q of the square of a distance [m²].
fn part_of_reach(square: f32) -> f32 {
    return min(sqrt(square) * (1.0 / reach()), 1.0);
}

// The gradient of the kernel, over the lattice and x [1/m²].
fn slope(q: f32) -> f32 {
    let per_reach = 1.0 / reach();
    return gradient_falloff(q) * (GRADIENT * per_reach * per_reach);
}
