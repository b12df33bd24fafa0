//! Colliders as parts of bodies.

use bevy::prelude::*;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::world::BodyHandle;

use crate::material::{CollisionLayers, Friction};

/// A collider as a part of the body that it is on.
#[derive(Component, Clone)]
pub(crate) struct ColliderPart {
    /// The body that the collider is on; none for a static collider.
    pub body: Option<Entity>,
    /// The pose of the collider on the body, or in the world.
    pub pose: Pose,
    /// The shape scaled to its size; none if it cannot be scaled so.
    pub shape: Option<SharedShape>,
    /// Density \[kg/m³\].
    pub density: f32,
    /// Friction of the surface.
    pub friction: Friction,
    /// Restitution of the surface \[1\].
    pub restitution: f32,
    /// Velocity of the surface against the collider \[m/s\].
    pub surface_velocity: Vec3,
    /// The direction in which a one-way platform pushes.
    pub one_way: Option<Vec3>,
    /// True if the collider is a sensor, which weighs nothing.
    pub is_sensor: bool,
    /// The layers of the collider.
    pub layers: CollisionLayers,
    /// The scale of the shape.
    pub scale: Vec3,
    /// True if the collider in the world has still to be changed.
    pub is_stale: bool,
    /// The body on which the collider in the world was built.
    pub built_on: Option<BodyHandle>,
}

impl ColliderPart {
    /// Returns whether the part has this body, pose and scale, but for the rounding of chains of transforms.
    pub fn is_same_part(&self, body: Option<Entity>, pose: Pose, scale: Vec3) -> bool {
        let length = pose.translation.length().max(1.0);
        self.body == body
            && self.pose.translation.distance(pose.translation) <= 1e-6 * length
            && (self.pose.rotation - pose.rotation).length() <= 1e-6
            && self.scale.distance(scale) <= 1e-5 * scale.length()
    }

    /// Returns whether the surfaces of both parts are alike.
    pub fn has_surface_of(&self, other: &Self) -> bool {
        let surface = |part: &Self| (part.friction, part.restitution, part.surface_velocity, part.one_way, part.layers);
        surface(self) == surface(other)
    }
}
