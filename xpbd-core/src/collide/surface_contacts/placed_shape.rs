//! A collider near surfaces: its points, where they are in a substep, and where they are expected to go.

use glam::{Vec3, Vec4Swizzles};
use parry3d::math::Pose;

use super::feature_points::PointPlace;
use super::motion::EXPECTED_FALL;
use crate::bodies::Bodies;
use crate::collide::collider::Collider;
use crate::collide::detection::DetectionContext;
use crate::friction::Friction;
use crate::handle::ColliderHandle;
use crate::layers::CollisionLayers;

/// A collider with features near surfaces.
#[derive(Debug, Clone, Copy)]
pub struct PlacedShape {
    /// Handle of the collider.
    pub handle: ColliderHandle,
    /// Index in the order of colliders.
    pub index: u32,
    /// World index of the body that it is on.
    pub body: Option<u32>,
    /// True if the body can be pushed.
    pub is_pushable: bool,
    /// Layers of the collider.
    pub collision_layers: CollisionLayers,
    /// Friction of the collider.
    pub friction: Friction,
    /// Pose in the central frame of the body, or in the world.
    pose: Pose,
    /// Velocity of the surface against the collider, in its frame \[m/s\].
    surface_velocity: Vec3,
}

/// A point of a collider.
#[derive(Debug, Clone, Copy)]
pub struct PlacedPoint {
    /// Index among the placed colliders.
    pub collider: u32,
    /// Index among the points of the shape.
    pub vertex: u32,
    /// Position in the central frame of the body; from the position of the collider, if it is on none \[m\].
    pub local: Vec3,
    /// Distance of the surface from the point \[m\].
    pub radius: f32,
    /// Index of a point inside of the convex part of the shape that this one is a corner of, if there is one.
    pub inner: Option<u32>,
}

impl PlacedShape {
    /// Places a collider in the frame that begins.
    pub fn new(collider: &Collider, handle: ColliderHandle, index: u32, context: &DetectionContext<'_>) -> Self {
        let body = collider.body.and_then(|body| context.body_handles.index_of(body));
        Self {
            handle,
            index,
            body: body.map(|k| k as u32),
            is_pushable: body.is_some_and(|k| context.bodies.anchor[k].w > 0.0),
            collision_layers: collider.collision_layers,
            friction: collider.friction,
            pose: body.map_or(collider.pose, |k| context.bodies.to_central_frame(k, collider.pose)),
            surface_velocity: collider.surface_velocity,
        }
    }

    /// Returns a point of the shape, given in the frame of the collider.
    pub fn point(&self, collider: u32, vertex: u32, position: Vec3, radius: f32) -> PlacedPoint {
        let local = match self.body {
            Some(_) => self.pose.transform_point(position),
            None => self.pose.transform_vector(position),
        };
        PlacedPoint { collider, vertex, local, radius, inner: None }
    }

    /// Returns where a point is, given as in [`PlacedPoint::local`].
    pub fn place(&self, bodies: &Bodies, local: Vec3) -> PointPlace {
        match self.body {
            Some(k) => {
                let k = k as usize;
                let (now, before) = (bodies.rotation[k] * local, bodies.start_rotation[k] * local);
                PointPlace {
                    anchor: bodies.anchor[k].xyz().extend(0.0),
                    offset: bodies.offset[k] + now.extend(0.0),
                    start: bodies.start[k] + before.extend(0.0),
                }
            }
            None => {
                let offset = local.extend(0.0);
                PointPlace { anchor: self.pose.translation.extend(0.0), offset, start: offset }
            }
        }
    }

    /// Returns where a point of the shape is \[m\], how far it is expected to go in `horizon` \[s\], and the angle by which
    /// the collider turns.
    pub fn motion(&self, bodies: &Bodies, position: Vec3, horizon: f32) -> (Vec3, Vec3, f32) {
        self.motion_of(bodies, self.point(0, 0, position, 0.0).local, horizon)
    }

    /// As [`PlacedShape::motion`], of a point that is given as in [`PlacedPoint::local`].
    pub fn motion_of(&self, bodies: &Bodies, local: Vec3, horizon: f32) -> (Vec3, Vec3, f32) {
        let Some(k) = self.body.map(|k| k as usize) else {
            return (self.pose.translation + local, Vec3::ZERO, 0.0);
        };
        let (arm, spin) = (bodies.rotation[k] * local, bodies.angular_velocity[k].xyz());
        let velocity =
            bodies.velocity[k].xyz() + bodies.acceleration[k].xyz() * (EXPECTED_FALL * horizon) + spin.cross(arm);
        let place = bodies.anchor[k].xyz() + (bodies.offset[k].xyz() + arm);
        (place, velocity * horizon, spin.length() * horizon)
    }

    /// Returns the velocity of the surface against the collider in the world \[m/s\].
    pub fn surface_velocity(&self, bodies: &Bodies) -> Vec3 {
        let own = self.pose.rotation * self.surface_velocity;
        self.body.map_or(own, |k| bodies.rotation[k as usize] * own)
    }
}
