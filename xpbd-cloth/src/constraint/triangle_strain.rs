//! Strain of a triangle as a membrane (\[Bender14\]; St. Venant–Kirchhoff material).
//!
//! In a frame of the rest triangle with x₀ at the origin and x₁ on the first axis, at (a, 0), and
//! x₂ at (b, c), the columns of the deformation gradient are
//!
//! ```text
//! f₁ = r₀ d₁,   f₂ = r₁ d₁ + r₂ d₂,   dᵢ = xᵢ − x₀,   r = (1/a, −b/(a c), 1/c)
//! ```
//!
//! and the rows are Green's strain in engineering form, zero for every rigid motion:
//!
//! ```text
//! C = (ε₁₁, ε₂₂, γ₁₂) = (½(f₁·f₁ − 1), ½(f₂·f₂ − 1), f₁·f₂)
//! ```
//!
//! The stored energy ½ t A Cᵀ D C of plane stress makes the compliance matrix, of all three rows
//! solved as a block,
//!
//! ```text
//! (t A D)⁻¹ = α [[1, −ν, 0], [−ν, 1, 0], [0, 0, 2(1 + ν)]],   α = 1/(E t A)
//! ```
//!
//! Every multiplier is admissible; −λ/(h² t A) is the stress. The material is isotropic, so the
//! frame is free, and this choice makes the fourth number of the inverse rest matrix zero.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | E | Young's modulus | Pa |
//! | ν | Poisson ratio | 1 |
//! | t | thickness | m |
//! | A | rest area | m² |
//! | α | compliance | 1/J |

use glam::Vec3;
use xpbd_core::prelude::*;

xpbd_core::parameters! {
    /// Parameters of [`TriangleStrain`].
    pub struct TriangleStrainParameters<S> {
        /// Inverse rest matrix r₀, r₁, r₂ \[1/m\].
        pub inverse_rest: [S; 3],
        /// Poisson ratio ν \[1\].
        pub poisson_ratio: S,
    }
}

/// A constraint on Green's strain of a triangle. Compliance \[1/J\].
#[derive(Debug, Clone, Copy)]
pub struct TriangleStrain;

impl Constraint<3, 3> for TriangleStrain {
    type Parameters<S: Copy> = TriangleStrainParameters<S>;

    const NAME: &'static str = "triangle-strain";

    fn value<S: Real>(x: &Points<S, 3>, triangle: TriangleStrainParameters<S>) -> [S; 3] {
        let [r0, r1, r2] = triangle.inverse_rest;
        let (d1, d2) = (x.now[1] - x.now[0], x.now[2] - x.now[0]);
        let f1 = d1 * r0;
        let f2 = d1 * r1 + d2 * r2;
        let half = |square: S| (square - 1.0) * 0.5;
        [half(f1.dot(f1)), half(f2.dot(f2)), f1.dot(f2)]
    }

    fn compliance<S: Real>(alpha: S, triangle: TriangleStrainParameters<S>) -> [[S; 3]; 3] {
        let zero = S::zero();
        let across = -(alpha * triangle.poisson_ratio);
        let shear = (alpha - across) * 2.0;
        [[alpha, across, zero], [across, alpha, zero], [zero, zero, shear]]
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 3], TriangleStrainParameters)> {
        let k = number as f32;
        let rest = [Vec3::ZERO, Vec3::new(0.8 + 0.1 * k, 0.3, 0.1 * k), Vec3::new(-0.2, 0.9 - 0.05 * k, 0.4)];
        let bent = [Vec3::new(0.1, 0.0, -0.05 * k), Vec3::new(-0.1, 0.2, 0.1), Vec3::new(0.0, 0.02 * k, 0.15)];
        let points = std::array::from_fn(|i| (rest[i] + bent[i]).to_array());
        Some((points, TriangleStrainParameters::new(rest, 0.3)))
    }
}

impl TriangleStrainParameters {
    /// Creates the parameters of a triangle at rest \[m\] with a Poisson ratio ν in (−1, ½].
    pub fn new([x0, x1, x2]: [Vec3; 3], poisson_ratio: f32) -> Self {
        let (d1, d2) = (x1 - x0, x2 - x0);
        let a = d1.length();
        let b = d1.dot(d2) / a;
        let c = d1.cross(d2).length() / a;
        Self { inverse_rest: [1.0 / a, -b / a / c, 1.0 / c], poisson_ratio }
    }
}

impl TriangleStrain {
    /// Returns the compliance α \[1/J\] of a triangle at rest with Young's modulus E \[Pa\] and thickness t \[m\].
    pub fn compliance([x0, x1, x2]: [Vec3; 3], youngs_modulus: f32, thickness: f32) -> f32 {
        let area = 0.5 * (x1 - x0).cross(x2 - x0).length();
        1.0 / (youngs_modulus * thickness * area)
    }
}
