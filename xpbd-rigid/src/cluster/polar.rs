//! The rotation that is nearest to a matrix, from a guess that is near it (\[Polar16\]).
//!
//! The search is for the R that maximises f(R) = tr(Rᵀ A). A rotation by the vector ω on top of R changes f
//! by gᵀω − ½ ωᵀ H ω, with the columns rⱼ of R and aⱼ of A:
//!
//! ```text
//! g = Σ rⱼ × aⱼ          B = sym(Σ aⱼ rⱼᵀ)          H = tr(B) I − B
//! (H + μ I) ω = g
//! ```
//!
//! The paper takes ω = g / (|Σ rⱼ·aⱼ| + ε), whose denominator is tr(B) for the whole matrix. That is slow
//! about the axis of a thin shape, where H is far below tr(B), and jumps where tr(B) vanishes. Three
//! departures keep what makes the method robust, a gradient that any matrix has and a guess from the
//! substep before:
//!
//! - μ = |g| where H + μ I is positive definite: Newton's step, which squares the error, and is never
//!   longer than 1.
//! - Elsewhere the step is taken along each eigenvector v of H by itself, ω·v = g·v/(|η| + |g·v|) with its eigenvalue
//!   η: f grows along each where it can, however much the scales of A differ (\[SaddleFree14\], Newton's method with
//!   |H|). Where f is smallest along v, the step is at least `AWAY_FROM_SADDLE`; where g·v and η are lost in rounding, it is
//!   0, and the rotation stays that of the guess.
//! - R is rotated by the normalised quaternion (ω/2, 1) instead of the exponential of ω: it needs no
//!   trigonometry, and agrees to second order.
//!
//! From any guess this takes up to about twenty steps for singular values up to 10⁴ : 1 : 0.1, of which single precision
//! then knows the rotation about the long axis to 10⁻³.
//!
//! \[SaddleFree14\]: Y. Dauphin et al., Identifying and attacking the saddle point problem in high-dimensional non-convex
//! optimization, NIPS 2014.
//!
//! | symbol | meaning |
//! |---|---|
//! | A | the matrix, by columns a₀ a₁ a₂, divided by its largest entry |
//! | R | the rotation, by columns r₀ r₁ r₂ |
//! | g, H | gradient and negated Hessian of f |
//!
//! The straight-line parts are generic, and printed for the GPU by `wgsl`; the search around them stands in
//! `polar.wgsl` for the GPU.

use glam::{Mat3, Quat};
use xpbd_core::program::wgsl::{constants, function, function_of_struct};
use xpbd_core::program::{Graph, Sym};
use xpbd_core::scalar::{Real, Single, Vec3};

use super::eigen::eigen;

/// Matrices with no larger entry have no rotation.
const MIN_ENTRY: f32 = 1e-30;
/// The part of the size of H above which a pivot is positive \[1\].
const MIN_PIVOT: f32 = 1e-5;
/// The square of a step \[rad²\] below which it is the last: the next would be lost in rounding.
const CONVERGED: f32 = 1e-10;
/// The part of the size of H below which a gradient is lost in rounding \[1\].
const ROUNDING: f32 = 1e-7;
/// The smallest step along an eigenvector along which f is smallest \[rad\].
const AWAY_FROM_SADDLE: f32 = 0.2;

/// Steps that suffice from any guess; a warm start takes two or three.
pub const SUFFICIENT_STEPS: u32 = 64;

/// Three columns of a matrix.
pub(super) type Columns<S> = [Vec3<S>; 3];

/// Returns the unit quaternion of the rotation nearest to `matrix` (largest tr(Rᵀ A)), found in at most `steps`
/// steps from `guess`.
///
/// Any matrix gives a finite unit quaternion: of the rotations that are equally near to a singular
/// one, one near the guess, and the guess itself for a matrix that is zero or not finite. A guess that
/// is no rotation is replaced by the identity.
pub fn rotation(matrix: Mat3, guess: Quat, steps: u32) -> Quat {
    let is_rotation = (guess.length_squared() - 1.0).abs() < 0.1;
    refine_rotation(matrix, if is_rotation { from_single(normalize(single(guess))) } else { Quat::IDENTITY }, steps)
}

