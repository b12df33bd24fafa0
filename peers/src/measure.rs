//! Measures of how the bodies of a scene lie, the same for all engines.

use glam::Vec3;
use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::math::Pose;
use parry3d::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
use parry3d::shape::{Shape, SharedShape};

use crate::engine::BodyState;
use crate::scene::Scene;

/// The cosine of the angle from which a body counts as tilted, 25°.
const UPRIGHT: f32 = 0.906_307_8;

/// The state of rest of the bodies of a scene.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rest {
    /// Bodies whose vertical axis has tilted by more than 25°; nothing in a scene with joints.
    pub tilted: Option<usize>,
    /// Dynamic bodies that sleep.
    pub asleep: usize,
    /// The largest overlap of two bodies that no joint ties \[m\].
    pub overlap: f32,
    /// The largest distance between the two anchors of a joint \[m\]; nothing in a scene without joints.
    pub gap: Option<f32>,
}

/// Measures bodies in the order of the scene.
pub fn rest(scene: &Scene, bodies: &[BodyState]) -> Rest {
    let dynamic = || scene.bodies.iter().zip(bodies).filter(|(description, _)| description.density > 0.0);
    let tilted = dynamic().filter(|(description, body)| {
        (description.pose.rotation * Vec3::Y).dot(body.pose.rotation * Vec3::Y) < UPRIGHT
    });
    let gaps = scene.joints.iter().map(|joint| {
        let [a, b] = joint.bodies.map(|k| bodies[k].pose * (scene.bodies[k].pose.inverse() * joint.anchor));
        a.distance(b)
    });
    Rest {
        tilted: scene.joints.is_empty().then(|| tilted.count()),
        asleep: dynamic().filter(|(_, body)| body.asleep).count(),
        overlap: largest_overlap(scene, bodies),
        gap: gaps.reduce(f32::max),
    }
}

/// Returns how deep two bodies that no joint ties are in each other at most \[m\].
fn largest_overlap(scene: &Scene, bodies: &[BodyState]) -> f32 {
    let placed = scene.bodies.iter().zip(bodies).enumerate().map(|(k, (description, body))| {
        let shape = description.shape.to_parry();
        (shape.compute_aabb(&body.pose), k, body.pose, shape)
    });
    let mut placed: Vec<(Aabb, usize, Pose, SharedShape)> = placed.collect();
    placed.sort_by(|a, b| a.0.mins.x.total_cmp(&b.0.mins.x));
    let mut deepest = 0.0_f32;
    for (index, (bounds, a, pose, shape)) in placed.iter().enumerate() {
        let near = placed[index + 1..].iter().take_while(|other| other.0.mins.x <= bounds.maxs.x);
        for (_, b, other_pose, other) in near.filter(|other| other.0.intersects(bounds)) {
            if scene.may_touch(*a, *b) {
                deepest = deepest.max(overlap([&**shape, &**other], &pose.inv_mul(other_pose)));
            }
        }
    }
    deepest
}

/// Returns the overlap of two shapes by their contact points \[m\], which are exact for boxes of any size; `between` is
/// the pose of the second in the frame of the first.
fn overlap([a, b]: [&dyn Shape; 2], between: &Pose) -> f32 {
    let mut manifolds: Vec<ContactManifold<(), ()>> = Vec::new();
    let known = DefaultQueryDispatcher.contact_manifolds(between, a, b, 0.0, &mut manifolds, &mut None).is_ok();
    let points = manifolds.iter().flat_map(|manifold| &manifold.points).filter(|_| known);
    points.map(|point| -point.dist).fold(0.0, f32::max)
}
