//! Strain of a triangle of woven cloth: stiff along its threads, soft across the diagonal (\[Bender14\];
//! orthotropic St. Venant–Kirchhoff material in plane stress).
//!
//! The rows are those of the [isotropic triangle](super::triangle_strain), in a frame whose first axis is the
//! warp. With the rest edges (pᵢ, qᵢ) in that frame, R their inverse matrix and dᵢ = xᵢ − x₀,
//!
//! ```text
//! [f₁ f₂] = [d₁ d₂] R,   R = [[p₁, p₂], [q₁, q₂]]⁻¹
//! C = (ε₁₁, ε₂₂, γ₁₂) = (½(f₁·f₁ − 1), ½(f₂·f₂ − 1), f₁·f₂)
//! ```
//!
//! and the compliance matrix, of all three rows solved as a block, is
//!
//! ```text
//! α [[1, −ν, 0], [−ν, E₁/E₂, 0], [0, 0, E₁/G]],   α = 1/(E₁ t A)
//! ```
//!
//! It is positive for ν² < E₁/E₂. Every multiplier is admissible; −λ/(h² t A) is the stress.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | E₁, E₂ | Young's moduli along warp and weft | Pa |
//! | ν | contraction of the weft for a stretch of the warp | 1 |
//! | G | shear modulus | Pa |
//! | t, A | thickness, rest area | m, m² |
//! | α | compliance | 1/J |

use glam::Vec3;
use xpbd_core::prelude::*;

xpbd_core::parameters! {
    /// Parameters of [`WovenStrain`].
    pub struct WovenStrainParameters<S> {
        /// Inverse rest matrix R by rows \[1/m\].
        pub inverse_rest: [S; 4],
        /// Poisson ratio ν \[1\].
        pub poisson_ratio: S,
        /// Ratio of the moduli of warp and weft E₁/E₂ \[1\].
        pub warp_to_weft: S,
        /// Ratio of the moduli of warp and shear E₁/G \[1\].
        pub warp_to_shear: S,
    }
}

/// A constraint on Green's strain of a triangle in the frame of its threads. Compliance \[1/J\].
#[derive(Debug, Clone, Copy)]
pub struct WovenStrain;

impl Constraint<3, 3> for WovenStrain {
    type Parameters<S: Copy> = WovenStrainParameters<S>;

    const NAME: &'static str = "woven-strain";

    fn value<S: Real>(x: &Points<S, 3>, triangle: WovenStrainParameters<S>) -> [S; 3] {
        let [r11, r12, r21, r22] = triangle.inverse_rest;
        let (d1, d2) = (x.now[1] - x.now[0], x.now[2] - x.now[0]);
        let f1 = d1 * r11 + d2 * r21;
        let f2 = d1 * r12 + d2 * r22;
        let half = |square: S| (square - 1.0) * 0.5;
        [half(f1.dot(f1)), half(f2.dot(f2)), f1.dot(f2)]
    }

    fn compliance<S: Real>(alpha: S, triangle: WovenStrainParameters<S>) -> [[S; 3]; 3] {
        let WovenStrainParameters { poisson_ratio, warp_to_weft, warp_to_shear, .. } = triangle;
        let zero = S::zero();
        let across = -(alpha * poisson_ratio);
        [[alpha, across, zero], [across, alpha * warp_to_weft, zero], [zero, zero, alpha * warp_to_shear]]
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 3], WovenStrainParameters)> {
        let k = number as f32;
        let rest = [Vec3::ZERO, Vec3::new(0.8 + 0.1 * k, 0.3, 0.1 * k), Vec3::new(-0.2, 0.9 - 0.05 * k, 0.4)];
        let bent = [Vec3::new(0.1, 0.0, -0.05 * k), Vec3::new(-0.1, 0.2, 0.1), Vec3::new(0.0, 0.02 * k, 0.15)];
        let points = std::array::from_fn(|i| (rest[i] + bent[i]).to_array());
        Some((points, WovenStrainParameters::new(rest, Vec3::new(1.0, 0.2 * k, 0.1), [0.2, 1.5, 8.0])?))
    }
}

impl WovenStrainParameters {
    /// Creates the parameters of a triangle at rest \[m\] whose warp runs along the part of `warp` in its plane, with
    /// the ratios ν, E₁/E₂ and E₁/G \[1\]. Returns `None` if that part is less than a thousandth of `warp`.
    pub fn new([x0, x1, x2]: [Vec3; 3], warp: Vec3, ratios: [f32; 3]) -> Option<Self> {
        let [x0, x1, x2, warp] = [x0, x1, x2, warp].map(|vector| vector.as_dvec3());
        let (d1, d2) = (x1 - x0, x2 - x0);
        let normal = d1.cross(d2).normalize();
        let first = warp - normal * warp.dot(normal);
        let has_direction = first.length() > 1e-3 * warp.length();
        if !has_direction {
            return None;
        }
        let first = first.normalize();
        let second = normal.cross(first);
        let (p, q) = ([d1.dot(first), d2.dot(first)], [d1.dot(second), d2.dot(second)]);
        let determinant = p[0] * q[1] - p[1] * q[0];
        let inverse_rest = [q[1], -p[1], -q[0], p[0]].map(|entry| (entry / determinant) as f32);
        let [poisson_ratio, warp_to_weft, warp_to_shear] = ratios;
        Some(Self { inverse_rest, poisson_ratio, warp_to_weft, warp_to_shear })
    }
}