/// Returns the same as [`rotation`], from a guess that is a unit quaternion.
pub(super) fn refine_rotation(matrix: Mat3, guess: Quat, steps: u32) -> Quat {
    let largest = matrix.x_axis.abs().max(matrix.y_axis.abs()).max(matrix.z_axis.abs()).max_element();
    if !(matrix.is_finite() && largest > MIN_ENTRY) {
        return guess;
    }
    let scale = 1.0 / largest;
    let a = columns_of(matrix).map(|column| column * Single(scale));
    let mut q = single(guess);
    for _ in 0..steps {
        let (half, is_last) = step(a, q);
        q = rotate_by(half, q);
        if is_last {
            break;
        }
    }
    from_single(q)
}

/// Returns half of the vector to rotate by, and whether no other step is needed.
fn step(a: Columns<Single>, q: [Single; 4]) -> (Vec3<Single>, bool) {
    let r = columns(q);
    let g = gradient(a, r);
    let h = hessian(a, r);
    let size = g.length();
    let (omega, lowest) = solve(h, size, g);
    if lowest.0 > min_pivot(h).0 {
        return (half(omega), omega.length_squared().0 < CONVERGED || size.0 < rounding(h).0);
    }
    let omega = saddle_free_step(h, g);
    (half(omega), omega.length_squared().0 < CONVERGED)
}

/// Returns g.
fn gradient<S: Real>(a: Columns<S>, r: Columns<S>) -> Vec3<S> {
    r[0].cross(a[0]) + r[1].cross(a[1]) + r[2].cross(a[2])
}

/// The symmetric matrix H = tr(B) I − B, the moment of inertia of the matched shape: H₀₀, H₁₁, H₂₂, and H₀₁,
/// H₀₂, H₁₂.
pub(super) type Hessian<S> = (Vec3<S>, Vec3<S>);

/// Returns H.
pub(super) fn hessian<S: Real>(a: Columns<S>, r: Columns<S>) -> Hessian<S> {
    let a = a.map(Vec3::to_array);
    // Row i of B is the sum of aⱼ[i] rⱼ.
    let [b0, b1, b2] = [0, 1, 2].map(|i| r[0] * a[0][i] + r[1] * a[1][i] + r[2] * a[2][i]);
    let diagonal = Vec3::new(b1.y + b2.z, b0.x + b2.z, b0.x + b1.y);
    let mixed = Vec3::new(b0.y + b1.x, b0.z + b2.x, b1.z + b2.y) * S::literal(-0.5);
    (diagonal, mixed)
}

/// Solves (H + `shift` I) ω = g by LDLᵀ; the second number is the lowest pivot. Where that is not above 0, ω is
/// of no use.
pub(super) fn solve<S: Real>((diagonal, mixed): Hessian<S>, shift: S, g: Vec3<S>) -> (Vec3<S>, S) {
    let diagonal = diagonal + Vec3::new(shift, shift, shift);
    let d0 = diagonal.x;
    let (l10, l20) = (mixed.x / d0, mixed.y / d0);
    let d1 = diagonal.y - l10 * mixed.x;
    let m = mixed.z - l20 * mixed.x;
    let l21 = m / d1;
    let d2 = (diagonal.z - l20 * mixed.y) - l21 * m;
    let y1 = g.y - l10 * g.x;
    let y2 = (g.z - l20 * g.x) - l21 * y1;
    let z = y2 / d2;
    let y = y1 / d1 - l21 * z;
    let x = (g.x / d0 - l10 * y) - l20 * z;
    let if_positive = |pivot: S, then: S| S::zero().select_lt(pivot, then, pivot);
    (Vec3::new(x, y, z), if_positive(d0, if_positive(d1, d0.min(d1).min(d2))))
}

/// Returns the smallest pivot that a matrix like this one can be solved with.
pub(super) fn min_pivot<S: Real>(h: Hessian<S>) -> S {
    size(h) * MIN_PIVOT
}

/// Returns ω where H is not positive definite.
fn saddle_free_step<S: Real>(h: Hessian<S>, g: Vec3<S>) -> Vec3<S> {
    let (values, vectors) = eigen(h);
    let (smallest, away) = (min_pivot(h), S::literal(AWAY_FROM_SADDLE));
    let step = |k: usize| {
        let (value, slope) = (values[k], vectors[k].dot(g));
        let size = value.abs() + slope.abs();
        let newton = slope / size.max(S::literal(MIN_ENTRY));
        let far = slope.select_lt(S::zero(), newton.min(-away), newton.max(away));
        smallest.select_lt(size, value.select_lt(-smallest, far, newton), S::zero())
    };
    (vectors[0] * step(0) + vectors[1] * step(1)) + vectors[2] * step(2)
}

