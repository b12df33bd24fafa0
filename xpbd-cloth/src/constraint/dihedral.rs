//! Angle between two triangles that share an edge (\[Bridson03\] Simulation of Clothing with Folds
//! and Wrinkles; gradient as in \[Tamstorf13\] Discrete Bending Forces and Their Jacobians).
//!
//! With e = x₁ − x₀, a = x₂ − x₀, b = x₃ − x₀ and the normals n₁ = e × a, n₂ = b × e,
//!
//! ```text
//! C = θ − θ₀ within (−π, π],   θ = atan2(−|e| n₁·b, n₁·n₂)
//! ```
//!
//! which uses (n₁ × n₂)·e = −|e|² n₁·b and needs no unit normal: θ is exact from flat (0) to folded
//! (±π). Every multiplier is admissible; λ/h² is a torque. The gradient is written by hand,
//!
//! ```text
//! g₂ = ∂θ/∂x₂ = −|e| n₁/|n₁|²,   g₃ = ∂θ/∂x₃ = −|e| n₂/|n₂|²
//! ∂θ/∂x₀ = −(1 − p₂) g₂ − (1 − p₃) g₃,   ∂θ/∂x₁ = −p₂ g₂ − p₃ g₃,   pᵢ = (xᵢ − x₀)·e/|e|²
//! ```
//!
//! because it is shorter than the derived one and divides by squared areas, not by their product.
//! A hinge stores ½ B |e|² θ²/(A₀ + A₁), the energy of [isometric bending](super::isometric_bending) at
//! small angles, hence α = (A₀ + A₁)/(B |e|²).
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | θ₀ | rest angle | rad |
//! | B | bending stiffness, E t³/(12 (1 − ν²)) | N m |
//! | A₀, A₁ | rest areas | m² |
//! | α | compliance | rad²/J |

use std::f32::consts::PI;

use glam::Vec3;
use xpbd_core::prelude::*;
use xpbd_core::scalar;

use super::double;

/// The smallest |e|² \[m²\] and |n|² \[m⁴\] that the gradient divides by, those of edges of a micrometre.
const SMALLEST: f32 = 1e-24;

xpbd_core::parameters! {
    /// Parameters of [`Dihedral`].
    pub struct DihedralParameters<S> {
        /// Rest angle θ₀ \[rad\].
        pub rest_angle: S,
    }
}

/// A constraint that holds the angle between two triangles. Compliance \[rad²/J\].
#[derive(Debug, Clone, Copy)]
pub struct Dihedral;

/// The edge vectors and normals of a flap.
struct Hinge<S> {
    e: scalar::Vec3<S>,
    a: scalar::Vec3<S>,
    b: scalar::Vec3<S>,
    n1: scalar::Vec3<S>,
    n2: scalar::Vec3<S>,
}

impl<S: Real> Hinge<S> {
    fn new(e: scalar::Vec3<S>, a: scalar::Vec3<S>, b: scalar::Vec3<S>) -> Self {
        Self { e, a, b, n1: e.cross(a), n2: b.cross(e) }
    }

    fn at(x: &Points<S, 4>) -> Self {
        Self::new(x.now[1] - x.now[0], x.now[2] - x.now[0], x.now[3] - x.now[0])
    }

    fn angle(&self) -> S {
        let sine = -(self.e.length() * self.n1.dot(self.b));
        sine.atan2(self.n1.dot(self.n2))
    }
}

impl Constraint<4, 1> for Dihedral {
    type Parameters<S: Copy> = DihedralParameters<S>;

    const NAME: &'static str = "dihedral";

    fn value<S: Real>(x: &Points<S, 4>, fold: DihedralParameters<S>) -> [S; 1] {
        let angle = Hinge::at(x).angle() - fold.rest_angle;
        let full_turn = S::literal(2.0 * PI);
        let lowered = S::literal(PI).select_lt(angle, angle - full_turn, angle);
        [angle.select_lt(S::literal(-PI), angle + full_turn, lowered)]
    }

    fn gradient<S: Real>(x: &Points<S, 4>, _: DihedralParameters<S>) -> Option<[[scalar::Vec3<S>; 4]; 1]> {
        let hinge = Hinge::at(x);
        let floor = S::literal(SMALLEST);
        let e2 = hinge.e.length_squared();
        let length = e2.sqrt();
        let g2 = -(hinge.n1 * (length / hinge.n1.length_squared().max(floor)));
        let g3 = -(hinge.n2 * (length / hinge.n2.length_squared().max(floor)));
        let along = hinge.e / e2.max(floor);
        let end = -(g2 * hinge.a.dot(along) + g3 * hinge.b.dot(along));
        Some([[-(g2 + g3 + end), end, g2, g3]])
    }
}

impl Dihedral {
    /// Returns the angle \[rad\] of a flap: the ends of its edge, then the vertices opposite in each triangle.
    pub fn angle([x0, x1, x2, x3]: [Vec3; 4]) -> f32 {
        let from = |x: Vec3| double(x) - double(x0);
        Hinge::new(from(x1), from(x2), from(x3)).angle().0 as f32
    }

    /// Returns the compliance \[rad²/J\] of a flap at rest for a bending stiffness B \[N m\].
    pub fn compliance([x0, x1, x2, x3]: [Vec3; 4], stiffness: f32) -> f32 {
        let e = x1 - x0;
        let twice_areas = e.cross(x2 - x0).length() + e.cross(x3 - x0).length();
        0.5 * twice_areas / e.length_squared() / stiffness
    }
}
