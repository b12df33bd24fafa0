//! Scenes in rapier, with its default settings.

use std::error::Error;

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use rapier3d::math::{Pose as RapierPose, Rotation, Vector};
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, SphericalJointBuilder};

use super::{BodyState, Engine, FRAME};
use crate::scene::{BodyDescription, Scene, Shape};

/// A world of rapier.
pub struct RapierEngine {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
}

impl RapierEngine {
    /// Builds a scene.
    pub fn new(scene: &Scene) -> Self {
        let mut world = PhysicsWorld::new();
        world.integration_parameters.dt = FRAME;
        let bodies: Vec<_> = scene.bodies.iter().map(|body| add_body(&mut world, scene, body)).collect();
        for joint in &scene.joints {
            let [a, b] = joint.bodies.map(|body| vector(scene.bodies[body].pose.inverse() * joint.anchor));
            let ball = SphericalJointBuilder::new().contacts_enabled(false).local_anchor1(a).local_anchor2(b);
            let [a, b] = joint.bodies.map(|body| bodies[body]);
            world.insert_impulse_joint(a, b, ball);
        }
        Self { world, bodies }
    }
}

fn add_body(world: &mut PhysicsWorld, scene: &Scene, body: &BodyDescription) -> RigidBodyHandle {
    let builder = if body.density > 0.0 { RigidBodyBuilder::dynamic() } else { RigidBodyBuilder::fixed() };
    let collider = match body.shape {
        Shape::Ball { radius } => ColliderBuilder::ball(radius),
        Shape::Capsule { half_height, radius } => ColliderBuilder::capsule_y(half_height, radius),
        Shape::Cuboid { half } => ColliderBuilder::cuboid(half.x, half.y, half.z),
    };
    let rotation = Rotation::from_array(body.pose.rotation.to_array());
    let pose = RapierPose::from_parts(vector(body.pose.translation), rotation);
    let collider = collider.density(body.density).friction(scene.friction);
    world.insert(builder.pose(pose).can_sleep(scene.can_sleep), collider).0
}

impl Engine for RapierEngine {
    fn name(&self) -> String {
        "rapier, 1 thread".into()
    }

    fn step(&mut self) -> Result<(), Box<dyn Error>> {
        self.world.step();
        Ok(())
    }

    fn bodies(&self) -> Vec<BodyState> {
        let state = |&handle: &RigidBodyHandle| {
            let body = &self.world.bodies[handle];
            let pose = body.position();
            BodyState {
                pose: Pose::from_parts(
                    Vec3::from_array(pose.translation.to_array()),
                    Quat::from_array(pose.rotation.to_array()),
                ),
                velocity: Vec3::from_array(body.linvel().to_array()),
                asleep: body.is_sleeping(),
            }
        };
        self.bodies.iter().map(state).collect()
    }
}

fn vector(value: Vec3) -> Vector {
    Vector::from_array(value.to_array())
}