/// Returns the length of a gradient that is lost in rounding.
fn rounding<S: Real>(h: Hessian<S>) -> S {
    size(h) * ROUNDING
}

/// Returns the sum of the magnitudes of H₀₀ … H₁₂.
fn size<S: Real>((d, m): Hessian<S>) -> S {
    ((d.x.abs() + d.y.abs()) + d.z.abs()) + ((m.x.abs() + m.y.abs()) + m.z.abs())
}

/// Returns the columns of a rotation.
pub(super) fn columns<S: Real>([x, y, z, w]: [S; 4]) -> Columns<S> {
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [
        Vec3::new(S::one() - (yy + zz), xy + wz, xz - wy),
        Vec3::new(xy - wz, S::one() - (xx + zz), yz + wx),
        Vec3::new(xz + wy, yz - wx, S::one() - (xx + yy)),
    ]
}

/// Returns q followed by the rotation of the quaternion (h, 1), normalised.
fn rotate_by<S: Real>(h: Vec3<S>, [x, y, z, w]: [S; 4]) -> [S; 4] {
    normalize([
        ((x + h.x * w) + h.y * z) - h.z * y,
        ((y - h.x * z) + h.y * w) + h.z * x,
        ((z + h.x * y) - h.y * x) + h.z * w,
        ((w - h.x * x) - h.y * y) - h.z * z,
    ])
}

fn normalize<S: Real>(q: [S; 4]) -> [S; 4] {
    let [x, y, z, w] = q;
    let length = (((x * x + y * y) + z * z) + w * w).sqrt();
    q.map(|component| component / length)
}

/// Returns the columns of a matrix as recorded functions take them.
pub(super) fn columns_of(m: Mat3) -> Columns<Single> {
    [m.x_axis.into(), m.y_axis.into(), m.z_axis.into()]
}

/// Returns the matrix of these columns.
pub(super) fn from_columns([x, y, z]: Columns<Single>) -> Mat3 {
    Mat3::from_cols(x.into(), y.into(), z.into())
}

/// Returns the product of a matrix and a vector.
pub(super) fn combine<S: Real>(m: Columns<S>, v: Vec3<S>) -> Vec3<S> {
    (m[0] * v.x + m[1] * v.y) + m[2] * v.z
}

/// Returns a quaternion as recorded functions take it.
pub(super) fn single(q: Quat) -> [Single; 4] {
    q.to_array().map(Single)
}

fn from_single(q: [Single; 4]) -> Quat {
    Quat::from_array(q.map(|component| component.0))
}

fn half(v: Vec3<Single>) -> Vec3<Single> {
    v * Single(0.5)
}

/// Prints what `polar.wgsl` calls.
pub(super) fn wgsl() -> String {
    type S<'g> = Sym<'g>;
    type V<'g> = Vec3<Sym<'g>>;
    let (graph, h) = (&Graph::new(), ["diagonal", "mixed"]);
    [
        constants(&[("MIN_ENTRY", MIN_ENTRY), ("CONVERGED", CONVERGED)]),
        function(graph, "columns", ["q"], |(q,): ([S; 4],)| columns(q)),
        function(graph, "rotate_by", ["half", "q"], |(half, q): (V, [S; 4])| rotate_by(half, q)),
        function(graph, "polar_gradient", ["a", "r"], |(a, r): ([V; 3], [V; 3])| gradient(a, r)),
        function_of_struct(graph, "hessian", ["a", "r"], ("Hessian", h), |(a, r): ([V; 3], [V; 3])| hessian(a, r)),
        function_of_struct(
            graph,
            "solve",
            ["diagonal", "mixed", "shift", "g"],
            ("Solution", ["omega", "lowest_pivot"]),
            |(diagonal, mixed, shift, g): (V, V, S, V)| solve((diagonal, mixed), shift, g),
        ),
        function(graph, "min_pivot", h, |h: (V, V)| min_pivot(h)),
        function(graph, "rounding", h, |h: (V, V)| rounding(h)),
        function(graph, "saddle_free_step", [h[0], h[1], "g"], |(d, m, g): (V, V, V)| saddle_free_step((d, m), g)),
    ]
    .concat()
}
