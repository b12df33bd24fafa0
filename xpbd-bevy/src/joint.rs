//! Joints between bodies.
//!
//! A [`Joint`] is an entity of its own, or a component beside one of its bodies. Its frame is that of the world,
//! where its bodies are when it is made, unless it has one on each body.
//!
//! ```
//! use bevy::prelude::*;
//! use xpbd_bevy::prelude::*;
//!
//! fn door(mut commands: Commands) {
//!     let door = commands.spawn((RigidBody::Dynamic, Collider::cuboid(0.5, 1.0, 0.02), ColliderDensity(600.0))).id();
//!     let hinge = HingeJoint::new(Vec3::new(-0.5, 0.0, 0.0), Vec3::Y).limits(-1.5, 1.5).break_force(5e3);
//!     commands.spawn(Joint::new(door, hinge));
//! }
//! ```
//!
//! Numbers of a joint that runs, such as break thresholds, change with the component. The motor and the limits of a hinge, a
//! slider or a point on a line may be components beside it:
//!
//! ```
//! # use bevy::prelude::*;
//! # use xpbd_bevy::prelude::*;
//! # fn door(mut commands: Commands, door: Entity) {
//! let hinge = HingeJoint::new(Vec3::ZERO, Vec3::Y);
//! commands.spawn((Joint::new(door, hinge), AxisLimits::new(0.0, 1.5), AxisMotor(JointMotor::off())));
//! # }
//!
//! fn open(mut doors: Query<&mut AxisMotor>) {
//!     doors.iter_mut().for_each(|mut motor| motor.0 = JointMotor::position(1.5).max_torque(20.0));
//! }
//! ```

mod build;
mod coupling;
mod kind;

use bevy::ecs::entity::MapEntities;
use bevy::ecs::intern::Interned;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::reflect::ReflectMapEntities;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use hashbrown::HashMap;
use xpbd_core::world::BodyHandle;
use xpbd_rigid::joint::{JointHandle, JointLimits, JointMotor};

pub use coupling::{Coupling, CouplingId};
pub use kind::JointKind;

use crate::physics::{Physics, PhysicsHandle};
use crate::schedule::{PrepareSystems, XpbdSystems, add_ordered_systems};
use crate::snapshot::save_component;

/// Holds a body to another, or to the world.
///
/// It is made once its bodies are there, and anew when they are. A change of its numbers is written to the joint that is there;
/// a change of its frames or its kind makes another one. A joint that has broken stays, without effect.
#[derive(Component, MapEntities, Debug, Clone, PartialEq, Reflect)]
#[component(map_entities)]
#[reflect(Component, Debug, PartialEq, MapEntities)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Joint {
    /// The entity of the first body; none for the world.
    #[entities]
    pub a: Option<Entity>,
    /// The entity of the second body.
    #[entities]
    pub b: Entity,
    /// The kind of the joint with its frames, limits and motors.
    pub kind: JointKind,
}

/// The motor of the [`Joint`] of its entity, in place of that of its kind: of a hinge, a slider or a point on a line. It may be
/// added and changed at any time. If the joint was made without a motor, adding one makes it anew where its bodies are.
#[derive(Component, Debug, Clone, Copy, PartialEq, Deref, DerefMut, Reflect)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct AxisMotor(pub JointMotor);

/// The limits of the [`Joint`] of its entity \[rad or m\], in place of those of its kind: of a hinge, a slider or a point on a
/// line. They may be added and changed at any time, as an [`AxisMotor`].
#[derive(Component, Debug, Clone, Copy, PartialEq, Deref, DerefMut, Reflect)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct AxisLimits(pub JointLimits);

impl AxisLimits {
    /// Creates hard limits \[rad or m\].
    pub fn new(min: f32, max: f32) -> Self {
        Self(JointLimits::new(min, max))
    }
}

impl Joint {
    /// Creates a joint of a body to the world.
    pub fn new(body: Entity, kind: impl Into<JointKind>) -> Self {
        Self { a: None, b: body, kind: kind.into() }
    }

