//! The rotation that is nearest to a matrix, from a guess that is near it (\[Polar16\]).
//!
//! Sought is the R that maximises f(R) = tr(Rᵀ A). A rotation by the vector ω on top of R changes f
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
//!   longer than 1. Elsewhere μ = |g| − 3/2 min(ℓ, 0) + a little, with ℓ no more than the lowest eigenvalue
//!   of H, so that f grows in every direction in which it can.
//! - R turns by the quaternion (ω/2, 1), normalised, instead of by the exponential of ω: without
//!   trigonometry, and the same to second order.
//! - Where g vanishes at a saddle (a guess turned by exactly π), R is nudged off it.
//!
//! | symbol | meaning |
//! |---|---|
//! | A | the matrix, by columns a₀ a₁ a₂, divided by its largest entry |
//! | R | the rotation, by columns r₀ r₁ r₂ |
//! | g, H | gradient and negated Hessian of f |

use glam::{Mat3, Quat, Vec3};

/// Matrices with no larger entry have no rotation.
const MIN_ENTRY: f32 = 1e-30;
/// The part of the size of H above which a pivot is positive.
const MIN_PIVOT: f32 = 1e-5;
/// The part of the size of H that μ is no less than where H is not positive definite.
const REGULARISATION: f32 = 0.02;
/// A step whose square is below this is the last \[rad²\]: the next would be lost in rounding.
const CONVERGED: f32 = 1e-10;
/// Steps toward the lowest eigenvalue.
const BOUND_STEPS: u32 = 8;
/// The part of the size of H below the negative of which an eigenvalue is that of a saddle.
const SADDLE: f32 = 1e-3;
/// A turn off a saddle, as a vector of half its angle.
const SADDLE_ROTATION: Vec3 = Vec3::new(0.05, 0.08, 0.11);

/// Steps that suffice from any guess; a warm start takes two or three.
pub const SUFFICIENT_STEPS: u32 = 64;

/// Returns the unit quaternion of the rotation nearest to `matrix` (largest tr(Rᵀ A)), by at most `steps` steps
/// from `guess`.
///
/// Any matrix gives a finite unit quaternion: of the rotations that are equally near to a singular
/// one, one near the guess, and the guess itself for a matrix that is zero or not finite. A guess that
/// is no rotation is taken for the identity.
pub fn rotation(matrix: Mat3, guess: Quat, steps: u32) -> Quat {
    let is_rotation = (guess.length_squared() - 1.0).abs() < 0.1;
    refine_rotation(matrix, if is_rotation { unit(guess) } else { Quat::IDENTITY }, steps)
}

/// Returns the same from a guess that is a unit quaternion.
pub(super) fn refine_rotation(matrix: Mat3, guess: Quat, steps: u32) -> Quat {
    let mut q = guess;
    let largest = matrix.x_axis.abs().max(matrix.y_axis.abs()).max(matrix.z_axis.abs()).max_element();
    if !(matrix.is_finite() && largest > MIN_ENTRY) {
        return q;
    }
    let scale = 1.0 / largest;
    let a = [matrix.x_axis * scale, matrix.y_axis * scale, matrix.z_axis * scale];
    for _ in 0..steps {
        let (half, is_last) = step(a, q);
        q = rotate_by(half, q);
        if is_last {
            break;
        }
    }
    q
}

/// Returns the half of the vector to turn by, and whether no other step is needed.
fn step(a: [Vec3; 3], q: Quat) -> (Vec3, bool) {
    let r = columns(q);
    let g = (cross(r[0], a[0]) + cross(r[1], a[1])) + cross(r[2], a[2]);
    let h = Hessian::of(a, r);
    let size = dot(g, g).sqrt();
    let (omega, lowest) = h.solve(size, g);
    if lowest > h.min_pivot() {
        return (omega * 0.5, dot(omega, omega) < CONVERGED);
    }
    let (omega, _) = h.solve((size - 1.5 * h.eigenvalue_bound().min(0.0)) + REGULARISATION * h.size(), g);
    if dot(omega, omega) < CONVERGED {
        return if h.is_saddle() { (SADDLE_ROTATION, false) } else { (omega * 0.5, true) };
    }
    (omega * 0.5, false)
}

/// The symmetric matrix H = tr(B) I − B, the moment of inertia of the matched shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hessian {
    /// H₀₀, H₁₁, H₂₂.
    pub diagonal: Vec3,
    /// H₀₁, H₀₂, H₁₂.
    pub mixed: Vec3,
}

