//! The kernel that everything in a fluid is summed with: Wendland's C², which is positive in Fourier space, so
//! that particles do not pair up \[Dehnen12\], and whose gradient needs no division.
//!
//! ```text
//! W(q) = α u⁴ (4q + 1) / R³        ∇W = −20 α u³ x / R⁵        u = 1 − q,  q = |x| / R,  α = 21/2π
//! ```
//!
//! A fluid at rest is a cubic lattice of spacing d, and R = 2 d. Sums are counted in volumes d³, over the
//! sum of that lattice: 1 is rest density.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | R | reach of the kernel | m |
//! | d | spacing of particles, twice their radius | m |

//! The functions are generic, and printed for the GPU by [`wgsl`].

use xpbd_core::medium::coverage::fill_behind;
use xpbd_core::program::wgsl::{constants, function};
use xpbd_core::program::{Graph, Sym};
use xpbd_core::scalar::Real;

/// R in radii of a particle \[1\].
pub const REACH: f32 = 4.0;
/// α (d / R)³ \[1\].
const NORMALISATION: f32 = 0.417_781_73;
/// The kernel summed over the lattice, a particle itself among it, in volumes \[1\].
const LATTICE_SUM: f32 = 1.033_843;
/// The kernel of a particle with itself, over the lattice \[1\].
pub const SELF_WEIGHT: f32 = NORMALISATION / LATTICE_SUM;
/// ∇W of a volume over the lattice is u³ x times this over R² \[1\].
pub const GRADIENT: f32 = -20.0 * SELF_WEIGHT;
/// ⟨x²⟩ of the kernel over the lattice along an axis \[d²\].
pub const SECOND_MOMENT: f32 = 0.247_273_2;

/// Returns the kernel over the lattice \[1\], at a distance of q reaches.
#[inline(always)]
pub fn weight<S: Real>(q: S) -> S {
    let u = S::one() - q;
    let square = u * u;
    (square * square) * (q * 4.0 + S::one()) * SELF_WEIGHT
}

/// Returns u³ \[1\], to which the gradient of the kernel is proportional, at a distance of q reaches.
#[inline(always)]
pub fn gradient_falloff<S: Real>(q: S) -> S {
    let u = S::one() - q;
    (u * u) * u
}

/// Returns Γ \[1\]: the part of the kernel, over the lattice, that a wall at a distance of z reaches fills.
///
/// It is the [part of the kernel beyond a plane](fill_behind), scaled so that the lattice is at rest density where its first
/// layer lies on the wall, d/2 from it.
#[inline]
pub fn wall_fill<S: Real>(z: S) -> S {
    fill_behind(z, WALL_FILL)
}

/// Returns dΓ/dz \[1\] at a distance of z reaches; negative, since a wall fills less from farther away.
#[inline]
pub fn wall_fill_slope<S: Real>(z: S) -> S {
    let u = S::one() - z.clamp(S::zero(), S::one());
    let square = u * u;
    (square * square * u) * -WALL_FILL * (S::literal(21.0) - u * 31.5 + square * 12.0)
}

/// Γ(d/2), which a half lattice lacks, over the part of the kernel beyond a plane at d/2, z = 1/4 \[1\].
const WALL_FILL: f32 = 0.123_636_6 / 0.172_416_69;

/// Returns what a wall at a distance of z reaches adds to Σ W (vⱼ − vᵢ), over vₛ − vᵢ \[1\], where vₛ is the velocity
/// of the wall.
///
/// Velocities are continued behind the wall with the slope that they have from the particle to the wall, so that what
/// is at distance t counts (vₛ − vᵢ) t/s, and the sum is 1/s times the part of the kernel beyond the wall times t,
/// u⁶ (7/2 − 15/2 u + 87/16 u² − 4/3 u³) R; scaled so that a linear profile on the lattice, whose first layer
/// lies at d/2, is in equilibrium. Walls closer than d/4 drag like one at d/4.
#[inline]
pub fn wall_drag<S: Real>(z: S) -> S {
    let z = z.clamp(S::literal(0.125), S::one());
    let u = S::one() - z;
    let cube = u * u * u;
    (cube * cube) * WALL_DRAG * (S::literal(3.5) - u * 7.5 + (u * u) * 5.4375 - cube * (4.0 / 3.0)) / z
}

