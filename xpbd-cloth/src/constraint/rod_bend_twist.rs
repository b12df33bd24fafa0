//! Bending and twist of a rod between two frames (\[Kugelstadt16\] eq. 5, with the angle itself in place of
//! twice the sine of its half).
//!
//! The two frames are those of neighbouring segments, each turned to halfway between them as they are at
//! rest: at rest they agree. How far they are apart is the rotation vector of R = R₀ᵀ R₁, in the frame of
//! either of them,
//!
//! ```text
//! C = θ n = 2 f(w) Im q,   q = (n sin θ/2, w = cos θ/2),   f(w) = (acos w)/√(1 − w²)
//! ```
//!
//! and is had from the axes alone: 4 w² = 1 + tr R, and 4 w Im q is the skew part of R, the differences of
//! products like c₀·b₁ − b₀·c₁. f is the series Σ k!/(2k+1)!! (1 − w)ᵏ, to rounding below a right angle and
//! to 0.2 % at the half turn. There is no direction in which C stands still or jumps below a half turn
//! **between two frames**; a rod as a whole may be twisted by any number of turns.
//!
//! The energy is ½ (E I (κ₁² + κ₂²) + G J κ₃²) l with the curvature κ = C/l over the length l from frame to
//! frame, so that
//!
//! ```text
//! α = l/(E I),   α₃ = l/(G J) = t α,   t = E I/(G J)
//! ```
//!
//! Every multiplier is admissible; λ/h² is the moment that the rod transmits \[N m\]: about d₁, d₂, and
//! along the rod.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | a, b, c | frame halfway to the neighbour, c = a × b along the rod | 1 |
//! | l | rest length from frame to frame | m |
//! | I, J | second moments of area, bending and polar: π r⁴/4 and π r⁴/2 | m⁴ |
//! | E, G | Young's and shear modulus | Pa |
//! | α | compliance | rad²/J |

use glam::Quat;
use xpbd_core::prelude::*;
use xpbd_core::scalar::Vec3;

use super::{double, sample_axes};

/// Number of terms of the series of f.
const TERMS: i16 = 9;
/// The smallest 1 + tr R = 4 cos² θ/2 that is divided by: 2° short of a half turn.
const NEAR_HALF_TURN: f32 = 1.2e-3;

xpbd_core::parameters! {
    /// Parameters of [`RodBendTwist`].
    pub struct RodBendTwistParameters<S> {
        /// Compliance of twist as a multiple t of that of bending \[1\].
        pub twist_ratio: S,
    }
}

/// A constraint that holds two frames together. Compliance \[rad²/J\].
///
/// Its points are the axes a and b of the first frame and of the second.
#[derive(Debug, Clone, Copy)]
pub struct RodBendTwist;

impl Constraint<4, 3> for RodBendTwist {
    type Parameters<S: Copy> = RodBendTwistParameters<S>;

    const NAME: &'static str = "rod-bend-twist";

    fn value<S: Real>(x: &Points<S, 4>, _: RodBendTwistParameters<S>) -> [S; 3] {
        let [a0, b0, a1, b1] = x.now.map(|point| point.axis());
        rotation_vector([a0, b0, a0.cross(b0)], [a1, b1, a1.cross(b1)]).to_array()
    }

    fn compliance<S: Real>(alpha: S, joint: RodBendTwistParameters<S>) -> [[S; 3]; 3] {
        super::diagonal([alpha, alpha, alpha * joint.twist_ratio])
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 4], RodBendTwistParameters)> {
        let ([a0, b0], [a1, b1]) = (sample_axes(number), sample_axes(number + 3));
        Some(([a0, b0, a1, b1], RodBendTwistParameters { twist_ratio: 1.3 }))
    }
}

