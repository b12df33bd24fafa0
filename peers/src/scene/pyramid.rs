//! Pyramids of boxes.

use glam::Vec3;
use parry3d::math::Pose;

use super::{Scene, Shape};

/// Boxes of the lowest layer.
const BASE: usize = 20;
/// Distance of two boxes of a layer \[m\].
const SPACING: f32 = 1.05;
/// Distance of two pyramids \[m\].
const APART: f32 = 4.0;

/// Returns pyramids of unit boxes that touch from layer to layer.
pub fn pyramids(count: usize) -> Scene {
    let mut scene = Scene::on_floor();
    for pyramid in 0..count {
        for layer in 0..BASE {
            for k in 0..BASE - layer {
                let x = SPACING * (k as f32 - 0.5 * (BASE - layer - 1) as f32);
                let pose = Pose::translation(x, 0.5 + layer as f32, APART * pyramid as f32);
                scene.add(Shape::Cuboid { half: Vec3::splat(0.5) }, pose, 1.0);
            }
        }
    }
    scene
}
