//! Isometric bending: the quadratic bending energy of a surface that is flat at rest
//! (\[Bergou06\] A Quadratic Bending Model for Inextensible Surfaces; \[Bender14\]).
//!
//! Two triangles of areas A₀ and A₁ share the edge x₀x₁; x₂ and x₃ are opposite it. While the
//! edges keep their lengths, the integrated mean curvature across the edge is linear in x,
//!
//! ```text
//! Σ Kᵢ xᵢ,   |Σ Kᵢ xᵢ| = |e| θ for small θ,   K = (c₁ + c₃, c₀ + c₂, −c₀ − c₁, −c₂ − c₃)
//! ```
//!
//! with c the cotangents of the four angles at the edge (\[Bergou06\]). As −K₂ = |e|²/(2A₀) and
//! −K₃ = |e|²/(2A₁), it is a multiple of the gap between the two diagonals of the unfolded flap,
//!
//! ```text
//! Σ Kᵢ xᵢ = −s C,   C = (1 − t) x₂ + t x₃ − (1 − u) x₀ − u x₁,   s = |e|² (A₀ + A₁)/(2 A₀ A₁)
//! t = A₀/(A₀ + A₁),   u = (1 − t) p₂ + t p₃,   pᵢ = (xᵢ − x₀)·e/|e|²
//! ```
//!
//! so C is a vector of three linear rows \[m\] with two parameters, zero for any flat flap. The
//! energy of a flap is ½ B |Σ Kᵢ xᵢ|²/(A₀ + A₁) = ½ |C|²/α, hence
//!
//! ```text
//! α = (A₀ + A₁)/(B s²) = 4 A₀² A₁² / (B |e|⁴ (A₀ + A₁))
//! ```
//!
//! \[Bergou06\] has 3/(A₀ + A₁) in place of 1/(A₀ + A₁). That factor takes the curvature to be
//! spread evenly over the three edges of a triangle, while bending to a cylinder along mesh lines
//! folds only one of them, and the energy comes out as three times the true one. With the factor 1,
//! a cylinder has exactly ½ B/R² for each m² on a mesh of equilateral triangles in any direction, and
//! on a square grid with uniform diagonals along the grid lines (along the diagonals it is three
//! times too stiff); [`Cloth::grid`](crate::Cloth::grid) is right in all directions.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | B | bending stiffness, E t³/(12 (1 − ν²)) | N m |
//! | θ | dihedral angle | rad |
//! | e | edge vector x₁ − x₀ | m |
//! | α | compliance | m/N |

use glam::Vec3;
use xpbd_core::prelude::*;
use xpbd_core::scalar;

use super::exact_weight;

xpbd_core::parameters! {
    /// Parameters of [`IsometricBending`]: the point in which the diagonals of the unfolded flap cross.
    pub struct IsometricBendingParameters<S> {
        /// Its position u along the edge \[1\].
        pub along_edge: S,
        /// Its position t between the opposite vertices \[1\].
        pub across_edge: S,
    }
}

/// A constraint that keeps a pair of triangles flat. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct IsometricBending;

impl Constraint<4, 3> for IsometricBending {
    type Parameters<S: Copy> = IsometricBendingParameters<S>;

    const NAME: &'static str = "isometric-bending";

    fn value<S: Real>(x: &Points<S, 4>, flap: IsometricBendingParameters<S>) -> [S; 3] {
        let IsometricBendingParameters { along_edge: u, across_edge: t } = flap;
        let [x0, x1, x2, x3] = x.now.map(|point| point.local());
        let (before_u, before_t) = (S::one() - u, S::one() - t);
        let row = |of: fn(scalar::Vec3<S>) -> S| of(x2) * before_t + of(x3) * t - of(x0) * before_u - of(x1) * u;
        [row(|v| v.x), row(|v| v.y), row(|v| v.z)]
    }
}

impl IsometricBendingParameters {
    /// Creates the parameters of a flap at rest: the ends of its edge, then the vertices opposite in each
    /// triangle \[m\].
    pub fn new(rest: [Vec3; 4]) -> Self {
        let [a0, a1] = areas(rest);
        let [x0, x1, x2, x3] = rest;
        let e = x1 - x0;
        let along = |x: Vec3| (x - x0).dot(e) / e.length_squared();
        let t = a0 / (a0 + a1);
        Self { along_edge: exact_weight((1.0 - t) * along(x2) + t * along(x3)), across_edge: exact_weight(t) }
    }
}

impl IsometricBending {
    /// Returns the compliance \[m/N\] of a flap at rest for a bending stiffness B \[N m\].
    pub fn compliance(rest: [Vec3; 4], stiffness: f32) -> f32 {
        let [a0, a1] = areas(rest);
        let e2 = rest[0].distance_squared(rest[1]);
        let inverse_scale = 2.0 * (a0 / e2) * (a1 / (a0 + a1));
        inverse_scale * inverse_scale * (a0 + a1) / stiffness
    }
}

fn areas([x0, x1, x2, x3]: [Vec3; 4]) -> [f32; 2] {
    [x2, x3].map(|x| 0.5 * (x1 - x0).cross(x - x0).length())
}
