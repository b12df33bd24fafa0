//! Rigid bodies.
//!
//! ```
//! use bevy::prelude::*;
//! use xpbd_bevy::prelude::*;
//!
//! let mut app = App::new();
//! app.add_plugins((MinimalPlugins, TransformPlugin, XpbdPlugins::default()));
//! app.world_mut().spawn((RigidBody::Fixed, Collider::half_space(Vec3::Y)));
//! app.world_mut().spawn((RigidBody::Dynamic, Collider::ball(0.5), Transform::from_xyz(0.0, 3.0, 0.0)));
//! ```
//!
//! A body weighs what the [colliders](crate::collider) on it and below it weigh, each of its
//! [`Density`](crate::material::Density), or what a [`Mass`] beside it says.
//!
//! Dynamic bodies are interpolated between steps; [`NoTransformEasing`] beside one turns that off. Kinematic ones
//! are if [`TransformInterpolation`] is beside them: that is for those that are moved in the fixed schedule.

mod follow;
mod mass;
mod pose;
mod prepare;
mod publish;

use bevy::app::{RunFixedMainLoop, RunFixedMainLoopSystems};
use bevy::ecs::entity::EntityHashSet;
use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
pub use bevy_transform_interpolation::NoTransformEasing;
pub use bevy_transform_interpolation::interpolation::TransformInterpolation;
use bevy_transform_interpolation::interpolation::TransformInterpolationPlugin;
use bevy_transform_interpolation::{TransformEasingPlugin, reset_easing_states_on_transform_change};
use parry3d::math::Pose;
use xpbd_core::bodies::{BodyKind, LockedAxes as CoreLockedAxes};
use xpbd_core::world::BodyHandle;

pub(crate) use pose::PoseQuery;
#[cfg(feature = "cloth")]
pub(crate) use pose::pose;

use crate::entity_errors::EntityErrors;
use crate::material::{Damping, GravityScale, Velocity};
use crate::physics::{Physics, PhysicsHandle, identity};
use crate::plugin::{PrepareSystems, XpbdSystems};
use crate::system_order::add_ordered_systems;
use crate::time::StepLength;

identity! {
    /// The body that an entity is in the physics world.
    BodyId, BodyHandle, PhysicsHandle::Body
}

/// What moves a body.
///
/// Beside it [`Damping`], [`GravityScale`], [`LockedAxes`], [`Mass`] and [`SleepingDisabled`] say what they say of it, and
/// may be changed at any time.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform, Velocity)]
pub enum RigidBody {
    /// Forces, joints and contacts. Its transform and [`Velocity`] are written after each step; what is written to
    /// them by others places the body and sets its velocity.
    #[default]
    Dynamic,
    /// Its transform alone: in a step it moves to where that is, and pushes what is in the way. Its [`Velocity`] is
    /// neither read nor written.
    Kinematic,
    /// Nothing; it jumps to where its transform is.
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

/// What a dynamic body weighs, in place of what its colliders weigh.
#[derive(Component, Debug, Clone, Copy, PartialEq, Reflect)]
#[reflect(Component, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Mass {
    /// Mass \[kg\].
    pub mass: f32,
    /// Principal moments of inertia \[kg m²\] along the axes of the body; if nothing is said those of its
    /// colliders, in proportion to the mass.
    pub inertia: Option<Vec3>,
    /// Centre of mass \[m\] in the frame of the body; if nothing is said that of its colliders.
    pub center: Option<Vec3>,
}

impl Mass {
    /// This mass \[kg\], distributed as the colliders are.
    pub fn new(mass: f32) -> Self {
        Self { mass, inertia: None, center: None }
    }

    /// With these principal moments of inertia \[kg m²\].
    #[must_use]
    pub fn inertia(self, inertia: Vec3) -> Self {
        Self { inertia: Some(inertia), ..self }
    }

    /// With its centre here \[m\].
    #[must_use]
    pub fn center(self, center: Vec3) -> Self {
        Self { center: Some(center), ..self }
    }
}

/// Axes of the world along or about which a body does not move.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct LockedAxes {
    /// No motion along x, y, z.
    pub translation: [bool; 3],
    /// No rotation about x, y, z.
    pub rotation: [bool; 3],
}

impl LockedAxes {
    /// Motion in the plane z = constant alone.
    pub const PLANAR: Self =
        Self { translation: CoreLockedAxes::PLANAR.translation, rotation: CoreLockedAxes::PLANAR.rotation };
    /// No rotation.
    pub const ROTATION_LOCKED: Self = Self {
        translation: CoreLockedAxes::ROTATION_LOCKED.translation,
        rotation: CoreLockedAxes::ROTATION_LOCKED.rotation,
    };
}

