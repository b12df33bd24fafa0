//! Results of a frame, applied by the host.

use xpbd_core::collide::{ContactSet, ImpulseSource};
use xpbd_core::world::{State, StepPhase};

use crate::device_world::DeviceWorld;
use crate::layout::contact::{CUT_SHORT, DROPPED, FOUND, MAX_FOUND};
use crate::readback::FrameReadback;

/// Applies the results of a frame besides its particles, and enlarges rooms that were too small.
pub fn apply(home: &mut DeviceWorld, state: &mut State, returned: FrameReadback, phases: &[StepPhase]) {
    let report = &mut home.readbacks.report;
    if let Some(timing) = &home.timing {
        report.seconds = timing.seconds(phases, &returned.ticks);
    }
    report.shape_contacts = returned.counters[FOUND] as usize;
    report.dropped_contacts += (returned.counters[DROPPED] + returned.counters[CUT_SHORT]) as usize;
    report.dropped_contacts += returned.walls_dropped;
    home.capacity.contacts = home.capacity.contacts.max(returned.counters[MAX_FOUND]);
    if let Some(pairs) = home.contacts.pairs.as_mut().filter(|pairs| pairs.is_needed()) {
        let [partners, dropped] = returned.pairs;
        report.particle_contacts = partners / 2;
        report.particle_contacts_active = returned.active_pairs;
        report.dropped_contacts += dropped + pairs.grow(partners) / 2;
    }
    if returned.event_count > home.capacity.events {
        report.dropped_contacts += returned.event_count - home.capacity.events;
        home.capacity.events = returned.event_count.next_power_of_two();
    }
    for (&handle, _) in home.readbacks.objects.iter().zip(&returned.frozen_marks).filter(|(_, mark)| **mark != 0) {
        let Some(object) = state.objects.get_mut(handle).filter(|object| !object.frozen) else { continue };
        object.frozen = true;
        state.plan_is_stale = true;
        report.frozen.push(handle);
    }
    let mut pushes = returned.events;
    if let Some(collisions) = &returned.collisions {
        home.contacts.collisions.apply_readback(&mut state.contacts, collisions);
        let pairs = pushes.partition_point(|pushed| matches!(pushed.source, ImpulseSource::Collider { .. }));
        let touches = state.contacts.particle_bodies.particle_impulses();
        pushes.splice(pairs..pairs, touches);
    }
    state.publish_contacts(pushes.into_iter());
}
