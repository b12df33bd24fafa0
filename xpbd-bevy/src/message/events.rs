//! The messages, each of which is an event of its entity too.

use bevy::prelude::*;
use xpbd_core::world::BatchHandle;

/// A contact of two colliders, two objects of particles, or one of each has begun.
///
/// There is one message a pair. As an event it is sent to both sides, each as the `entity` of its own, and goes on to
/// parents: the body of a collider below it hears it too.
#[derive(Message, EntityEvent, Debug, Clone, Copy, PartialEq)]
#[entity_event(auto_propagate)]
pub struct CollisionStarted {
    /// The entity of a collider or an object.
    pub entity: Entity,
    /// The other collider or object; the same one where an object touches itself.
    pub other: Entity,
    /// The body of `entity`.
    pub body: Option<Entity>,
    /// The body of `other`.
    pub other_body: Option<Entity>,
    /// Mean of the points that pushed \[m\].
    pub point: Vec3,
    /// Mean direction in which `entity` is pushed.
    pub normal: Vec3,
    /// Sum of the impulses along the normal in the step \[N s\].
    pub impulse: f32,
}

/// A contact has ended, perhaps because one of the two was removed, possibly with its entity.
///
/// It is sent as [`CollisionStarted`] is.
#[derive(Message, EntityEvent, Debug, Clone, Copy, PartialEq, Eq)]
#[entity_event(auto_propagate)]
pub struct CollisionEnded {
    /// The entity of a collider or an object.
    pub entity: Entity,
    /// The other collider or object.
    pub other: Entity,
    /// The body of `entity`.
    pub body: Option<Entity>,
    /// The body of `other`.
    pub other_body: Option<Entity>,
}

/// A collider has begun to overlap a sensor.
#[derive(Message, EntityEvent, Debug, Clone, Copy, PartialEq, Eq)]
#[entity_event(auto_propagate)]
pub struct SensorEntered {
    /// The entity of the sensor.
    pub entity: Entity,
    /// The entity of the collider.
    pub other: Entity,
    /// The body of the collider.
    pub other_body: Option<Entity>,
}

/// A collider no longer overlaps a sensor, perhaps because one of the two was removed, possibly with its entity.
#[derive(Message, EntityEvent, Debug, Clone, Copy, PartialEq, Eq)]
#[entity_event(auto_propagate)]
pub struct SensorExited {
    /// The entity of the sensor.
    pub entity: Entity,
    /// The entity of the collider.
    pub other: Entity,
    /// The body of the collider.
    pub other_body: Option<Entity>,
}

/// A joint broke.
#[cfg(feature = "rigid")]
#[derive(Message, EntityEvent, Debug, Clone, Copy, PartialEq)]
pub struct JointBroken {
    /// The entity of the joint.
    pub entity: Entity,
    /// The entity of its first body; none for the world.
    pub a: Option<Entity>,
    /// The entity of its second body.
    pub b: Entity,
    /// The force that it bore \[N\].
    pub force: f32,
    /// The torque that it bore \[N m\].
    pub torque: f32,
}

/// A constraint that is not one of a joint broke: a seam of a cloth, for one.
#[derive(Message, EntityEvent, Debug, Clone, Copy, PartialEq)]
pub struct ConstraintBroken {
    /// The entity of its batch, or of the object that it is of.
    pub entity: Entity,
    /// The batch of the constraint that broke.
    pub batch: BatchHandle,
    /// Its number in the batch.
    pub constraint: u32,
    /// The force that it bore \[N\].
    pub force: f32,
    /// The torque that it bore \[N m\].
    pub torque: f32,
}

/// A body fell asleep.
#[derive(Message, EntityEvent, Debug, Clone, Copy, PartialEq, Eq)]
pub struct FellAsleep {
    /// The entity of the body.
    pub entity: Entity,
}

/// A body woke up.
#[derive(Message, EntityEvent, Debug, Clone, Copy, PartialEq, Eq)]
pub struct WokeUp {
    /// The entity of the body.
    pub entity: Entity,
}

/// An object or a body became non-finite, and stands still since.
#[derive(Message, EntityEvent, Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frozen {
    /// The entity of the object or the body.
    pub entity: Entity,
}