impl Hessian {
    pub fn of(a: [Vec3; 3], r: [Vec3; 3]) -> Self {
        let b = |i: usize, j: usize| (a[0][i] * r[0][j] + a[1][i] * r[1][j]) + a[2][i] * r[2][j];
        let diagonal = Vec3::new(b(1, 1) + b(2, 2), b(0, 0) + b(2, 2), b(0, 0) + b(1, 1));
        let mixed = Vec3::new(b(0, 1) + b(1, 0), b(0, 2) + b(2, 0), b(1, 2) + b(2, 1)) * -0.5;
        Self { diagonal, mixed }
    }

    /// Solves (H + `shift` I) ω = g by LDLᵀ; the second number is the lowest pivot. Where it is not
    /// above 0, ω is of no use.
    pub fn solve(&self, shift: f32, g: Vec3) -> (Vec3, f32) {
        let (diagonal, mixed) = (self.diagonal + Vec3::splat(shift), self.mixed);
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
        let lowest = if d0 > 0.0 { if d1 > 0.0 { d0.min(d1).min(d2) } else { d1 } } else { d0 };
        (Vec3::new(x, y, z), lowest)
    }

    /// Returns the smallest pivot that a matrix like this one can be solved with.
    pub fn min_pivot(&self) -> f32 {
        MIN_PIVOT * self.size()
    }

    fn size(&self) -> f32 {
        let (d, m) = (self.diagonal.abs(), self.mixed.abs());
        ((d.x + d.y) + d.z) + ((m.x + m.y) + m.z)
    }

    /// Returns a number that no eigenvalue is below, near the lowest: from Gershgorin's bound by Newton's method
    /// on the characteristic polynomial, which is concave there and never passed by its tangent.
    fn eigenvalue_bound(&self) -> f32 {
        let (d, m) = (self.diagonal, self.mixed.abs());
        let mut bound = (d.x - (m.x + m.y)).min(d.y - (m.x + m.z)).min(d.z - (m.y + m.z));
        let [trace, minors, determinant] = self.invariants();
        for _ in 0..BOUND_STEPS {
            let value = ((bound - trace) * bound + minors) * bound - determinant;
            let slope = (3.0 * bound - 2.0 * trace) * bound + minors;
            if value < 0.0 && slope > 0.0 {
                bound -= value / slope;
            }
        }
        bound
    }

    /// Trace, sum of the principal minors, determinant.
    fn invariants(&self) -> [f32; 3] {
        let minors = self.minors();
        let (d, m) = (self.diagonal, self.mixed);
        let determinant = (d.x * minors.z - m.x * (m.x * d.z - m.z * m.y)) + m.y * (m.x * m.z - d.y * m.y);
        [(d.x + d.y) + d.z, (minors.x + minors.y) + minors.z, determinant]
    }

    fn minors(&self) -> Vec3 {
        let (d, m) = (self.diagonal, self.mixed);
        Vec3::new(d.x * d.y - m.x * m.x, d.x * d.z - m.y * m.y, d.y * d.z - m.z * m.z)
    }

    /// Returns whether f grows in some direction although its gradient vanishes.
    fn is_saddle(&self) -> bool {
        self.eigenvalue_bound() < -SADDLE * self.size()
    }
}

/// Returns the columns of a rotation.
pub(super) fn columns(q: Quat) -> [Vec3; 3] {
    let (x2, y2, z2) = (q.x + q.x, q.y + q.y, q.z + q.z);
    let (xx, xy, xz) = (q.x * x2, q.x * y2, q.x * z2);
    let (yy, yz, zz) = (q.y * y2, q.y * z2, q.z * z2);
    let (wx, wy, wz) = (q.w * x2, q.w * y2, q.w * z2);
    [
        Vec3::new(1.0 - (yy + zz), xy + wz, xz - wy),
        Vec3::new(xy - wz, 1.0 - (xx + zz), yz + wx),
        Vec3::new(xz + wy, yz - wx, 1.0 - (xx + yy)),
    ]
}

/// q after a turn by the quaternion (h, 1), normalised.
fn rotate_by(h: Vec3, q: Quat) -> Quat {
    unit(Quat::from_xyzw(
        ((q.x + h.x * q.w) + h.y * q.z) - h.z * q.y,
        ((q.y - h.x * q.z) + h.y * q.w) + h.z * q.x,
        ((q.z + h.x * q.y) - h.y * q.x) + h.z * q.w,
        ((q.w - h.x * q.x) - h.y * q.y) - h.z * q.z,
    ))
}

fn unit(q: Quat) -> Quat {
    let length = (((q.x * q.x + q.y * q.y) + q.z * q.z) + q.w * q.w).sqrt();
    Quat::from_xyzw(q.x / length, q.y / length, q.z / length, q.w / length)
}

pub(super) fn dot(a: Vec3, b: Vec3) -> f32 {
    (a.x * b.x + a.y * b.y) + a.z * b.z
}

pub(super) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(a.y * b.z - b.y * a.z, a.z * b.x - b.z * a.x, a.x * b.y - b.x * a.y)
}
