//! What of a frame goes to the host.

use crate::device_world::DeviceWorld;
use crate::particle_pairs::ParticlePairs;
use crate::readback::Slot;
use crate::timing::Timing;

/// Copies what the host learns of a frame.
pub fn copy(home: &DeviceWorld, timing: Option<&Timing>, encoder: &mut wgpu::CommandEncoder, slot: &Slot) {
    let b = &home.buffers;
    let sections = &slot.sections;
    let [anchor, offset, velocity] = &sections.vectors;
    let mut copy = |source: &wgpu::Buffer, target: &std::ops::Range<u64>| {
        if !target.is_empty() {
            encoder.copy_buffer_to_buffer(source, 0, &slot.buffer, target.start, target.end - target.start);
        }
    };
    copy(&b.anchor.buffer, anchor);
    copy(&b.offset.buffer, offset);
    copy(&b.motion.buffer, velocity);
    copy(&b.bodies.buffer, &sections.bodies);
    if slot.collides {
        for (buffer, section) in home.collisions.buffers().into_iter().zip(&sections.collisions) {
            copy(buffer, section);
        }
    }
    copy(&b.contacts.buffer, &sections.counters);
    for (medium, section) in home.media.iter().zip(&sections.walls) {
        copy(&medium.buffers().walls.buffer, section);
    }
    copy(&b.outcome.buffer, &sections.outcome);
    if let Some(lists) = home.pairs.as_ref().filter(|_| home.has_pairs()).and_then(ParticlePairs::lists) {
        copy(lists, &sections.pairs);
    }
    if let Some(timing) = timing {
        copy(&timing.resolved, &sections.times);
    }
}
