//! Messages about the last step: contacts, tears, breaks and sleep.
//!
//! Each is a message, and an event of its entity:
//!
//! ```
//! use bevy::prelude::*;
//! use xpbd_bevy::prelude::*;
//!
//! fn listen(mut started: MessageReader<CollisionStarted>) {
//!     for CollisionStarted { entity, other, impulse, .. } in started.read() {
//!         info!("{entity} hit {other} with {impulse} N s");
//!     }
//! }
//!
//! fn spawn(mut commands: Commands) {
//!     let crash = |hit: On<CollisionStarted>| info!("{} was hit by {}", hit.entity, hit.other);
//!     commands.spawn((RigidBody::Dynamic, Collider::cuboid(0.5, 0.5, 0.5))).observe(crash);
//! }
//! ```

mod colliding;
mod events;
mod plugin;
mod sensors;
mod touch;

pub use colliding::CollidingEntities;
#[cfg(feature = "rigid")]
pub use events::JointBroken;
pub use events::{
    CollisionEnded, CollisionStarted, ConstraintBroken, FellAsleep, Frozen, SensorEntered, SensorExited, WokeUp,
};
pub use plugin::MessagePlugin;

#[cfg(feature = "cloth")]
pub use crate::object::cloth::{ClothTorn, CutCloth};
#[cfg(feature = "cloth")]
pub use crate::object::rope::{CutRope, RopeCut, RopeCutPlace};
