//! Chains of ball joints that hang from a fixed point.

use glam::{Quat, Vec3};
use parry3d::math::Pose;

use super::{FLOOR, JointDescription, Scene, Shape};

/// A chain of capsules, each as long as the distance of its joints.
struct Chain {
    /// The fixed end \[m\].
    start: Vec3,
    /// The direction in which it lies at first, of length 1.
    direction: Vec3,
    /// Number of links.
    links: usize,
    /// Length of a link \[m\].
    length: f32,
    /// Radius of a link \[m\].
    radius: f32,
}

impl Chain {
    /// Adds the chain and returns the number of its last link and the free end \[m\].
    fn add(&self, scene: &mut Scene) -> (usize, Vec3) {
        let shape = Shape::Capsule { half_height: 0.5 * self.length - self.radius, radius: self.radius };
        let rotation = Quat::from_rotation_arc(Vec3::Y, self.direction);
        let (mut last, mut end) = (FLOOR, self.start);
        for _ in 0..self.links {
            let center = end + 0.5 * self.length * self.direction;
            let link = scene.add(shape, Pose::from_parts(center, rotation), DENSITY);
            scene.joints.push(JointDescription { bodies: [last, link], anchor: end });
            (last, end) = (link, end + self.length * self.direction);
        }
        (last, end)
    }
}

/// Density of links \[kg/m³\].
const DENSITY: f32 = 1000.0;

/// Returns chains of 10 links of 0.5 m in 10 rows, which are released from a level position.
pub fn chains(count: usize) -> Scene {
    let mut scene = Scene::on_floor();
    for k in 0..count {
        let start = Vec3::new(6.0 * (k / 10) as f32, 8.0, (k % 10) as f32);
        Chain { start, direction: Vec3::X, links: 10, length: 0.5, radius: 0.05 }.add(&mut scene);
    }
    scene
}

/// Returns a chain of 100 links of 0.1 m with a ball of 1,000 times the mass of a link at its end, which is released
/// from a slope.
pub fn heavy_chain() -> Scene {
    let mut scene = Scene::on_floor();
    let direction = Vec3::new(0.6, -0.8, 0.0);
    let chain = Chain { start: Vec3::new(0.0, 12.0, 0.0), direction, links: 100, length: 0.1, radius: 0.02 };
    let (last, end) = chain.add(&mut scene);
    let ball = Shape::Ball { radius: 0.3 };
    let density = 1000.0 * DENSITY * scene.bodies[last].shape.volume() / ball.volume();
    let weight = scene.add(ball, Pose::from_translation(end + 0.3 * direction), density);
    scene.joints.push(JointDescription { bodies: [last, weight], anchor: end });
    scene
}
