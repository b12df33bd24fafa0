//! Messages for sensors that begin or cease to overlap something.

use bevy::prelude::*;
use xpbd_core::collide::ContactPhase;

use super::events::{SensorEntered, SensorExited};
use crate::physics::{Physics, PhysicsHandle};
use crate::report::write_and_trigger;

/// A sensor and what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Overlap {
    pub sensor: Entity,
    pub other: Entity,
    other_body: Option<Entity>,
}

pub(super) fn sensors(
    mut commands: Commands,
    physics: Res<Physics>,
    mut entered: MessageWriter<SensorEntered>,
    mut exited: MessageWriter<SensorExited>,
    mut before: Local<Vec<Overlap>>,
) {
    let mut now = overlaps(&physics);
    now.sort_unstable();
    for &Overlap { sensor, other, other_body } in before.iter().filter(|old| now.binary_search(old).is_err()) {
        write_and_trigger(&mut exited, &mut commands, SensorExited { entity: sensor, other, other_body });
    }
    for &Overlap { sensor, other, other_body } in now.iter().filter(|new| before.binary_search(new).is_err()) {
        write_and_trigger(&mut entered, &mut commands, SensorEntered { entity: sensor, other, other_body });
    }
    *before = now;
}

/// Returns all overlaps of entities.
pub(super) fn overlaps(physics: &Physics) -> Vec<Overlap> {
    let world = physics.world();
    let current = world.sensor_overlaps().iter().filter(|overlap| overlap.phase != ContactPhase::End);
    let of_entities = current.filter_map(|overlap| {
        let body = world.state().colliders.get(overlap.collider)?.body;
        Some(Overlap {
            sensor: physics.entity(PhysicsHandle::Sensor(overlap.sensor))?,
            other: physics.entity(PhysicsHandle::Collider(overlap.collider))?,
            other_body: body.and_then(|body| physics.entity(PhysicsHandle::Body(body))),
        })
    });
    of_entities.collect()
}