impl From<LockedAxes> for CoreLockedAxes {
    fn from(LockedAxes { translation, rotation }: LockedAxes) -> Self {
        Self { translation, rotation }
    }
}

/// Force and torque that act on a dynamic body in every step, until they are changed. A body that they are not zero
/// for does not sleep.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct ExternalForce {
    /// Force at the centre of mass \[N\], in the world.
    pub force: Vec3,
    /// Torque \[N m\], in the world.
    pub torque: Vec3,
}

/// The body beside it never falls asleep.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct SleepingDisabled;

/// The body beside it sleeps: it came to rest, and nothing has touched it since. Put there and taken away by the
/// plugin; while it is there nothing of the body is written.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
pub struct Sleeping;

/// What a body was made from, and what was last written to its entity.
#[derive(Component, Debug)]
struct BodySync {
    described: Described,
    transform: Transform,
    velocity: Velocity,
    /// Where it is, or is on the way to.
    target: Pose,
    asleep: bool,
    /// True if it is interpolated when it does not sleep.
    eased: bool,
}

/// What is said of a body beside its mass.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Described {
    kind: BodyKind,
    gravity: GravityScale,
    damping: Damping,
    locked: LockedAxes,
    can_sleep: bool,
    mass: Option<Mass>,
}

/// It cannot be made, as it is.
#[derive(Component)]
struct Refused(Described);

/// Whether dynamic bodies are interpolated.
#[derive(Resource, Debug)]
struct InterpolateBodies(bool);

/// Makes bodies and moves them.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct BodySystems;

/// Bodies whose colliders have changed.
#[derive(Resource, Debug, Default)]
pub(crate) struct BodiesToReweigh(pub EntityHashSet);

/// Who fell asleep and who woke up in the last step, in the order of their entities.
#[derive(Resource, Debug, Default)]
pub(crate) struct SleepChanges {
    pub fell_asleep: Vec<Entity>,
    pub woke_up: Vec<Entity>,
}

/// Rigid bodies.
#[derive(Debug, Clone)]
pub struct BodyPlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for BodyPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<RigidBody>().register_type::<Mass>().register_type::<LockedAxes>();
        app.register_type::<ExternalForce>().register_type::<SleepingDisabled>().register_type::<Sleeping>();
        app.init_resource::<BodiesToReweigh>().init_resource::<SleepChanges>();
        app.insert_resource(InterpolateBodies(self.is_fixed()));
        let bodies = (prepare::prepare, follow::follow).chain().in_set(BodySystems);
        app.configure_sets(self.0, BodySystems.in_set(XpbdSystems::Prepare(PrepareSystems::Bodies)));
        app.add_systems(self.0, bodies);
        add_ordered_systems(app, self.0, XpbdSystems::ApplyInputs, push.run_if(a_step_is_due));
        add_ordered_systems(app, self.0, XpbdSystems::Writeback, publish::publish);
        app.add_observer(forget);
    }

    fn finish(&self, app: &mut App) {
        if !self.is_fixed() {
            return;
        }
        if !app.is_plugin_added::<TransformInterpolationPlugin>() {
            app.add_plugins(TransformInterpolationPlugin::default());
        }
        if !app.is_plugin_added::<TransformEasingPlugin>() {
            app.add_plugins(TransformEasingPlugin);
        }
        // What was placed between frames is noticed before a step would ease it away.
        let noticed = (|| {}).after(reset_easing_states_on_transform_change);
        app.add_systems(RunFixedMainLoop, noticed.in_set(RunFixedMainLoopSystems::BeforeFixedMainLoop));
    }
}

impl BodyPlugin {
    /// Returns whether it is stepped in a fixed schedule.
    fn is_fixed(&self) -> bool {
        [FixedPreUpdate.intern(), FixedUpdate.intern(), FixedPostUpdate.intern()].contains(&self.0)
    }
}

/// Returns whether a step follows: what is applied without one would add up.
fn a_step_is_due(length: Res<StepLength>) -> bool {
    length.get().is_some()
}

/// Takes out the body with the component that described it.
fn forget(removed: On<Remove, RigidBody>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<(BodyId, BodySync, Refused, Sleeping)>();
}

fn push(mut physics: ResMut<Physics>, forces: Query<(Entity, &BodyId, &ExternalForce)>, mut problems: EntityErrors) {
    for (entity, id, &ExternalForce { force, torque }) in &forces {
        for (vector, turns) in [(force, false), (torque, true)] {
            if vector == Vec3::ZERO {
                continue;
            }
            let world = physics.world_mut();
            let pushed = if turns { world.add_body_torque(id.0, vector) } else { world.add_body_force(id.0, vector) };
            if let Err(problem) = pushed {
                problems.report(entity, "external force", problem);
            }
        }
    }
}
