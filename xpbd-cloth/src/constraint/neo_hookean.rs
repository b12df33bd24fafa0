//! Stable Neo-Hookean material of a tetrahedron (\[Macklin21\] Macklin, Müller, A Constraint-based Formulation
//! of Stable Neo-Hookean Materials; the energy is that of \[Smith18\] Smith, de Goes, Kim, Stable Neo-Hookean
//! Flesh Simulation, without its logarithm).
//!
//! The energy density
//!
//! ```text
//! Ψ = ½ μ (tr FᵀF − 3) + ½ λ̂ (J − 1 − μ/λ̂)²,   J = det F
//! ```
//!
//! is that of linear elasticity near the rest shape if λ̂ = λ + μ. \[Macklin21\] makes of it the rows √(tr FᵀF) and
//! J − 1 − μ/λ̂. Neither is zero at rest, where their forces only cancel: solved in turn, the first shrinks every
//! tetrahedron and the second blows it up again, but not to the size that it had. Up to a constant the same
//! energy is
//!
//! ```text
//! Ψ = ½ μ Q + ½ λ (J − 1)²,   Q = tr FᵀF + J² − 4 J
//! ```
//!
//! and Q is never negative: by the inequality of the means of the eigenvalues of FᵀF, with f³ = |J|, it is at least
//! f² (f⁴ − 4 f + 3) ≥ 0, zero for rotations alone (and for a tetrahedron that is a point). So the rows are
//!
//! ```text
//! C = (√Q, 6 V (J − 1))          compliance   α = 1/(μ V),   (μ/λ) (6 V)² α
//! ```
//!
//! solved in turn; both are zero at rest. Q is computed from FᵀF − 1 and J − 1, its terms of
//! first order being cancelled by hand: otherwise rounding would leave a strain of 10⁻³.
//!
//! ```text
//! Q = 2 (J − 1)² − I₂(A) − det A,   A = FᵀF − 1          ∂Q/∂F = 2 F + (2 J − 4) cof F
//! ```
//!
//! with I₂ the sum of the principal minors. The second row is multiplied by 6 V, which makes its gradient the
//! area vectors of the faces. Both gradients are there in flat and inverted tetrahedra and drive J
//! up: the material recovers by itself. Every multiplier is admissible.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | F | deformation gradient ([its columns](super::tetra_strain)) | 1 |
//! | μ, λ | Lamé's parameters E/(2 (1 + ν)), E ν/((1 + ν)(1 − 2ν)) | Pa |
//! | V | rest volume | m³ |
//! | α | compliance | 1/J |

use glam::Vec3;
use xpbd_core::prelude::*;
use xpbd_core::scalar;

use super::tetra;

/// The smallest √Q that a gradient is divided by: below it Q is rounding.
const ROUNDING: f32 = 1e-8;

/// The smallest Poisson ratio that μ/λ is computed from, so that it is finite.
const SMALLEST_RATIO: f64 = 1e-6;

xpbd_core::parameters! {
    /// Parameters of [`NeoHookean`].
    pub struct NeoHookeanParameters<S> {
        /// Inverse rest matrix r₁₁, r₁₂, r₂₂, r₁₃, r₂₃, r₃₃ \[1/m\].
        pub inverse_rest: [S; 6],
        /// Six times the rest volume, 6 V \[m³\].
        pub six_volumes: S,
        /// Compliance of the second row as a multiple of that of the first, (μ/λ) (6 V)² \[m⁶\].
        pub hydrostatic_ratio: S,
    }
}

/// A constraint on the deviatoric and the hydrostatic strain of a tetrahedron. Compliance \[1/J\].
#[derive(Debug, Clone, Copy)]
pub struct NeoHookean;

impl Constraint<4, 2> for NeoHookean {
    type Parameters<S: Copy> = NeoHookeanParameters<S>;

    const NAME: &'static str = "neo-hookean";
    const ROW_ORDER: RowOrder = RowOrder::Sequential;

