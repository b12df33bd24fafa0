//! Ragdolls of capsules that fall down stairs.

use glam::{Quat, Vec3};
use parry3d::math::Pose;

use super::{JointDescription, Scene, Shape};
use crate::random::Random;

/// The ends \[m\] and the radius \[m\] of each capsule of a ragdoll that stands upright with its arms out.
const PARTS: [([f32; 3], [f32; 3], f32); 11] = [
    ([0.0, 0.95, 0.0], [0.0, 1.10, 0.0], 0.12), // pelvis
    ([0.0, 1.20, 0.0], [0.0, 1.40, 0.0], 0.14), // chest
    ([0.0, 1.62, 0.0], [0.0, 1.70, 0.0], 0.11), // head
    ([0.22, 1.40, 0.0], [0.45, 1.40, 0.0], 0.05),
    ([-0.22, 1.40, 0.0], [-0.45, 1.40, 0.0], 0.05),
    ([0.50, 1.40, 0.0], [0.75, 1.40, 0.0], 0.04),
    ([-0.50, 1.40, 0.0], [-0.75, 1.40, 0.0], 0.04),
    ([0.12, 0.84, 0.0], [0.12, 0.54, 0.0], 0.07),
    ([-0.12, 0.84, 0.0], [-0.12, 0.54, 0.0], 0.07),
    ([0.12, 0.46, 0.0], [0.12, 0.08, 0.0], 0.05),
    ([-0.12, 0.46, 0.0], [-0.12, 0.08, 0.0], 0.05),
];

/// The two parts and the anchor \[m\] of each joint: waist, neck, shoulders, elbows, hips, knees.
const JOINTS: [([usize; 2], [f32; 3]); 10] = [
    ([0, 1], [0.0, 1.15, 0.0]),
    ([1, 2], [0.0, 1.52, 0.0]),
    ([1, 3], [0.18, 1.40, 0.0]),
    ([1, 4], [-0.18, 1.40, 0.0]),
    ([3, 5], [0.475, 1.40, 0.0]),
    ([4, 6], [-0.475, 1.40, 0.0]),
    ([0, 7], [0.12, 0.90, 0.0]),
    ([0, 8], [-0.12, 0.90, 0.0]),
    ([7, 9], [0.12, 0.50, 0.0]),
    ([8, 10], [-0.12, 0.50, 0.0]),
];

/// Steps of the stairs.
const STEPS: usize = 10;
/// Depth and height of a step \[m\].
const STEP: (f32, f32) = (0.45, 0.25);
/// Ragdolls side by side.
const ACROSS: usize = 5;

/// Returns ragdolls of 11 capsules and 10 ball joints that fall onto stairs.
pub fn ragdolls(count: usize) -> Scene {
    let mut scene = Scene { friction: 0.6, ..Scene::on_floor() };
    let (depth, height) = STEP;
    for k in 0..STEPS {
        let half = Vec3::new(6.0, 0.5 * height * (k + 1) as f32, 0.5 * depth);
        scene.add(Shape::Cuboid { half }, Pose::translation(0.0, half.y, -depth * (k as f32 + 0.5)), 0.0);
    }
    let mut random = Random::new(3);
    for k in 0..count {
        let (column, row) = (k % ACROSS, k / ACROSS);
        let x = 2.0 * (column as f32 - 0.5 * (ACROSS - 1) as f32);
        let position = Vec3::new(x, height * STEPS as f32 + 0.3 + 2.0 * row as f32, -0.7 * depth * STEPS as f32);
        let tilt = [0.25 + 0.2 * random.signed(), 0.6 * random.signed(), 0.15 * random.signed()];
        let rotation = Quat::from_xyzw(tilt[0], tilt[1], tilt[2], 1.0).normalize();
        add(&mut scene, Pose::from_parts(position, rotation));
    }
    scene
}

/// Adds a ragdoll at a pose.
fn add(scene: &mut Scene, pose: Pose) {
    let first = scene.bodies.len();
    for (start, end, radius) in PARTS {
        let [start, end] = [start, end].map(Vec3::from_array);
        let axis = end - start;
        let shape = Shape::Capsule { half_height: 0.5 * axis.length(), radius };
        let local = Pose::from_parts(0.5 * (start + end), Quat::from_rotation_arc(Vec3::Y, axis.normalize()));
        scene.add(shape, pose * local, 1000.0);
    }
    for (parts, anchor) in JOINTS {
        let bodies = parts.map(|part| first + part);
        scene.joints.push(JointDescription { bodies, anchor: pose * Vec3::from_array(anchor) });
    }
}
