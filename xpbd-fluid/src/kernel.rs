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

use glam::Vec4;

/// R in radii of a particle.
pub const REACH: f32 = 4.0;
/// α (d / R)³.
const NORMALISATION: f32 = 0.417_781_73;
/// The kernel summed over the lattice, a particle itself among it, in volumes.
const LATTICE_SUM: f32 = 1.033_843;
/// The kernel of a particle with itself, over the lattice.
pub const SELF_WEIGHT: f32 = NORMALISATION / LATTICE_SUM;
/// ∇W of a volume over the lattice is u³ x times this over R².
pub const GRADIENT: f32 = -20.0 * SELF_WEIGHT;

/// u and the kernel, over the lattice.
#[inline(always)]
pub fn weight(q: Vec4) -> (Vec4, Vec4) {
    let u = Vec4::ONE - q;
    let square = u * u;
    (u, (square * square) * (q * 4.0 + Vec4::ONE) * SELF_WEIGHT)
}

/// Γ(s): what a wall at distance s fills of the kernel, over the lattice, where s = z R.
///
/// The part of the kernel beyond a plane is u⁶ (7/2 − 9/2 u + 3/2 u²), as \[Koschier17\] integrates it; scaled
/// so that the lattice is at rest density where its first layer lies on the wall, d/2 from it.
#[inline]
pub fn wall_fill(z: f32) -> f32 {
    let u = 1.0 - z.clamp(0.0, 1.0);
    let square = u * u;
    WALL_FILL * (square * square * square) * (3.5 - 4.5 * u + 1.5 * square)
}

/// dΓ/dz, by how much it falls as the wall goes away.
#[inline]
pub fn wall_fill_slope(z: f32) -> f32 {
    let u = 1.0 - z.clamp(0.0, 1.0);
    let square = u * u;
    -WALL_FILL * (square * square * u) * (21.0 - 31.5 * u + 12.0 * square)
}

/// What a half lattice lacks, Γ(d/2), over the part beyond a plane at d/2, z = 1/4.
const WALL_FILL: f32 = 0.123_636_6 / 0.172_416_69;

/// ⟨x²⟩ of the kernel over the lattice along an axis, in d².
pub const SECOND_MOMENT: f32 = 0.247_273_2;

/// Returns what a wall at distance s = z R adds to Σ W (vⱼ − vᵢ), over vₛ − vᵢ, where vₛ is the velocity of the wall.
///
/// Behind the wall velocities go on as they change from the particle to the wall, so that what is at distance
/// t counts (vₛ − vᵢ) t/s, and the sum is 1/s times the part of the kernel beyond the wall times t,
/// u⁶ (7/2 − 15/2 u + 87/16 u² − 4/3 u³) R; scaled so that a linear profile on the lattice, whose first layer
/// lies at d/2, is in equilibrium. Walls closer than d/4 drag like one at d/4.
#[inline]
pub fn wall_drag(z: f32) -> f32 {
    let z = z.clamp(0.125, 1.0);
    let u = 1.0 - z;
    let cube = u * u * u;
    WALL_DRAG * (cube * cube) * (3.5 - 7.5 * u + 5.4375 * (u * u) - (4.0 / 3.0) * cube) / z
}

/// What a half lattice lacks times its distance, Γ(d/2) d, over the moment beyond a plane at d/2, in R.
const WALL_DRAG: f32 = 0.061_818_3 / 0.066_046_715;

#[cfg(test)]
mod tests {
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

    /// The constants of the twin have these bits.
    #[test]
    fn constants_are_those_of_the_gpu() {
        let text = include_str!("kernel.wgsl");
        let value = |name: &str| -> Vec<f32> {
            let line = text.lines().find_map(|line| line.strip_prefix(&format!("const {name} = "))).unwrap();
            line.split(['/', '*', 'f', ' ', ';']).filter_map(|number| number.parse().ok()).collect()
        };
        assert_eq!(value("NORMAL"), [NORMALISATION]);
        assert_eq!(value("LATTICE"), [LATTICE_SUM]);
        assert_eq!(value("SLOPE")[0] * SELF_WEIGHT, GRADIENT);
        assert_eq!(value("SPREAD"), [SECOND_MOMENT]);
        for (name, ours) in [("WALL", WALL_FILL), ("LEVER", WALL_DRAG)] {
            let [part, whole] = value(name)[..] else { panic!("a quotient") };
            assert_eq!(part / whole, ours);
        }
    }

    fn w(q: f64) -> f64 {
        let alpha = 21.0 / (2.0 * std::f64::consts::PI);
        if q < 1.0 { alpha / 8.0 * (1.0 - q).powi(4) * (4.0 * q + 1.0) } else { 0.0 }
    }

    #[test]
    fn lattice_is_at_rest_density_in_the_open_and_on_a_wall() {
        let whole = lattice(|q, _| w(q));
        assert!((whole / f64::from(LATTICE_SUM) - 1.0).abs() < 1e-6, "{whole}");
        let half = lattice(|q, y| if y >= 0.0 { w(q) } else { 0.0 });
        let filled = half / whole + f64::from(wall_fill(0.25));
        assert!((filled - 1.0).abs() < 1e-6, "{filled}");
        let (_, own) = weight(Vec4::new(0.0, 0.5, 1.0, 0.25));
        for (k, q) in [0.0, 0.5, 1.0, 0.25].into_iter().enumerate() {
            assert!((f64::from(own[k]) - w(q) / whole).abs() < 1e-6);
        }
    }

    /// Γ against the kernel summed over a fine grid beyond a plane.
    #[test]
    fn wall_is_the_part_of_the_kernel_beyond_it() {
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
            let (found, expected) = (f64::from(wall_fill(z as f32) / WALL_FILL), part(z));
            assert!((found - expected).abs() < 2e-3, "{z}: {found} for {expected}");
        }
    }

    #[test]
    fn slope_of_a_wall_is_its_derivative() {
        for z in [0.1f32, 0.3, 0.6, 0.9] {
            let slope = (wall_fill(z + 1e-3) - wall_fill(z - 1e-3)) / 2e-3;
            assert!((slope - wall_fill_slope(z)).abs() < 1e-3, "{z}: {slope}");
        }
    }

    /// The gradient against a difference of the kernel.
    #[test]
    fn gradient_is_the_slope_of_the_kernel() {
        for q in [0.1f32, 0.4, 0.8] {
            let step = 1e-3;
            let (_, values) = weight(Vec4::new(q - step, q + step, q, q));
            let slope = (values.y - values.x) / (2.0 * step);
            let u = 1.0 - q;
            assert!((slope - GRADIENT * u * u * u * q).abs() < 2e-4, "{q}: {slope}");
        }
    }
}
