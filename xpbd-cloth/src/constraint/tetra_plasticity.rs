//! Multiplicative plasticity of a tetrahedron that keeps its volume.
//!
//! The inverse rest matrix is R = R₀ W, with R₀ that of the shape it was made in and det W = 1, so that F = D R is
//! the elastic part of the deformation D R₀ and W⁻¹ the plastic part (\[Irving04\] Invertible Finite Elements for
//! Robust Simulation of Large Deformation, section 6; \[Mueller04\]). A frame of an isotropic material is free: R Rᵀ
//! alone matters, and R stays upper triangular. With C = FᵀF and m = tr C/3 the deviatoric strain is
//!
//! ```text
//! ½ A,   A = C/m − 1,   ε = √(⅔ · ¼ A:A)
//! ```
//!
//! without a trace and the same for every size; ε is the strain of von Mises, that of a bar of constant volume, and
//! for one stretched by the factor l it is (l³ − 1)/(l³ + 2). At the end of a frame of length dt the part β of A
//! becomes permanent (a radial return, exact for any A),
//!
//! ```text
//! β = min(c dt, 1) max(0, 1 − y/ε)
//! C → m (1 + (1 − β) A)  by  W Wᵀ ← G = W S Wᵀ,   S = (1 − β) 1 + β m C⁻¹
//! ```
//!
//! so that a strain that is held decays to y. The total is bounded: with G/(tr G/3) = 1 + P, q = ½ P:P and d = det P,
//!
//! ```text
//! P ← s P,   s² (q − s min(d, 0)) ≤ k = 1 − 27 x/(x + 2)³,   x = (1 + limit)⁻³
//! ```
//!
//! which lets a bar become 1 + limit times as long (det(1 + s P) ≥ 1 − k). The largest s is that of a few steps of
//! s ← √(k/(q − s min(d, 0))) from 1, of which every other one is too small. W is the Cholesky factor of G, scaled to
//! det W = 1. A tetrahedron that is inverted or almost flat (det C/m³ below 10⁻³, a bar that its
//! elastic part makes more than five times as long) flows not at all: it comes back first.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | D | edges from the first point, as columns | m |
//! | R, R₀ | inverse rest matrix, and that of the first rest shape | 1/m |
//! | y | yield strain; the stress there is 3 μ y | 1 |
//! | c | creep | 1/s |
//! | k | bound of the plastic part | 1 |

use xpbd_core::plasticity::Plasticity;
use xpbd_core::prelude::*;

use super::tetra::{columns, edges, faces};

/// The smallest det C/m³ that flows \[1\].
const ALMOST_FLAT: f32 = 1e-3;

/// Steps of Halley's method for a cube root of at least 0.05, from 1.
const HALLEY: usize = 6;

/// Steps for the factor of what is beyond the bound, an odd number.
const SCALINGS: usize = 7;

xpbd_core::parameters! {
    /// Parameters of the plasticity of a tetrahedron.
    pub struct TetraPlasticityParameters<S> {
        /// Inverse rest matrix R₀ of the first rest shape \[1/m\].
        pub initial_inverse_rest: [S; 6],
        /// Yield strain y \[1\].
        pub yield_strain: S,
        /// Creep c \[1/s\].
        pub creep: S,
        /// Bound k of the plastic part \[1\].
        pub bound: S,
    }
}

impl TetraPlasticityParameters {
    /// Creates the parameters of a tetrahedron with this inverse rest matrix \[1/m\].
    pub fn new(initial_inverse_rest: [f32; 6], plasticity: Plasticity) -> Self {
        let Plasticity { yield_strain, creep, limit } = plasticity;
        let stretch = f64::from(limit) + 1.0;
        let x = 1.0 / (stretch * stretch * stretch);
        let bound = 1.0 - 27.0 * x / ((x + 2.0) * (x + 2.0) * (x + 2.0));
        Self { initial_inverse_rest, yield_strain, creep, bound: bound as f32 }
    }
}

/// Returns R \[1/m\] at the end of a frame of length `dt` \[s\].
pub(super) fn evolved<S: Real>(x: &Points<S, 4>, rest: [S; 6], plastic: TetraPlasticityParameters<S>, dt: S) -> [S; 6] {
    let TetraPlasticityParameters { initial_inverse_rest: initial, yield_strain, creep, bound } = plastic;
    let d = edges(x);
    let [f1, f2, f3] = columns(d, rest);
    let mean = (f1.dot(f1) + f2.dot(f2) + f3.dot(f3)) / 3.0;
    let c = symmetric([f1.dot(f1), f2.dot(f2), f3.dot(f3), f2.dot(f3), f1.dot(f3), f1.dot(f2)].map(|c| c / mean));
    let (adjugate, det) = adjugate(c);
    let strain = (half_square(less_one(c)) / 3.0).sqrt();
    let upright = d[0].dot(faces(d)[0]).select_lt(S::zero(), S::zero(), S::one());
    let sound = det.select_lt(S::literal(ALMOST_FLAT), S::zero(), upright);
    let part = (S::one() - yield_strain / strain) * (creep * dt).min(S::one()) * sound;
    let kept = S::one() - part;
    let s = each(|i, j| adjugate[i][j] * (part / det) + if i == j { kept } else { S::zero() });
    let w = left_divide(initial, rest);
    let g = times(times(w, s), transposed(w));
    let w = unit_factor(bounded(g, bound));
    let new = upper(times(matrix(initial), w));
    std::array::from_fn(|k| S::zero().select_lt(part, new[k], rest[k]))
}

