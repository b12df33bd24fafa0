//! The cat as a signed distance function φ `[m]`: ellipsoids and round cones, smoothly united.
//!
//! The parts follow I. Quilez, *Distance functions* and *Smooth minimum* (iquilezles.org). The
//! ellipsoid is a first-order bound of the distance, exact on the surface.

use glam::Vec3;

use crate::mesh::Bounds;

/// A box `[m]` that holds the whole cat.
pub(super) const BOUNDS: Bounds = Bounds { min: Vec3::new(-0.30, -0.01, -0.44), max: Vec3::new(0.38, 1.03, 0.36) };

/// A part of the body; lengths in `[m]`.
enum Part {
    /// Centre and half axes.
    Ellipsoid(Vec3, Vec3),
    /// Two end balls, each a centre and a radius, and the cone that touches both.
    Cone(Vec3, f32, Vec3, f32),
}

use Part::{Cone, Ellipsoid};

const fn at(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3::new(x, y, z)
}

/// Parts that exist once, each with the width `[m]` over which it melts into the others.
const SINGLE: [(Part, f32); 8] = [
    (Ellipsoid(at(0.0, 0.23, -0.12), at(0.215, 0.25, 0.235)), 0.06),
    (Ellipsoid(at(0.03, 0.03, -0.09), at(0.265, 0.11, 0.260)), 0.05),
    (Cone(at(0.0, 0.32, -0.09), 0.195, at(0.0, 0.56, 0.025), 0.135), 0.08),
    (Ellipsoid(at(0.0, 0.46, 0.070), at(0.130, 0.18, 0.105)), 0.06),
    (Cone(at(0.0, 0.56, 0.025), 0.125, at(0.0, 0.70, 0.065), 0.112), 0.05),
    (Ellipsoid(at(0.0, 0.765, 0.100), at(0.180, 0.148, 0.150)), 0.03),
    (Ellipsoid(at(0.0, 0.752, 0.238), at(0.036, 0.046, 0.044)), 0.04),
    (Ellipsoid(at(0.0, 0.672, 0.205), at(0.046, 0.034, 0.040)), 0.03),
];

/// Parts that exist on both sides, given for x > 0.
const PAIRED: [(Part, f32); 9] = [
    (Ellipsoid(at(0.160, 0.19, -0.085), at(0.108, 0.205, 0.190)), 0.05),
    (Ellipsoid(at(0.172, 0.035, 0.095), at(0.066, 0.062, 0.125)), 0.06),
    (Ellipsoid(at(0.100, 0.045, 0.085), at(0.085, 0.115, 0.105)), 0.06),
    (Cone(at(0.076, 0.44, 0.075), 0.078, at(0.058, 0.06, 0.175), 0.052), 0.06),
    (Ellipsoid(at(0.060, 0.030, 0.210), at(0.060, 0.060, 0.080)), 0.05),
    (Ellipsoid(at(0.105, 0.712, 0.125), at(0.092, 0.072, 0.092)), 0.05),
    (Ellipsoid(at(0.038, 0.708, 0.228), at(0.048, 0.038, 0.044)), 0.025),
    (Cone(at(0.096, 0.838, 0.085), 0.074, at(0.146, 1.000, 0.072), 0.012), 0.03),
    (Cone(at(0.060, 0.850, 0.085), 0.045, at(0.132, 0.975, 0.076), 0.018), 0.03),
];

/// The tail, from the back to its tip: centres and radii of the balls of one chain.
const TAIL: [(Vec3, f32); 8] = [
    (at(0.0, 0.075, -0.28), 0.075),
    (at(0.10, 0.056, -0.335), 0.066),
    (at(0.20, 0.048, -0.315), 0.062),
    (at(0.275, 0.046, -0.235), 0.060),
    (at(0.310, 0.044, -0.120), 0.058),
    (at(0.312, 0.042, 0.000), 0.057),
    (at(0.285, 0.040, 0.115), 0.055),
    (at(0.222, 0.038, 0.215), 0.048),
];

/// Width `[m]` over which the tail melts into the body.
const TAIL_WIDTH: f32 = 0.05;

/// The hollow of an eye, for x > 0, and the width `[m]` over which its rim is rounded.
const EYE: (Part, f32) = (Ellipsoid(at(0.082, 0.785, 0.272), at(0.052, 0.036, 0.052)), 0.02);

/// Distance `[m]` from x = 0 below which the two sides melt into each other.
const SEAM_ROUNDING: f32 = 0.012;

/// Width `[m]` of the rounding where the cat is cut flat at the ground.
const FOOT_ROUNDING: f32 = 0.02;

