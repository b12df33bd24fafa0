//! The order of what is done in one part of a step.
//!
//! Whatever makes, drives or tells things of the one world goes one after another, in the order in which plugins were
//! added: what came first is first in the world too, and results do not hang on which thread was free.

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::{ScheduleConfigs, ScheduleLabel};
use bevy::ecs::system::ScheduleSystem;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;

use crate::plugin::XpbdSystems;

/// The place of systems in a part of a step.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Turn(XpbdSystems, u32);

/// How many turns each part of a step has.
#[derive(Resource, Default)]
struct SystemSlots(HashMap<(Interned<dyn ScheduleLabel>, XpbdSystems), u32>);

/// Adds systems to a part of a step, in their order, after those that were added before.
pub(crate) fn add_ordered_systems<M>(
    app: &mut App,
    schedule: Interned<dyn ScheduleLabel>,
    part: XpbdSystems,
    systems: impl IntoScheduleConfigs<ScheduleSystem, M>,
) {
    app.init_resource::<SystemSlots>();
    let mut turns = app.world_mut().resource_mut::<SystemSlots>();
    let next = turns.0.entry((schedule, part)).or_default();
    let turn = *next;
    *next += 1;
    let mut order = Turn(part, turn).in_set(part);
    if turn > 0 {
        order = order.after(Turn(part, turn - 1));
    }
    app.configure_sets(schedule, order);
    let systems: ScheduleConfigs<ScheduleSystem> = systems.chain().in_set(Turn(part, turn));
    app.add_systems(schedule, systems);
}
