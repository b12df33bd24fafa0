//! Components that describe rigid bodies.

use bevy::prelude::*;
use xpbd_core::bodies::{self, BodyKind};

use crate::material::{AngularVelocity, LinearVelocity};

/// A rigid body, by what moves it.
///
/// The components [`LinearDamping`](crate::material::LinearDamping), [`AngularDamping`](crate::material::AngularDamping),
/// [`GravityScale`](crate::material::GravityScale), [`LockedAxes`], [`Mass`] and [`SleepingDisabled`] beside it apply to
/// the body and may be changed at any time.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform, LinearVelocity, AngularVelocity)]
pub enum RigidBody {
    /// Forces, joints and contacts move the body. Its transform, [`LinearVelocity`] and [`AngularVelocity`] are written
    /// after each step; writing to them teleports the body and sets its velocity.
    #[default]
    Dynamic,
    /// The body goes where it is told to and pushes what is in the way: in a step to the pose of its entity if that has
    /// changed, and otherwise as far as its [`LinearVelocity`] and [`AngularVelocity`] take it, which writes its transform.
    /// Its velocities are not written.
    Kinematic,
    /// Nothing moves the body; when its transform changes, it jumps there.
    Fixed,
}

impl From<RigidBody> for BodyKind {
    fn from(body: RigidBody) -> Self {
        match body {
            RigidBody::Dynamic => Self::Dynamic,
            RigidBody::Kinematic => Self::Kinematic,
            RigidBody::Fixed => Self::Fixed,
        }
    }
}

/// The mass of a dynamic body, in place of the mass of its colliders.
#[derive(Component, Debug, Clone, Copy, PartialEq, Reflect)]
#[reflect(Component, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Mass {
    /// Mass \[kg\].
    pub mass: f32,
    /// Principal moments of inertia \[kg m²\] about the axes of the body; by default those of its colliders, in
    /// proportion to the mass.
    pub inertia: Option<Vec3>,
    /// Centre of mass \[m\] in the frame of the body; by default that of its colliders.
    pub center: Option<Vec3>,
}

impl Mass {
    /// Returns a mass \[kg\] that is distributed as the colliders are.
    pub fn new(mass: f32) -> Self {
        Self { mass, inertia: None, center: None }
    }

    /// Sets the principal moments of inertia \[kg m²\].
    #[must_use]
    pub fn inertia(self, inertia: Vec3) -> Self {
        Self { inertia: Some(inertia), ..self }
    }

    /// Sets the centre of mass \[m\] in the frame of the body.
    #[must_use]
    pub fn center(self, center: Vec3) -> Self {
        Self { center: Some(center), ..self }
    }
}

/// Axes of the world along and about which a body does not move.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct LockedAxes {
    /// True for each of x, y and z along which the body does not move.
    pub translation: [bool; 3],
    /// True for each of x, y and z about which the body does not rotate.
    pub rotation: [bool; 3],
}

impl LockedAxes {
    /// Locks all but motion in a plane of constant z.
    pub const PLANAR: Self = Self::from_axes(bodies::LockedAxes::PLANAR);
    /// Locks all rotation.
    pub const ROTATION_LOCKED: Self = Self::from_axes(bodies::LockedAxes::ROTATION_LOCKED);

    const fn from_axes(bodies::LockedAxes { translation, rotation }: bodies::LockedAxes) -> Self {
        Self { translation, rotation }
    }
}

impl From<LockedAxes> for bodies::LockedAxes {
    fn from(LockedAxes { translation, rotation }: LockedAxes) -> Self {
        Self { translation, rotation }
    }
}

/// A force and a torque that act on a dynamic body in every step. A body does not sleep while one of them is not zero.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct ExternalForce {
    /// The force at the centre of mass \[N\], in the world.
    pub force: Vec3,
    /// The torque \[N m\], in the world.
    pub torque: Vec3,
}

/// Keeps the body of its entity from falling asleep.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct SleepingDisabled;

/// Marks a body that sleeps: it came to rest, and nothing has touched it since. The plugin inserts and removes it; while
/// it is there, nothing of the body is written. Inserting it puts a body to sleep, and removing it wakes the body.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
pub struct Sleeping;