/// Returns the rotation vector \[rad\] from one frame to another, which has the same components in both.
fn rotation_vector<S: Real>([a0, b0, c0]: [Vec3<S>; 3], [a1, b1, c1]: [Vec3<S>; 3]) -> Vec3<S> {
    let skew = Vec3::new(c0.dot(b1) - b0.dot(c1), a0.dot(c1) - c0.dot(a1), b0.dot(a1) - a0.dot(b1));
    let trace = a0.dot(a1) + b0.dot(b1) + c0.dot(c1);
    let twice_w = (trace + 1.0).max(S::literal(NEAR_HALF_TURN)).sqrt();
    let rest = S::one() - twice_w * 0.5;
    // Horner: k!/(2k+1)!! is k/(2k+1) of the coefficient before it.
    let series = (1..TERMS).rev().fold(S::one(), |sum, k| {
        let ratio = f32::from(k) / f32::from(2 * k + 1);
        S::one() + sum * (rest * ratio)
    });
    skew * (series / twice_w)
}

impl RodBendTwist {
    /// Returns the axes a and b on each of two bodies whose joint is at rest when they have these rotations.
    pub fn axes([first, second]: [Quat; 2]) -> [glam::Vec3; 4] {
        let apart = first.as_dquat().inverse() * second.as_dquat();
        let apart = if apart.w < 0.0 { -apart } else { apart };
        let half = (apart + glam::DQuat::IDENTITY).normalize();
        let axes = |q: glam::DQuat| [(q * glam::DVec3::X).as_vec3(), (q * glam::DVec3::Y).as_vec3()];
        let ([a0, b0], [a1, b1]) = (axes(half), axes(half.inverse()));
        [a0, b0, a1, b1]
    }

    /// Returns C \[rad\] of two bodies with these rotations and axes.
    pub fn joint_rotation([first, second]: [Quat; 2], [a0, b0, a1, b1]: [glam::Vec3; 4]) -> glam::Vec3 {
        let [a0, b0, a1, b1] = [first * a0, first * b0, second * a1, second * b1].map(double);
        let [x, y, z] = rotation_vector([a0, b0, a0.cross(b0)], [a1, b1, a1.cross(b1)]).to_array();
        glam::Vec3::new(x.0 as f32, y.0 as f32, z.0 as f32)
    }
}

#[cfg(test)]
mod tests {
    use xpbd_core::scalar::Double;

    use super::*;

    fn frame(q: glam::DQuat) -> [Vec3<Double>; 3] {
        [glam::DVec3::X, glam::DVec3::Y, glam::DVec3::Z].map(|axis| {
            let [x, y, z] = (q * axis).to_array();
            Vec3::new(Double(x), Double(y), Double(z))
        })
    }

    #[test]
    fn it_is_the_angle_about_its_axis() {
        let first = glam::DQuat::from_xyzw(0.3, -0.2, 0.5, 0.8).normalize();
        let axis = glam::DVec3::new(1.0, 2.0, -2.0) / 3.0;
        let bounds: [(f64, f64); 5] = [(1e-3, 1e-9), (10.0, 1e-9), (60.0, 1e-6), (90.0, 1e-5), (135.0, 5e-4)];
        for (degrees, off) in bounds {
            let angle = degrees.to_radians();
            let half = Double(0.5 * angle);
            let turn = glam::DQuat::from_xyzw(
                axis.x * half.sin().0,
                axis.y * half.sin().0,
                axis.z * half.sin().0,
                half.cos().0,
            );
            let [x, y, z] = rotation_vector(frame(first), frame(first * turn)).to_array().map(|c| c.0);
            let found = glam::DVec3::new(x, y, z);
            assert!((found / angle - axis).length() < off.max(1e-9 / angle), "{degrees}: {found} {angle}");
        }
    }

    #[test]
    fn frames_at_rest_agree() {
        let turn = |x: f32, y: f32, z: f32, w: f32| Quat::from_xyzw(x, y, z, w).normalize();
        let (first, second) = (turn(0.1, 0.5, -0.3, 0.7), turn(-0.6, 0.1, 0.3, -0.2));
        let [a0, b0, a1, b1] = RodBendTwist::axes([first, second]);
        assert!((first * a0 - second * a1).length() < 1e-6 && (first * b0 - second * b1).length() < 1e-6);
        assert!(RodBendTwist::joint_rotation([first, second], [a0, b0, a1, b1]).length() < 1e-6);
    }
}
