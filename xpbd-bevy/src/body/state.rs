//! State of bodies that the plugin keeps between steps.

use bevy::ecs::entity::EntityHashSet;
use bevy::prelude::*;
use parry3d::math::Pose;
use xpbd_core::bodies::BodyKind;
use xpbd_core::world::{BodyHandle, WorldError};

use super::components::{LockedAxes, Mass};
use crate::physics::Physics;

/// The description that a body was built from, and what was last written to its entity.
#[derive(Component, Debug, Clone)]
pub(crate) struct BodySync {
    pub description: BodyDescription,
    pub transform: Transform,
    pub linear_velocity: Vec3,
    pub angular_velocity: Vec3,
    /// The pose of the body, or the one that it moves to.
    pub target: Pose,
    pub is_asleep: bool,
    /// True if the body is interpolated while it does not sleep.
    pub is_interpolated: bool,
    /// True if its velocity moves the body in this step though it is kinematic.
    pub is_carried: bool,
}

impl BodySync {
    /// Moves a body by a motion of the world at once, and takes note of the new transform of its entity.
    pub fn teleport(
        &mut self,
        physics: &mut Physics,
        body: BodyHandle,
        transform: Transform,
        motion: Pose,
    ) -> Result<(), WorldError> {
        (self.transform, self.target) = (transform, motion * physics.world().body_pose(body)?);
        physics.world_mut().edit_body(body, |body| {
            body.pose = motion * body.pose;
            body.velocity = motion.rotation * body.velocity;
            body.angular_velocity = motion.rotation * body.angular_velocity;
        })
    }
}

/// The description of a body by the components of its entity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BodyDescription {
    pub kind: BodyKind,
    pub gravity_scale: f32,
    pub linear_damping: f32,
    pub angular_damping: f32,
    pub locked_axes: LockedAxes,
    pub can_sleep: bool,
    pub mass: Option<Mass>,
}

/// Marks an entity with the description from which no body could be built.
#[derive(Component)]
pub(super) struct RejectedBody(pub BodyDescription);

/// A switch of the interpolation of dynamic bodies.
#[derive(Resource, Debug)]
pub(crate) struct InterpolateBodies(pub bool);

/// The bodies whose colliders have changed.
#[derive(Resource, Debug, Default)]
pub(crate) struct BodiesToReweigh(pub EntityHashSet);

/// The bodies that fell asleep and woke up in the last step, in the order of their entities.
#[derive(Resource, Debug, Default)]
pub(crate) struct SleepChanges {
    pub fell_asleep: Vec<Entity>,
    pub woke_up: Vec<Entity>,
}
