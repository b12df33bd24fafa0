//! Shapes that particles collide with.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use serde::{Deserialize, Serialize};

use crate::friction::Friction;
use crate::handle::BodyHandle;
use crate::layers::CollisionLayers;

/// A shape fixed in the world or attached to a body.
#[derive(Clone, Serialize, Deserialize)]
pub struct Collider {
    /// The shape. On a dynamic body: ball, cuboid, capsule, cylinder, cone, convex polyhedron, round forms of these,
    /// triangle mesh, or a compound of convex shapes. Elsewhere also height field, half-space, round triangle.
    /// A world refuses others.
    pub shape: SharedShape,
    /// Pose in the world, or in the frame of the body.
    pub pose: Pose,
    /// Body that the collider moves with; none for a static collider.
    pub body: Option<BodyHandle>,
    /// Friction of its surface.
    pub friction: Friction,
    /// Coefficient of restitution \[1\], the ratio of rebound to impact speed, from 0 to 1. Of two colliders
    /// the larger one counts.
    pub restitution: f32,
    /// Collision layers that decide with what it collides.
    pub collision_layers: CollisionLayers,
}

impl Collider {
    /// Creates a static collider at the origin.
    pub fn new(shape: SharedShape) -> Self {
        let (friction, filter) = (Friction::default(), CollisionLayers::default());
        Self { shape, pose: Pose::IDENTITY, body: None, friction, restitution: 0.0, collision_layers: filter }
    }

    /// Sets the position \[m\].
    #[must_use]
    pub fn at(mut self, position: Vec3) -> Self {
        self.pose.translation = position;
        self
    }

    /// Sets the orientation.
    #[must_use]
    pub fn rotation(mut self, rotation: Quat) -> Self {
        self.pose.rotation = rotation;
        self
    }

    /// Attaches the collider to a body; its pose is then local to the body.
    #[must_use]
    pub fn attached_to(mut self, body: BodyHandle) -> Self {
        self.body = Some(body);
        self
    }

    /// Sets the coefficient of restitution \[1\].
    #[must_use]
    pub fn restitution(mut self, restitution: f32) -> Self {
        self.restitution = restitution;
        self
    }

    /// Sets the friction.
    #[must_use]
    pub fn friction(mut self, friction: Friction) -> Self {
        self.friction = friction;
        self
    }
}

impl std::fmt::Debug for Collider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} at {:?} on {:?}", self.shape.shape_type(), self.pose, self.body)
    }
}
