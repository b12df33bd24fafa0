//! Components that hold the handle of what an entity is in the physics world.

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use xpbd_core::world::{BatchHandle, BodyHandle, ColliderHandle, ObjectHandle, SensorHandle};

use crate::physics::{Physics, PhysicsHandle};

/// Declares a component that holds a handle and removes what it names from the physics world when it goes.
macro_rules! handle_component {
    ($(#[$about:meta])* $name:ident, $handle:ty, $variant:ident) => {
        $(#[$about])*
        #[derive(Component, Debug, Clone, Copy, PartialEq, Eq)]
        #[component(immutable, on_insert = Self::set_owner, on_discard = Self::remove_from_world)]
        pub struct $name(pub(crate) $handle);

        impl $name {
            /// Returns the handle.
            pub fn handle(self) -> $handle {
                self.0
            }

            fn set_owner(mut world: DeferredWorld, context: HookContext) {
                let Some(&Self(handle)) = world.get::<Self>(context.entity) else { return };
                if let Some(mut physics) = world.get_resource_mut::<Physics>() {
                    physics.set_owner(PhysicsHandle::$variant(handle), context.entity);
                }
            }

            fn remove_from_world(mut world: DeferredWorld, context: HookContext) {
                let Some(&Self(handle)) = world.get::<Self>(context.entity) else { return };
                if let Some(mut physics) = world.get_resource_mut::<Physics>() {
                    physics.remove(PhysicsHandle::$variant(handle));
                }
            }
        }
    };
}

handle_component! {
    /// The body that an entity is in the physics world.
    BodyId, BodyHandle, Body
}

handle_component! {
    /// The collider that an entity is in the physics world.
    ColliderId, ColliderHandle, Collider
}

handle_component! {
    /// The sensor that an entity is in the physics world.
    SensorId, SensorHandle, Sensor
}

handle_component! {
    /// The object of particles that an entity is in the physics world.
    ObjectId, ObjectHandle, Object
}

handle_component! {
    /// The batch of constraints that an entity is in the physics world.
    BatchId, BatchHandle, Batch
}