/// φ at `point` `[m]`.
pub(super) fn distance(point: Vec3) -> f32 {
    let side = (point.x * point.x + SEAM_ROUNDING * SEAM_ROUNDING).sqrt();
    let mirrored = Vec3::new(side, point.y, point.z);
    let mut phi = f32::INFINITY;
    for (part, width) in &SINGLE {
        phi = smooth_min(phi, part.distance(point), *width);
    }
    for (part, width) in &PAIRED {
        phi = smooth_min(phi, part.distance(mirrored), *width);
    }
    phi = smooth_min(phi, tail(point), TAIL_WIDTH);
    phi = -smooth_min(-phi, EYE.0.distance(mirrored), EYE.1);
    -smooth_min(-phi, point.y, FOOT_ROUNDING)
}

/// Returns the distance `[m]` from `point` to the tail.
fn tail(point: Vec3) -> f32 {
    TAIL.windows(2)
        .map(|pair| Cone(pair[0].0, pair[0].1, pair[1].0, pair[1].1).distance(point))
        .fold(f32::INFINITY, f32::min)
}

/// Returns the gradient of φ `[1]` from its differences toward the corners of a tetrahedron.
pub(super) fn gradient(point: Vec3) -> Vec3 {
    const STEP: f32 = 1e-3;
    const CORNERS: [Vec3; 4] = [at(1.0, -1.0, -1.0), at(-1.0, -1.0, 1.0), at(-1.0, 1.0, -1.0), at(1.0, 1.0, 1.0)];
    let weigh = |corner: Vec3| corner * distance(point + STEP * corner);
    CORNERS.map(weigh).into_iter().sum::<Vec3>() / (4.0 * STEP)
}

impl Part {
    /// Returns the signed distance `[m]` from `point` to this part.
    fn distance(&self, point: Vec3) -> f32 {
        match *self {
            Ellipsoid(center, radii) => {
                let unit = (point - center) / radii;
                let reach = unit.length();
                reach * (reach - 1.0) / (unit / radii).length().max(1e-6)
            }
            Cone(from, from_radius, to, to_radius) => round_cone(point - from, to - from, from_radius, to_radius),
        }
    }
}

/// Returns the distance from `point` to the cone around balls of radius `r0` at the origin and `r1` at
/// `axis`.
///
/// With b = (r0 − r1) / |axis| the sine of the cone's half angle, the nearest surface point lies
/// on a ball of the cone at the fraction of the axis where the perpendicular to the mantle meets
/// it; clamping that fraction gives the end balls.
fn round_cone(point: Vec3, axis: Vec3, r0: f32, r1: f32) -> f32 {
    let length = axis.length();
    let sine = (r0 - r1) / length;
    let cosine = (1.0 - sine * sine).max(0.0).sqrt();
    let along = point.dot(axis) / length;
    let across = (point.length_squared() - along * along).max(0.0).sqrt();
    let foot = along - across * sine / cosine;
    let fraction = (foot / length).clamp(0.0, 1.0);
    let center_along = fraction * length;
    let offset = along - center_along;
    (offset * offset + across * across).sqrt() - (r0 + fraction * (r1 - r0))
}

/// Returns the quadratic smooth minimum: min(a, b), lowered by up to `width` / 4 where they are close.
fn smooth_min(a: f32, b: f32, width: f32) -> f32 {
    let overlap = (width - (a - b).abs()).max(0.0) / width;
    a.min(b) - 0.25 * width * overlap * overlap
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_cone_measures_from_its_mantle() {
        let axis = 2.0 * Vec3::Y;
        assert!((round_cone(Vec3::new(3.0, 1.0, 0.0), axis, 0.5, 0.5) - 2.5).abs() < 1e-6);
        assert!((round_cone(Vec3::new(0.0, 5.0, 0.0), axis, 0.5, 0.25) - 2.75).abs() < 1e-6);
        assert!((round_cone(Vec3::new(0.0, -2.0, 0.0), axis, 0.5, 0.25) - 1.5).abs() < 1e-6);
    }

    #[test]
    fn ellipsoid_vanishes_on_its_surface() {
        let part = Ellipsoid(Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0));
        assert!(part.distance(Vec3::new(0.0, 2.0, 0.0)).abs() < 1e-6);
        assert!(part.distance(Vec3::ZERO) <= 0.0);
    }

    #[test]
    fn smooth_minimum_is_the_minimum_far_apart() {
        assert_eq!(smooth_min(1.0, 3.0, 0.5), 1.0);
        assert_eq!(smooth_min(1.0, 1.0, 0.4), 0.9);
    }
}
