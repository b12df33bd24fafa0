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
    /// Velocity of its surface against the collider itself, in its frame \[m/s\]: that of a conveyor belt. Only the part
    /// along the surface counts. Particles on colliders of dynamic bodies do not feel it.
    pub surface_velocity: Vec3,
    /// The direction in its frame in which it pushes bodies, if it lets them through from all other sides: a platform to
    /// jump on from below. Particles collide with it from all sides.
    pub one_way: Option<Vec3>,
    /// Collision layers that decide with what it collides.
    pub collision_layers: CollisionLayers,
}

impl Collider {
    /// Creates a static collider at the origin.
    pub fn new(shape: SharedShape) -> Self {
        let (friction, filter) = (Friction::default(), CollisionLayers::default());
        let (surface_velocity, one_way) = (Vec3::ZERO, None);
        let pose = Pose::IDENTITY;
        Self {
            shape,
            pose,
            body: None,
            friction,
            restitution: 0.0,
            surface_velocity,
            one_way,
            collision_layers: filter,
        }
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

    /// Sets the velocity of the surface against the collider, in its frame \[m/s\].
    #[must_use]
    pub fn surface_velocity(mut self, surface_velocity: Vec3) -> Self {
        self.surface_velocity = surface_velocity;
        self
    }

    /// Lets bodies through from all sides but one; it pushes in this direction, in its frame.
    #[must_use]
    pub fn one_way(mut self, direction: Vec3) -> Self {
        self.one_way = Some(direction);
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
