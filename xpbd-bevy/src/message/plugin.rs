//! The plugin that sends messages about the last step.

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use xpbd_core::world::BrokenConstraint;

#[cfg(feature = "rigid")]
use super::events::JointBroken;
use super::events::{
    CollisionEnded, CollisionStarted, ConstraintBroken, FellAsleep, Frozen, SensorEntered, SensorExited, WokeUp,
};
use super::{CollidingEntities, colliding, sensors, touch};
use crate::body::SleepChanges;
#[cfg(feature = "rigid")]
use crate::joint::{Joint, JointId};
use crate::physics::{Physics, PhysicsHandle};
use crate::report::write_and_trigger;
use crate::schedule::{XpbdSystems, add_ordered_systems};
use crate::time::StepLength;

/// Sends messages and events about the last step.
#[derive(Debug, Clone)]
pub struct MessagePlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for MessagePlugin {
    fn build(&self, app: &mut App) {
        app.add_message::<CollisionStarted>().add_message::<CollisionEnded>().add_message::<ConstraintBroken>();
        app.add_message::<FellAsleep>().add_message::<WokeUp>().add_message::<Frozen>();
        app.add_message::<SensorEntered>().add_message::<SensorExited>();
        app.register_type::<CollidingEntities>();
        let tell = (touch::touch, sensors::sensors, colliding::collect, frozen, constraints, asleep).chain();
        add_ordered_systems(app, self.0, XpbdSystems::Writeback, tell.run_if(was_stepped));
        #[cfg(feature = "rigid")]
        {
            app.add_message::<JointBroken>();
            add_ordered_systems(app, self.0, XpbdSystems::Writeback, joints.run_if(was_stepped));
        }
    }
}

/// Returns whether a step has just been made.
fn was_stepped(length: Res<StepLength>) -> bool {
    length.get().is_some()
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
