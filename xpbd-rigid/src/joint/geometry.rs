//! Angles and rotations between axes.

use std::f32::consts::TAU;

use glam::Quat;
use xpbd_core::scalar::{Real, Vec3};

/// The smallest 1 + cos θ that a rotation vector divides by: 2° short of a half turn.
const NEAR_HALF_TURN: f32 = 6e-4;

/// Returns an angle \[rad\] less whole turns, within ±π.
pub(super) fn wrap_angle<S: Real>(angle: S) -> S {
    angle - (angle / TAU).round() * TAU
}

/// Returns the angle \[rad\] of `arm` from the first of two perpendicular axes toward the second.
pub(super) fn signed_angle<S: Real>(arm: Vec3<S>, [zero, quarter]: [Vec3<S>; 2]) -> S {
    arm.dot(quarter).atan2(arm.dot(zero))
}

/// Returns the angle \[rad\] between two axes, from 0 to π.
pub(super) fn unsigned_angle<S: Real>(a0: Vec3<S>, a1: Vec3<S>) -> S {
    a0.cross(a1).length().atan2(a0.dot(a1))
}

/// Returns the twist \[rad\] of one body against another, from the normals b and c of the axis on each.
///
/// A rotation that twists by τ about the axis and then swings the axis by σ has
///
/// ```text
/// b₁·c₀ − c₁·b₀ = sin τ (1 + cos σ),   b₁·b₀ + c₁·c₀ = cos τ (1 + cos σ)
/// ```
///
/// so that τ = atan2 of the two for any swing but the half turn.
pub(super) fn twist_angle<S: Real>([b0, c0]: [Vec3<S>; 2], [b1, c1]: [Vec3<S>; 2]) -> S {
    (b1.dot(c0) - c1.dot(b0)).atan2(b1.dot(b0) + c1.dot(c0))
}

/// Returns the part \[rad\] of the swing of an axis from `zero` toward a direction across it: the half-angle tangents of
/// the parts are the components of that of the swing.
pub(super) fn partial_swing<S: Real>(axis: Vec3<S>, [zero, toward]: [Vec3<S>; 2]) -> S {
    axis.dot(toward).atan2(axis.dot(zero) + 1.0) * 2.0
}

/// Returns the rotation from one pair of perpendicular axes (a, b)₀ to another (a, b)₁, with c = a × b:
///
/// ```text
/// 2 tan(θ/2) n = 2 Σ x₀ × x₁/(1 + tr),   tr = Σ x₀·x₁ = 1 + 2 cos θ   over x = a, b, c
/// ```
///
/// for the angle θ about the axis n. It is the rotation vector \[rad\] to θ³/12, and grows up to the half turn, where
/// sin θ n would fall to 0 again.
pub(super) fn rotation_between<S: Real>([a0, b0]: [Vec3<S>; 2], [a1, b1]: [Vec3<S>; 2]) -> Vec3<S> {
    let (c0, c1) = (a0.cross(b0), a1.cross(b1));
    let sines = a0.cross(a1) + b0.cross(b1) + c0.cross(c1);
    let trace = a0.dot(a1) + b0.dot(b1) + c0.dot(c1);
    sines * (S::literal(2.0) / (trace + 1.0).max(S::literal(NEAR_HALF_TURN)))
}

/// Returns the rotation vector \[rad\] from one pair of perpendicular axes (a, b)₀ to another (a, b)₁, of which neither may
/// depend on the points that a constraint is differentiated by: its length is θ, which has no derivative at 0.
pub(super) fn rotation_vector<S: Real>([a0, b0]: [Vec3<S>; 2], [a1, b1]: [Vec3<S>; 2]) -> Vec3<S> {
    let (c0, c1) = (a0.cross(b0), a1.cross(b1));
    let sines = a0.cross(a1) + b0.cross(b1) + c0.cross(c1);
    let cosines = a0.dot(a1) + b0.dot(b1) + c0.dot(c1) - 1.0;
    let length = sines.length();
    // Of a rotation that is not one in 10⁷ the sine is the angle.
    let quotient = length.atan2(cosines) / length.max(S::literal(1e-7));
    sines * length.select_lt(S::literal(1e-7), S::literal(0.5), quotient)
}

/// Returns the points of a self-check for two frames, in the order x₀, x₁, a₀, b₀, a₁, b₁.
pub(super) fn sample_frames(number: u32) -> [[f32; 3]; 6] {
    let ([x0, a0, b0], [x1, a1, b1]) = (sample_frame(number), sample_frame(number + 1));
    [x0, x1, a0, b0, a1, b1]
}

/// Returns a point near the origin and two perpendicular axes there.
fn sample_frame(number: u32) -> [[f32; 3]; 3] {
    let k = 0.3 * number as f32;
    let rotation = Quat::from_xyzw(0.2 + 0.1 * k, 0.3 - 0.2 * k, 0.15 * k, 1.0).normalize();
    let point = [0.1 * k, 0.3 - 0.1 * k, -0.2];
    [point, (rotation * glam::Vec3::X).to_array(), (rotation * glam::Vec3::Y).to_array()]
}
