//! When what happens in a step, and in which order.
//!
//! All systems that edit or read the one physics world run one after another, in the order in which their plugins were
//! added. The order of objects in the world, and with it every result, is then independent of which thread was free.

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::{ScheduleConfigs, ScheduleLabel};
use bevy::ecs::system::ScheduleSystem;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::transform::TransformSystems;

/// The parts of a step, which run in this order.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum XpbdSystems {
    /// Builds in the physics world what components describe, and writes changed numbers to what is there.
    Prepare(PrepareSystems),
    /// Moves pins with the entities that hold them, and applies forces and wind.
    ApplyInputs,
    /// Steps the physics world.
    StepSimulation,
    /// Writes transforms, velocities and vertices, and sends messages.
    Writeback,
}

/// The parts of [`XpbdSystems::Prepare`], which run in this order: each may need what an earlier one has built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PrepareSystems {
    /// Builds rigid bodies.
    Bodies,
    /// Builds colliders.
    Colliders,
    /// Builds objects of particles.
    Objects,
    /// Builds joints, attachments and other constraints between bodies and objects.
    Constraints,
}

/// Orders the parts of a step in a schedule.
pub(crate) fn configure(app: &mut App, schedule: Interned<dyn ScheduleLabel>) {
    let order = (
        XpbdSystems::Prepare(PrepareSystems::Bodies),
        XpbdSystems::Prepare(PrepareSystems::Colliders),
        XpbdSystems::Prepare(PrepareSystems::Objects),
        XpbdSystems::Prepare(PrepareSystems::Constraints),
        XpbdSystems::ApplyInputs,
        XpbdSystems::StepSimulation,
        XpbdSystems::Writeback,
    );
    app.configure_sets(schedule, order.chain().before(TransformSystems::Propagate));
}

/// Returns whether a schedule runs in fixed steps, between which motion is interpolated.
pub(crate) fn is_fixed(schedule: Interned<dyn ScheduleLabel>) -> bool {
    use bevy::app::{FixedFirst, FixedLast, FixedMain, FixedPreUpdate};

    let fixed: [Interned<dyn ScheduleLabel>; 6] = [
        FixedFirst.intern(),
        FixedPreUpdate.intern(),
        FixedUpdate.intern(),
        FixedPostUpdate.intern(),
        FixedLast.intern(),
        FixedMain.intern(),
    ];
    fixed.contains(&schedule)
}

/// A slot of a part of a step, by its number: slots run in the order of their numbers.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct SystemSlot(XpbdSystems, u32);

/// The number of slots of each part of a step.
#[derive(Resource, Default)]
struct SystemSlots(HashMap<(Interned<dyn ScheduleLabel>, XpbdSystems), u32>);

/// Adds systems to a part of a step, in their order and after those that were added before.
pub(crate) fn add_ordered_systems<M>(
    app: &mut App,
    schedule: Interned<dyn ScheduleLabel>,
    part: XpbdSystems,
    systems: impl IntoScheduleConfigs<ScheduleSystem, M>,
) {
    app.init_resource::<SystemSlots>();
    let mut slots = app.world_mut().resource_mut::<SystemSlots>();
    let next = slots.0.entry((schedule, part)).or_default();
    let slot = *next;
    *next += 1;
    let mut order = SystemSlot(part, slot).in_set(part);
    if slot > 0 {
        order = order.after(SystemSlot(part, slot - 1));
    }
    app.configure_sets(schedule, order);
    let systems: ScheduleConfigs<ScheduleSystem> = systems.chain().in_set(SystemSlot(part, slot));
    app.add_systems(schedule, systems);
}
