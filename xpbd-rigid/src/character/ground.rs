//! The ground of a character, and the motion by which it carries the character.

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use xpbd_core::bodies::{BodyKind, from_rotation_vector, rotation_vector};
use xpbd_core::query::{QueryHit, QueryTarget};
use xpbd_core::world::{BodyHandle, World};

/// The ground under a character.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CharacterGround {
    /// The thing that it is.
    pub target: QueryTarget,
    /// The point on which the character stands \[m\].
    pub point: Vec3,
    /// Unit normal of the face there.
    pub normal: Vec3,
    /// Velocity at which the ground carries what stands there \[m/s\].
    pub velocity: Vec3,
    /// The point at the same height under the middle of the character, in the frame of the body that it is on \[m\].
    local: Vec3,
}

/// The motion of what stands on the ground in a frame.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ride {
    /// Displacement \[m\].
    pub translation: Vec3,
    /// Rotation about the way up.
    pub yaw: Quat,
}

impl CharacterGround {
    /// Creates the ground from what was found below a character whose middle is at `middle` \[m\], with its velocity in the next
    /// frame of length `dt` \[s\].
    pub(super) fn new(world: &World, hit: &QueryHit, middle: Vec3, up: Vec3, dt: f32) -> Self {
        let QueryHit { target, point, normal, .. } = *hit;
        let body = body_of(target).and_then(|body| world.body_pose(body).ok());
        let carried = middle + up * (point - middle).dot(up);
        let local = body.map_or(carried, |pose| pose.inverse_transform_point(carried));
        let ground = Self { target, point, normal, velocity: Vec3::ZERO, local };
        Self { velocity: ground.ride(world, up, dt).translation / dt, ..ground }
    }

    /// Returns the body that it is on.
    pub fn body(&self) -> Option<BodyHandle> {
        body_of(self.target)
    }

    /// Returns where the ground takes what stands on it in the next frame of length `dt` \[s\]. A kinematic body goes to its
    /// target, a dynamic one on with its velocities.
    pub(super) fn ride(&self, world: &World, up: Vec3, dt: f32) -> Ride {
        let of_body = self.body().and_then(|body| self.ride_on_body(world, body, up, dt));
        let ride = of_body.unwrap_or_default();
        Ride { translation: ride.translation + self.belt_velocity(world) * dt, ..ride }
    }

    fn ride_on_body(&self, world: &World, body: BodyHandle, up: Vec3, dt: f32) -> Option<Ride> {
        let state = world.state();
        let (k, pose) = (state.body_handles.index_of(body)?, world.body_pose(body).ok()?);
        let point = pose.transform_point(self.local);
        let (translation, turn) = match (state.bodies.records[k].body.kind, state.bodies.target[k]) {
            (BodyKind::Dynamic, _) => {
                (state.bodies.velocity_at_point(k, point) * dt, state.bodies.angular_velocity[k].truncate() * dt)
            }
            (_, Some(target)) => (
                target.transform_point(self.local) - point,
                rotation_vector(target.rotation * pose.rotation.conjugate()),
            ),
            (_, None) => return None,
        };
        Some(Ride { translation, yaw: from_rotation_vector(up * turn.dot(up)) })
    }

    /// Returns the velocity of a conveyor belt along its surface \[m/s\].
    fn belt_velocity(&self, world: &World) -> Vec3 {
        let QueryTarget::Collider { collider, body } = self.target else { return Vec3::ZERO };
        let Some(collider) = world.state().colliders.get(collider) else { return Vec3::ZERO };
        let body = body.and_then(|body| world.body_pose(body).ok());
        let rotation = body.map_or(collider.pose, |body| body * collider.pose).rotation;
        (rotation * collider.surface_velocity).reject_from_normalized(self.normal)
    }
}

/// Returns the body of a target.
pub(super) fn body_of(target: QueryTarget) -> Option<BodyHandle> {
    match target {
        QueryTarget::Collider { body, .. } => body,
        _ => None,
    }
}

/// Returns a horizontal velocity turned along the ground, with the same speed.
pub(super) fn along_ground(level: Vec3, normal: Vec3, up: Vec3) -> Vec3 {
    let slope = level - up * (level.dot(normal) / normal.dot(up).max(1e-3));
    slope.normalize_or_zero() * level.length()
}
