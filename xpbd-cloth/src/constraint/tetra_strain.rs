//! Strain of a tetrahedron (\[Bender14\]; St. Venant–Kirchhoff material).
//!
//! In a frame of the rest tetrahedron with x₀ at the origin, x₁ on the first axis, at (a, 0, 0), x₂ at
//! (b, c, 0) and x₃ at (p, q, r), the edges dᵢ = xᵢ − x₀ give the columns of the deformation gradient F,
//!
//! ```text
//! f₁ = r₁₁ d₁,   f₂ = r₁₂ d₁ + r₂₂ d₂,   f₃ = r₁₃ d₁ + r₂₃ d₂ + r₃₃ d₃
//!
//! r₁₁ = 1/a   r₁₂ = −b/(a c)   r₁₃ = (b q − p c)/(a c r)
//!             r₂₂ = 1/c        r₂₃ = −q/(c r)
//!                              r₃₃ = 1/r
//! ```
//!
//! and the rows are Green's strain in engineering form, zero for every rigid motion (and for a reflection):
//!
//! ```text
//! C = (ε₁₁, ε₂₂, ε₃₃, γ₂₃, γ₁₃, γ₁₂),   εᵢᵢ = ½(fᵢ·fᵢ − 1),   γᵢⱼ = fᵢ·fⱼ
//! ```
//!
//! The stored energy ½ V Cᵀ D C makes the compliance matrix, of all six rows solved as a block,
//!
//! ```text
//! (V D)⁻¹ = α [[1, −ν, −ν], [−ν, 1, −ν], [−ν, −ν, 1]] and 2 (1 + ν) α for each shear,   α = 1/(E V)
//! ```
//!
//! The material is isotropic, so the frame is free, and this choice makes three numbers of the inverse rest matrix
//! zero. Every multiplier is admissible; −λ/(h² V) is the stress. The strain does not know an inverted tetrahedron
//! from its mirror image, and a flat one is pushed to neither side: where that may happen, the
//! [volume](super::tetra_volume) has to be a constraint too.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | E | Young's modulus | Pa |
//! | ν | Poisson ratio | 1 |
//! | V | rest volume | m³ |
//! | α | compliance | 1/J |

use glam::Vec3;
use xpbd_core::prelude::*;

use super::tetra;

xpbd_core::parameters! {
    /// Parameters of [`TetraStrain`].
    pub struct TetraStrainParameters<S> {
        /// Inverse rest matrix r₁₁, r₁₂, r₂₂, r₁₃, r₂₃, r₃₃ \[1/m\].
        pub inverse_rest: [S; 6],
        /// Poisson ratio ν \[1\].
        pub poisson_ratio: S,
    }
}

/// A constraint on Green's strain of a tetrahedron. Compliance \[1/J\].
#[derive(Debug, Clone, Copy)]
pub struct TetraStrain;

impl Constraint<4, 6> for TetraStrain {
    type Parameters<S: Copy> = TetraStrainParameters<S>;

    const NAME: &'static str = "tetra-strain";

    fn value<S: Real>(x: &Points<S, 4>, tetrahedron: TetraStrainParameters<S>) -> [S; 6] {
        let [f1, f2, f3] = tetra::columns(tetra::edges(x), tetrahedron.inverse_rest);
        let half = |square: S| (square - 1.0) * 0.5;
        [half(f1.dot(f1)), half(f2.dot(f2)), half(f3.dot(f3)), f2.dot(f3), f1.dot(f3), f1.dot(f2)]
    }

    fn compliance<S: Real>(alpha: S, tetrahedron: TetraStrainParameters<S>) -> [[S; 6]; 6] {
        let across = -(alpha * tetrahedron.poisson_ratio);
        let shear = (alpha - across) * 2.0;
        std::array::from_fn(|row| {
            std::array::from_fn(|column| match (row, column) {
                (0..3, 0..3) if row == column => alpha,
                (0..3, 0..3) => across,
                _ if row == column => shear,
                _ => S::zero(),
            })
        })
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 4], TetraStrainParameters)> {
        let (rest, points) = tetra::sample(number);
        Some((points, TetraStrainParameters::new(rest, 0.3)))
    }
}

impl TetraStrainParameters {
    /// Creates the parameters of a tetrahedron at rest \[m\] with a Poisson ratio ν in (−1, ½].
    pub fn new(rest: [Vec3; 4], poisson_ratio: f32) -> Self {
        Self { inverse_rest: tetra::inverse_rest(rest), poisson_ratio }
    }
}

impl TetraStrain {
    /// Returns the compliance α \[1/J\] of a tetrahedron at rest \[m\] with Young's modulus E \[Pa\].
    pub fn compliance(rest: [Vec3; 4], youngs_modulus: f32) -> f32 {
        (1.0 / (f64::from(youngs_modulus) * tetra::volume(rest))) as f32
    }
}