type Matrix<S> = [[S; 3]; 3];

fn each<S: Real>(entry: impl Fn(usize, usize) -> S) -> Matrix<S> {
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
}

fn times<S: Real>(a: Matrix<S>, b: Matrix<S>) -> Matrix<S> {
    each(|i, j| a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j])
}

fn transposed<S: Real>(a: Matrix<S>) -> Matrix<S> {
    each(|i, j| a[j][i])
}

fn less_one<S: Real>(a: Matrix<S>) -> Matrix<S> {
    each(|i, j| if i == j { a[i][j] - 1.0 } else { a[i][j] })
}

/// Returns the matrix of the entries 11, 22, 33, 23, 13, 12.
fn symmetric<S: Real>([a, b, c, s, t, u]: [S; 6]) -> Matrix<S> {
    [[a, u, t], [u, b, s], [t, s, c]]
}

/// Returns the matrix of the entries 11, 12, 22, 13, 23, 33 of an upper triangular one.
fn matrix<S: Real>([r11, r12, r22, r13, r23, r33]: [S; 6]) -> Matrix<S> {
    let zero = S::zero();
    [[r11, r12, r13], [zero, r22, r23], [zero, zero, r33]]
}

fn upper<S: Real>(a: Matrix<S>) -> [S; 6] {
    [a[0][0], a[0][1], a[1][1], a[0][2], a[1][2], a[2][2]]
}

/// Returns ½ A:A of a symmetric matrix.
fn half_square<S: Real>([[a, u, t], [_, b, s], [_, _, c]]: Matrix<S>) -> S {
    (a * a + b * b + c * c) * 0.5 + (s * s + t * t + u * u)
}

/// Returns the adjugate and the determinant of a symmetric matrix.
fn adjugate<S: Real>([[a, u, t], [_, b, s], [_, _, c]]: Matrix<S>) -> (Matrix<S>, S) {
    let (aa, uu, tt) = (b * c - s * s, s * t - u * c, u * s - b * t);
    let entries = [aa, c * a - t * t, a * b - u * u, t * u - a * s, tt, uu];
    (symmetric(entries), a * aa + u * uu + t * tt)
}

/// Returns W of R₀ W = R, all of them upper triangular.
fn left_divide<S: Real>([o11, o12, o22, o13, o23, o33]: [S; 6], [r11, r12, r22, r13, r23, r33]: [S; 6]) -> Matrix<S> {
    let (w22, w33) = (r22 / o22, r33 / o33);
    let w23 = (r23 - o23 * w33) / o22;
    matrix([r11 / o11, (r12 - o12 * w22) / o11, w22, (r13 - o12 * w23 - o13 * w33) / o11, w23, w33])
}

/// Returns 1 + s P of a metric, which has mean 1 and is no farther from 1 than the bound.
fn bounded<S: Real>(g: Matrix<S>, bound: S) -> Matrix<S> {
    let mean = (g[0][0] + g[1][1] + g[2][2]) / 3.0;
    let p = less_one(each(|i, j| g[i][j] / mean));
    let (_, det) = adjugate(p);
    let (square, det) = (half_square(p), det.min(S::zero()));
    let s = (0..SCALINGS).fold(S::one(), |s, _| (bound / (square - det * s).max(bound)).sqrt());
    each(|i, j| if i == j { p[i][j] * s + 1.0 } else { p[i][j] * s })
}

/// Returns the upper triangular W of W Wᵀ = G, scaled to det W = 1.
fn unit_factor<S: Real>(g: Matrix<S>) -> Matrix<S> {
    let w33 = g[2][2].sqrt();
    let (w23, w13) = (g[1][2] / w33, g[0][2] / w33);
    let w22 = (g[1][1] - w23 * w23).sqrt();
    let w12 = (g[0][1] - w13 * w23) / w22;
    let w11 = (g[0][0] - w12 * w12 - w13 * w13).sqrt();
    let det = w11 * w22 * w33;
    let mut root = S::one();
    for _ in 0..HALLEY {
        let cube = root * root * root;
        root = root * (cube + det * 2.0) / (cube * 2.0 + det);
    }
    matrix([w11, w12, w22, w13, w23, w33].map(|w| w / root))
}
