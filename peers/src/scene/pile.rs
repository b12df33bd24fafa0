//! Boxes in layers that fall onto each other.

use glam::Vec3;
use parry3d::math::Pose;

use super::{Scene, Shape};
use crate::random::Random;

/// Boxes of a layer along each side, and layers.
const SIDE: usize = 10;
/// Distance of two boxes of a layer \[m\].
const SPACING: f32 = 1.1;
/// Distance of two layers \[m\]: a box, and the 0.5 m that it falls.
const LAYER: f32 = 1.5;

/// Returns unit boxes in layers, each up to `jitter` \[m\] off its column along x and z.
pub fn pile(jitter: f32, can_sleep: bool) -> Scene {
    let mut scene = Scene { can_sleep, ..Scene::on_floor() };
    let mut random = Random::new(1);
    for k in 0..SIDE * SIDE * SIDE {
        let [column, row, layer] = [k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)].map(|index| index as f32);
        let middle = 0.5 * (SIDE - 1) as f32;
        let (x, z) = (SPACING * (column - middle), SPACING * (row - middle));
        let position = Vec3::new(x + jitter * random.signed(), 1.0 + LAYER * layer, z + jitter * random.signed());
        scene.add(Shape::Cuboid { half: Vec3::splat(0.5) }, Pose::from_translation(position), 1.0);
    }
    scene
}
