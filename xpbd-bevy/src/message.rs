//! What touched, tore, broke, fell asleep, in the step before.
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

mod touch;

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use xpbd_core::world::{BatchHandle, BrokenConstraint};

use crate::body::SleepChanges;
#[cfg(feature = "rigid")]
use crate::joint::{Joint, JointId};
use crate::physics::{Physics, PhysicsHandle};
use crate::plugin::XpbdSystems;
use crate::system_order::add_ordered_systems;
use crate::time::PhysicsTime;

/// Two things touch that did not before: colliders, objects of particles, or one of each.
///
/// There is one message a pair. As an event it is sent to both sides, each as the `entity` of its own, and goes on to
/// parents: the body of a collider below it hears it too.
#[derive(Message, EntityEvent, Debug, Clone, Copy, PartialEq)]
#[entity_event(auto_propagate)]
pub struct CollisionStarted {
    /// The entity of a collider or an object.
    pub entity: Entity,
    /// What it touches; itself where an object touches itself.
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

/// Two things no longer touch, also because one has gone: then its entity may have, too.
///
/// It is sent as [`CollisionStarted`] is.
#[derive(Message, EntityEvent, Debug, Clone, Copy, PartialEq, Eq)]
#[entity_event(auto_propagate)]
pub struct CollisionEnded {
    /// The entity of a collider or an object.
    pub entity: Entity,
    /// What it touched.
    pub other: Entity,
    /// The body of `entity`.
    pub body: Option<Entity>,
    /// The body of `other`.
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
    /// Its batch.
    pub batch: BatchHandle,
    /// Its number in the batch.
    pub constraint: u32,
    /// The force that it bore \[N\].
    pub force: f32,
    /// The torque that it bore \[N m\].
    pub torque: f32,
}

/// A cloth came apart, by [what it bore](crate::object::cloth::Cloth::tearing) in the step before or by a [`CutCloth`].
#[cfg(feature = "cloth")]
#[derive(Message, EntityEvent, Debug, Clone, Copy, PartialEq)]
pub struct Torn {
    /// The entity of the cloth.
    pub entity: Entity,
    /// How many of its vertices became two.
    pub splits: u32,
    /// Of how many pieces it consists now.
    pub pieces: u32,
    /// The middle of where it came apart \[m\].
    pub point: Vec3,
}

/// Asks for a cloth to be cut before the next step, along the edges of its triangles next to the way of a blade. It is
/// one that [can tear](crate::object::cloth::Cloth::tearing); with infinite limits it comes apart in no other way.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// /// The way of a blade of 1 m along y, 2 m along x.
/// fn slash(mut cuts: MessageWriter<Cut>, flags: Query<Entity, With<Cloth>>) {
///     for entity in &flags {
///         let blade = Blade { corner: Vec3::new(-1.0, 0.5, 0.0), edge: Vec3::Y, path: Vec3::X * 2.0 };
///         cuts.write(Cut { entity, blade });
///     }
/// }
/// ```
#[cfg(feature = "cloth")]
#[derive(Message, Debug, Clone, Copy, PartialEq)]
pub struct CutCloth {
    /// The entity of the cloth.
    pub entity: Entity,
    /// What cuts it, in the world.
    pub blade: xpbd_cloth::Blade,
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

/// What touched, broke, fell asleep: messages and observers.
#[derive(Debug, Clone)]
pub struct MessagePlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for MessagePlugin {
    fn build(&self, app: &mut App) {
        app.add_message::<CollisionStarted>().add_message::<CollisionEnded>().add_message::<ConstraintBroken>();
        app.add_message::<FellAsleep>().add_message::<WokeUp>().add_message::<Frozen>();
        let tell = (touch::touch, frozen, constraints, asleep).chain();
        add_ordered_systems(app, self.0, XpbdSystems::Writeback, tell.run_if(it_was_stepped));
        #[cfg(feature = "rigid")]
        {
            app.add_message::<JointBroken>();
            add_ordered_systems(app, self.0, XpbdSystems::Writeback, joints.run_if(it_was_stepped));
        }
    }
}

/// Returns whether time has gone by since it was asked last: what is told of a step is told once.
fn it_was_stepped(time: Res<PhysicsTime>, mut last: Local<f64>) -> bool {
    let stepped = time.elapsed != *last;
    *last = time.elapsed;
    stepped
}

/// Writes a message, and triggers the event.
pub(crate) fn write_and_trigger<M: Message + Copy + for<'a> EntityEvent<Trigger<'a>: Default>>(
    messages: &mut MessageWriter<M>,
    commands: &mut Commands,
    message: M,
) {
    messages.write(message);
    commands.trigger(message);
}

fn frozen(mut commands: Commands, physics: Res<Physics>, mut messages: MessageWriter<Frozen>) {
    let report = physics.report();
    let objects = report.frozen.iter().map(|&handle| PhysicsHandle::Object(handle));
    let bodies = report.frozen_bodies.iter().map(|&handle| PhysicsHandle::Body(handle));
    for entity in objects.chain(bodies).filter_map(|thing| physics.entity(thing)) {
        write_and_trigger(&mut messages, &mut commands, Frozen { entity });
    }
}

#[cfg(feature = "rigid")]
fn joints(
    mut commands: Commands,
    physics: Res<Physics>,
    joints: Query<&Joint, With<JointId>>,
    mut messages: MessageWriter<JointBroken>,
) {
    for &BrokenConstraint { batch, force, torque, .. } in physics.world().broken() {
        let owner = physics.entity(PhysicsHandle::Batch(batch));
        let Some((entity, joint)) = owner.and_then(|entity| Some((entity, joints.get(entity).ok()?))) else { continue };
        write_and_trigger(&mut messages, &mut commands, JointBroken { entity, a: joint.a, b: joint.b, force, torque });
    }
}

fn constraints(
    mut commands: Commands,
    physics: Res<Physics>,
    #[cfg(feature = "rigid")] joints: Query<(), With<JointId>>,
    mut messages: MessageWriter<ConstraintBroken>,
) {
    for &BrokenConstraint { batch, constraint, force, torque } in physics.world().broken() {
        let of_object = || {
            let state = physics.world().state().batches.get(batch)?;
            state.objects.iter().find_map(|&object| physics.entity(PhysicsHandle::Object(object)))
        };
        let Some(entity) = physics.entity(PhysicsHandle::Batch(batch)).or_else(of_object) else { continue };
        #[cfg(feature = "rigid")]
        if joints.contains(entity) {
            continue;
        }
        write_and_trigger(&mut messages, &mut commands, ConstraintBroken { entity, batch, constraint, force, torque });
    }
}

fn asleep(
    mut commands: Commands,
    slept: Option<Res<SleepChanges>>,
    mut fell: MessageWriter<FellAsleep>,
    mut woke: MessageWriter<WokeUp>,
) {
    let Some(slept) = slept else { return };
    for &entity in &slept.fell_asleep {
        write_and_trigger(&mut fell, &mut commands, FellAsleep { entity });
    }
    for &entity in &slept.woke_up {
        write_and_trigger(&mut woke, &mut commands, WokeUp { entity });
    }
}
