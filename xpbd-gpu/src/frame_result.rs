//! What comes back of a frame, taken over by the host.

use xpbd_core::collide::contacts::{ContactImpulse, ImpulseSource};
use xpbd_core::world::{State, StepPhase};

use crate::device_world::DeviceWorld;
use crate::readback::FrameReadback;

/// Counters of contacts with colliders, as in `contact.wgsl`.
const FOUND: usize = 0;
const MOST: usize = 1;
const DROPPED: usize = 2;
const CUT_SHORT: usize = 3;

/// Takes over what a frame tells besides its particles, and grows what was too small.
pub fn apply(home: &mut DeviceWorld, state: &mut State, returned: FrameReadback, phases: &[StepPhase]) {
    let report = &mut home.returned;
    if let Some(timing) = &home.timing {
        report.seconds = timing.seconds(phases, &returned.ticks);
    }
    report.shape_contacts = returned.counters[FOUND] as usize;
    report.dropped_contacts += (returned.counters[DROPPED] + returned.counters[CUT_SHORT]) as usize;
    report.dropped_contacts += returned.walls_dropped;
    home.ranks = home.ranks.max(returned.counters[MOST]);
    if let Some(pairs) = home.pairs.as_mut().filter(|pairs| pairs.is_needed()) {
        let [partners, dropped] = returned.pairs;
        report.particle_contacts = partners / 2;
        report.particle_contacts_active = returned.active;
        report.dropped_contacts += dropped + pairs.grow(partners) / 2;
    }
    if returned.pushed > home.events {
        report.dropped_contacts += returned.pushed - home.events;
        home.events = returned.pushed.next_power_of_two();
    }
    for (&handle, _) in home.objects.iter().zip(&returned.marks).filter(|(_, mark)| **mark != 0) {
        let Some(object) = state.objects.get_mut(handle).filter(|object| !object.frozen) else { continue };
        object.frozen = true;
        state.plan_is_stale = true;
        report.frozen.push(handle);
    }
    let mut pushes = returned.pushes;
    if let Some(collisions) = &returned.collisions {
        home.collisions.take(&mut state.contacts, collisions);
        let pairs = pushes.partition_point(|pushed| matches!(pushed.source, ImpulseSource::Collider { .. }));
        let touches = state.contacts.particle_bodies.applied_impulses().map(|(particle, collider, normal, impulse)| {
            ContactImpulse { particle, source: ImpulseSource::Collider { collider_index: collider, normal }, impulse }
        });
        pushes.splice(pairs..pairs, touches);
    }
    state.publish_contacts(pushes.into_iter());
}