    fn value<S: Real>(x: &Points<S, 4>, tetrahedron: NeoHookeanParameters<S>) -> [S; 2] {
        let NeoHookeanParameters { inverse_rest: rest, six_volumes, .. } = tetrahedron;
        let d = tetra::edges(x);
        let growth = d[0].dot(tetra::faces(d)[0]) - six_volumes;
        [square(tetra::columns(d, rest), growth * density(rest)).max(S::zero()).sqrt(), growth]
    }

    fn gradient<S: Real>(x: &Points<S, 4>, tetrahedron: NeoHookeanParameters<S>) -> Option<[[scalar::Vec3<S>; 4]; 2]> {
        let NeoHookeanParameters { inverse_rest: rest, six_volumes, .. } = tetrahedron;
        let d = tetra::edges(x);
        let faces = tetra::faces(d);
        let [f1, f2, f3] = tetra::columns(d, rest);
        let density = density(rest);
        let growth = (d[0].dot(faces[0]) - six_volumes) * density;
        let root = square([f1, f2, f3], growth).max(S::zero()).sqrt();
        let slope = S::one() / root.max(S::literal(ROUNDING));
        let push = (growth - 1.0) * density * slope;
        let [r11, r12, r22, r13, r23, r33] = rest.map(|r| r * slope);
        let deviatoric = [
            faces[0] * push + f1 * r11 + f2 * r12 + f3 * r13,
            faces[1] * push + f2 * r22 + f3 * r23,
            faces[2] * push + f3 * r33,
        ];
        Some([tetra::balanced(deviatoric), tetra::balanced(faces)])
    }

    fn compliance<S: Real>(alpha: S, tetrahedron: NeoHookeanParameters<S>) -> [[S; 2]; 2] {
        [[alpha, S::zero()], [S::zero(), alpha * tetrahedron.hydrostatic_ratio]]
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 4], NeoHookeanParameters)> {
        let (rest, points) = tetra::sample(number);
        Some((points, NeoHookeanParameters::new(rest, 0.4)))
    }
}

/// Returns 1/(6 V), the determinant of the inverse rest matrix.
fn density<S: Real>([r11, _, r22, _, _, r33]: [S; 6]) -> S {
    r11 * r22 * r33
}

/// Returns Q from the columns of F and J − 1, with A = 2 E = FᵀF − 1.
fn square<S: Real>([f1, f2, f3]: [scalar::Vec3<S>; 3], growth: S) -> S {
    let (a, b, c) = (f1.dot(f1) - 1.0, f2.dot(f2) - 1.0, f3.dot(f3) - 1.0);
    let (s, t, u) = (f2.dot(f3), f1.dot(f3), f1.dot(f2));
    let minor = b * c - s * s;
    let det = a * minor + u * (s * t - u * c) + t * (u * s - b * t);
    growth * growth * 2.0 - (minor + (c * a - t * t) + (a * b - u * u)) - det
}

impl NeoHookeanParameters {
    /// Creates the parameters of a tetrahedron at rest \[m\] with a Poisson ratio ν in \[0, ½\].
    pub fn new(rest: [Vec3; 4], poisson_ratio: f32) -> Self {
        let six_volumes = 6.0 * tetra::volume(rest);
        let nu = f64::from(poisson_ratio).max(SMALLEST_RATIO);
        let ratio = (1.0 - 2.0 * nu) / (2.0 * nu) * six_volumes * six_volumes;
        Self {
            inverse_rest: tetra::inverse_rest(rest),
            six_volumes: six_volumes as f32,
            hydrostatic_ratio: ratio as f32,
        }
    }
}

impl NeoHookean {
    /// Returns the compliance α \[1/J\] of a tetrahedron at rest \[m\] with Young's modulus E \[Pa\] and Poisson ratio ν.
    pub fn compliance(rest: [Vec3; 4], youngs_modulus: f32, poisson_ratio: f32) -> f32 {
        let shear = f64::from(youngs_modulus) / (2.0 * (1.0 + f64::from(poisson_ratio)));
        (1.0 / (shear * tetra::volume(rest))) as f32
    }
}