/// Γ(d/2) d, which a half lattice lacks, over the moment of the kernel beyond a plane at d/2, in R \[1\].
const WALL_DRAG: f32 = 0.061_818_3 / 0.066_046_715;

/// Returns these functions as WGSL.
pub fn wgsl() -> String {
    let graph = &Graph::new();
    [
        constants(&[("SELF_WEIGHT", SELF_WEIGHT), ("GRADIENT", GRADIENT), ("SECOND_MOMENT", SECOND_MOMENT)]),
        function(graph, "weight", ["q"], |(q,): (Sym,)| weight(q)),
        function(graph, "gradient_falloff", ["q"], |(q,): (Sym,)| gradient_falloff(q)),
        function(graph, "wall_fill", ["z"], |(z,): (Sym,)| wall_fill(z)),
        function(graph, "wall_fill_slope", ["z"], |(z,): (Sym,)| wall_fill_slope(z)),
        function(graph, "wall_drag", ["z"], |(z,): (Sym,)| wall_drag(z)),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use xpbd_core::scalar::Single;

    use super::*;

    /// Sums over lattices in double precision, in units of R.
    fn lattice(of: impl Fn(f64, f64) -> f64) -> f64 {
        let mut sum = 0.0;
        for x in -2..=2 {
            for y in -2..=2 {
                for z in -2..=2 {
                    let (x, y, z) = (f64::from(x) / 2.0, f64::from(y) / 2.0, f64::from(z) / 2.0);
                    sum += of((x * x + y * y + z * z).sqrt(), y);
                }
            }
        }
        sum
    }

    fn w(q: f64) -> f64 {
        let alpha = 21.0 / (2.0 * std::f64::consts::PI);
        if q < 1.0 { alpha / 8.0 * (1.0 - q).powi(4) * (4.0 * q + 1.0) } else { 0.0 }
    }

    #[test]
    fn a_lattice_has_rest_density_in_the_open_and_on_a_wall() {
        let whole = lattice(|q, _| w(q));
        assert!((whole / f64::from(LATTICE_SUM) - 1.0).abs() < 1e-6, "{whole}");
        let half = lattice(|q, y| if y >= 0.0 { w(q) } else { 0.0 });
        let filled = half / whole + f64::from(wall_fill(Single(0.25)).0);
        assert!((filled - 1.0).abs() < 1e-6, "{filled}");
        for q in [0.0, 0.5, 1.0, 0.25] {
            assert!((f64::from(weight(Single(q as f32)).0) - w(q) / whole).abs() < 1e-6);
        }
    }

    /// Γ against the kernel summed over a fine grid beyond a plane.
    #[test]
    fn the_fill_of_a_wall_is_the_part_of_the_kernel_beyond_it() {
        let n = 60;
        let part = |from: f64| {
            let mut sum = 0.0;
            for (x, y, z) in (0..8 * n * n * n).map(|k| (k % (2 * n), k / (2 * n) % (2 * n), k / (4 * n * n))) {
                let at = |k: i32| (f64::from(k) + 0.5) / f64::from(n) - 1.0;
                if at(z) > from {
                    sum += w((at(x).powi(2) + at(y).powi(2) + at(z).powi(2)).sqrt()) * 8.0 / f64::from(n).powi(3);
                }
            }
            sum
        };
        for z in [0.0, 0.25, 0.5, 0.75] {
            let (found, expected) = (f64::from(wall_fill(Single(z as f32)).0 / WALL_FILL), part(z));
            assert!((found - expected).abs() < 2e-3, "{z}: {found} for {expected}");
        }
    }

    #[test]
    fn the_slope_of_a_wall_is_the_derivative_of_its_fill() {
        for z in [0.1f32, 0.3, 0.6, 0.9] {
            let fill = |z| wall_fill(Single(z)).0;
            let slope = (fill(z + 1e-3) - fill(z - 1e-3)) / 2e-3;
            assert!((slope - wall_fill_slope(Single(z)).0).abs() < 1e-3, "{z}: {slope}");
        }
    }

    /// The gradient against a difference of the kernel.
    #[test]
    fn the_gradient_is_the_slope_of_the_kernel() {
        for q in [0.1f32, 0.4, 0.8] {
            let step = 1e-3;
            let slope = (weight(Single(q + step)).0 - weight(Single(q - step)).0) / (2.0 * step);
            assert!((slope - GRADIENT * gradient_falloff(Single(q)).0 * q).abs() < 2e-4, "{q}: {slope}");
        }
    }
}