    /// Creates a joint of two bodies.
    pub fn between(a: Entity, b: Entity, kind: impl Into<JointKind>) -> Self {
        Self { a: Some(a), b, kind: kind.into() }
    }
}

/// The joint that an entity is in the physics world.
#[derive(Component, Debug, Clone, PartialEq)]
#[component(immutable, on_insert = Self::enter, on_discard = Self::leave)]
pub struct JointId {
    handle: JointHandle,
    /// The fixed body that was made for it.
    ground: Option<BodyHandle>,
}

impl JointId {
    /// Returns the handle.
    pub fn handle(&self) -> &JointHandle {
        &self.handle
    }

    /// Returns the bodies that it was made for.
    fn bodies(&self) -> [Option<BodyHandle>; 2] {
        let [a, b] = self.handle.bodies();
        [self.ground.is_none().then_some(a), Some(b)]
    }

    fn enter(mut world: DeferredWorld, at: HookContext) {
        let Some(Self { handle, .. }) = world.get::<Self>(at.entity).cloned() else { return };
        if let Some(mut physics) = world.get_resource_mut::<Physics>() {
            for part in handle.batches().0 {
                physics.set_owner(PhysicsHandle::Batch(part.batch), at.entity);
            }
        }
        if !handle.contacts_enabled()
            && let Some(mut apart) = world.get_resource_mut::<DisabledContactPairs>()
        {
            *apart.0.entry(handle.bodies()).or_default() += 1;
        }
    }

    fn leave(mut world: DeferredWorld, at: HookContext) {
        let Some(Self { handle, ground }) = world.get::<Self>(at.entity).cloned() else { return };
        let is_last = !handle.contacts_enabled()
            && world.get_resource_mut::<DisabledContactPairs>().is_none_or(|mut apart| apart.leave(handle.bodies()));
        let Some(mut physics) = world.get_resource_mut::<Physics>() else { return };
        for part in handle.batches().0 {
            physics.remove(PhysicsHandle::Batch(part.batch));
        }
        let [a, b] = handle.bodies();
        match ground {
            Some(ground) => physics.remove(PhysicsHandle::Body(ground)),
            // A body may have gone.
            None if is_last => drop(physics.world_mut().set_contacts_between(a, b, true)),
            None => {}
        }
    }
}

/// The number of joints that keep two bodies from touching.
#[derive(Resource, Debug, Default)]
struct DisabledContactPairs(HashMap<[BodyHandle; 2], u32>);

impl DisabledContactPairs {
    /// Returns whether the joint was the last that kept them apart.
    fn leave(&mut self, bodies: [BodyHandle; 2]) -> bool {
        let Some(count) = self.0.get_mut(&bodies) else { return true };
        *count -= 1;
        let is_last = *count == 0;
        if is_last {
            self.0.remove(&bodies);
        }
        is_last
    }
}

/// Joints between bodies.
#[derive(Debug, Clone)]
pub struct JointPlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for JointPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<Joint>().register_type::<Coupling>();
        app.register_type::<AxisMotor>().register_type::<AxisLimits>().init_resource::<DisabledContactPairs>();
        // Snapshots name the constraints of joints and clusters.
        if let Some(mut physics) = app.world_mut().get_resource_mut::<Physics>()
            && let Err(problem) = xpbd_rigid::register(physics.world_mut().registry_mut())
        {
            error!("snapshots cannot be read: {problem}");
        }
        add_ordered_systems(
            app,
            self.0,
            XpbdSystems::Prepare(PrepareSystems::Constraints),
            (build::tie, coupling::couple).chain(),
        );
        app.add_observer(build::untie).add_observer(coupling::uncouple);
        save_component::<JointId>(app);
        save_component::<build::DescribedJoint>(app);
        save_component::<CouplingId>(app);
        save_component::<coupling::DescribedCoupling>(app);
    }
}
