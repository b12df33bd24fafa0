//! Platforms that let bodies through from all sides but one.

use glam::{Vec3, Vec4Swizzles};

use super::broad_phase::BroadPhaseCollider;
use super::manifold_set::ManifoldCandidate;
use crate::bodies::Bodies;

/// The smallest cosine of the angle between the normal of a platform and the direction in which it pushes \[1\].
const LEAST_COSINE: f32 = 0.5;

/// Returns whether a one-way platform among the two colliders of a manifold lets the other one through.
///
/// A platform holds what it has pushed before (`was_pushing`), and what comes down to it from outside, no deeper in it than
/// a margin \[m\].
pub(super) fn lets_through(
    placed: [&BroadPhaseCollider<'_>; 2],
    bodies: &Bodies,
    found: &ManifoldCandidate,
    was_pushing: bool,
    margin: f32,
) -> bool {
    (0..2).any(|platform| {
        let collider = placed[platform];
        let Some(way) = collider.collider.one_way else { return false };
        let way = collider.to_world(way).normalize_or_zero();
        let push = if platform == 0 { -found.normal } else { found.normal };
        if push.dot(way) < LEAST_COSINE {
            return true;
        }
        let velocity =
            |side: usize| found.sides[side].body.map_or(Vec3::ZERO, |body| bodies.velocity[body as usize].xyz());
        let leaves = (velocity(1 - platform) - velocity(platform)).dot(way) > 0.0;
        !was_pushing && (found.gap < -margin || leaves)
    })
}
