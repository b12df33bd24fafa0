// The kernel that everything in a fluid is summed with; the twin of `kernel.rs`, where the theory stands.

const NORMAL = 0.41778173f;
const LATTICE = 1.033843f;
// The kernel of a particle with itself, over the lattice.
const OWN = NORMAL / LATTICE;
// ∇W of a volume over the lattice is u³ x times this over R².
const SLOPE = -20.0f * OWN;
// What a half lattice lacks, over the part beyond a plane at a quarter of the reach.
const WALL = 0.1236366f / 0.17241669f;
// The second moment of the kernel along an axis, in squares of the distance of particles.
const SPREAD = 0.2472732f;
// What a half lattice lacks times its distance, over the moment beyond a plane at a quarter of the reach.
const LEVER = 0.0618183f / 0.066046715f;

// q of the square of a distance [m²].
fn part_of_reach(square: f32) -> f32 {
    return min(sqrt(square) * (1.0 / reach()), 1.0);
}

// The kernel, over the lattice.
fn weight(q: f32) -> f32 {
    let u = 1.0 - q;
    let square = u * u;
    return (square * square) * (q * 4.0 + 1.0) * OWN;
}

// The gradient of the kernel, over the lattice and x [1/m²].
fn slope(q: f32) -> f32 {
    let u = 1.0 - q;
    let per_reach = 1.0 / reach();
    return (u * u) * u * (SLOPE * per_reach * per_reach);
}

// What a wall fills of the kernel, over the lattice, at a distance over the reach.
fn behind(z: f32) -> f32 {
    let u = 1.0 - clamp(z, 0.0, 1.0);
    let square = u * u;
    return WALL * (square * square * square) * (3.5 - 4.5 * u + 1.5 * square);
}

// By how much that falls as the wall goes away.
fn behind_slope(z: f32) -> f32 {
    let u = 1.0 - clamp(z, 0.0, 1.0);
    let square = u * u;
    return -WALL * (square * square * u) * (21.0 - 31.5 * u + 12.0 * square);
}

// What a wall at a distance over the reach adds to sums of differences of velocity, over its own.
fn beside(distance: f32) -> f32 {
    let z = clamp(distance, 0.125, 1.0);
    let u = 1.0 - z;
    let cube = u * u * u;
    return LEVER * (cube * cube) * (3.5 - 7.5 * u + 5.4375 * (u * u) - (4.0 / 3.0) * cube) / z;
}
