//! Materials of objects follow the components beside their descriptions.

use bevy::ecs::intern::Interned;
use bevy::ecs::query::QueryData;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use xpbd_core::world::{self as core, Object, ObjectHandle, World as PhysicsWorld, WorldError};

use crate::handle::ObjectId;
use crate::material::{
    CollisionLayers, Friction, GravityScale, LinearDamping, Restitution, SelfCollision, SleepingEnabled,
};
use crate::mesh::VertexMap;
use crate::physics::Physics;
use crate::report::EntityErrors;
use crate::schedule::{PrepareSystems, XpbdSystems, add_ordered_systems};
use crate::snapshot::save_component;

/// The components that replace or scale what a description says of the material.
#[derive(QueryData)]
pub(super) struct MaterialComponents {
    friction: Option<&'static Friction>,
    restitution: Option<&'static Restitution>,
    layers: Option<&'static CollisionLayers>,
    self_collision: Has<SelfCollision>,
    can_sleep: Has<SleepingEnabled>,
    gravity_scale: Option<&'static GravityScale>,
    linear_damping: Option<&'static LinearDamping>,
}

/// The values that components set in the material.
#[derive(Debug, Clone, Copy)]
pub(super) struct MaterialOverrides {
    friction: Option<Friction>,
    restitution: Option<Restitution>,
    layers: Option<CollisionLayers>,
    self_collision: bool,
    can_sleep: bool,
    gravity_scale: Option<GravityScale>,
    linear_damping: Option<LinearDamping>,
}

impl From<&MaterialComponentsItem<'_, '_>> for MaterialOverrides {
    fn from(components: &MaterialComponentsItem<'_, '_>) -> Self {
        Self {
            friction: components.friction.copied(),
            restitution: components.restitution.copied(),
            layers: components.layers.copied(),
            self_collision: components.self_collision,
            can_sleep: components.can_sleep,
            gravity_scale: components.gravity_scale.copied(),
            linear_damping: components.linear_damping.copied(),
        }
    }
}

/// The material of an object, as far as components set it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Material {
    friction: core::Friction,
    restitution: f32,
    layers: core::CollisionLayers,
    can_sleep: bool,
    gravity_scale: f32,
    linear_damping: f32,
}

/// The material of an object.
#[derive(Component, Debug, Clone, Copy)]
pub(super) struct ObjectMaterial {
    /// The material by the description alone.
    described: Material,
    /// The material that was last written to the object.
    written: Material,
}

impl ObjectMaterial {
    /// Sets the material of an assembled object by the components beside its description.
    pub fn apply(object: &mut Object, overrides: MaterialOverrides) -> Self {
        let described = Material {
            friction: object.friction,
            restitution: object.restitution,
            layers: object.collision_layers,
            can_sleep: object.can_sleep,
            gravity_scale: object.gravity_scale,
            linear_damping: object.linear_damping,
        };
        let written = described.with(overrides);
        (object.friction, object.collision_layers) = (written.friction, written.layers);
        (object.restitution, object.can_sleep) = (written.restitution, written.can_sleep);
        (object.gravity_scale, object.linear_damping) = (written.gravity_scale, written.linear_damping);
        Self { described, written }
    }

    /// Returns the linear damping of the object \[1/s\].
    #[cfg(feature = "cloth")]
    pub fn linear_damping(&self) -> f32 {
        self.written.linear_damping
    }
}

impl Material {
    fn with(self, overrides: MaterialOverrides) -> Self {
        Self {
            friction: overrides.friction.map_or(self.friction, Into::into),
            restitution: overrides.restitution.map_or(self.restitution, |restitution| restitution.0),
            layers: overrides
                .layers
                .unwrap_or(self.layers.into())
                .with_self_collision(self.layers.self_collision || overrides.self_collision),
            can_sleep: self.can_sleep || overrides.can_sleep,
            gravity_scale: self.gravity_scale * overrides.gravity_scale.map_or(1.0, |scale| scale.0),
            linear_damping: overrides.linear_damping.map_or(self.linear_damping, |damping| damping.0),
        }
    }

    /// Writes to an object what differs from the material that it has.
    fn write(self, before: Self, world: &mut PhysicsWorld, object: ObjectHandle) -> Result<(), WorldError> {
        if self.friction != before.friction {
            world.set_friction(object, self.friction)?;
        }
        if self.restitution.to_bits() != before.restitution.to_bits() {
            world.set_restitution(object, self.restitution)?;
        }
        if self.layers != before.layers {
            world.set_collision_layers(object, self.layers)?;
        }
        if self.gravity_scale != before.gravity_scale {
            world.set_gravity_scale(object, self.gravity_scale)?;
        }
        if self.can_sleep != before.can_sleep {
            world.set_can_sleep(object, self.can_sleep)?;
        }
        if self.linear_damping != before.linear_damping {
            world.set_linear_damping(object, self.linear_damping)?;
        }
        Ok(())
    }
}

/// Keeps materials of objects up to date.
pub(super) struct MaterialPlugin(pub Interned<dyn ScheduleLabel>);

impl Plugin for MaterialPlugin {
    fn build(&self, app: &mut App) {
        add_ordered_systems(app, self.0, XpbdSystems::Prepare(PrepareSystems::Constraints), update_materials);
        save_component::<ObjectMaterial>(app);
        save_component::<VertexMap>(app);
    }
}

fn update_materials(
    mut physics: ResMut<Physics>,
    mut objects: Query<(Entity, &ObjectId, &mut ObjectMaterial, MaterialComponents)>,
    mut errors: EntityErrors,
) {
    for (entity, object, mut material, components) in &mut objects {
        let wanted = material.described.with((&components).into());
        let before = material.written;
        if wanted == before {
            continue;
        }
        material.written = wanted;
        if let Err(error) = wanted.write(before, physics.world_mut(), object.handle()) {
            errors.report(entity, "material", error);
        }
    }
}
