//! Copies of the results of a frame for the host.

use crate::device_world::DeviceWorld;
use crate::particle_pairs::ParticlePairs;
use crate::readback::ReadbackSlot;
use crate::timing::Timing;

/// Copies the results of a frame to a buffer of the host.
pub fn copy(world: &DeviceWorld, timing: Option<&Timing>, encoder: &mut wgpu::CommandEncoder, slot: &ReadbackSlot) {
    let b = &world.buffers;
    let sections = &slot.layout;
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
    if slot.has_collisions {
        for (buffer, section) in world.contacts.collisions.buffers().into_iter().zip(&sections.collisions) {
            copy(buffer, section);
        }
    }
    copy(&b.passes.lambda.buffer, &sections.multipliers);
    copy(&b.contacts.buffer, &sections.counters);
    for (medium, section) in world.media.iter().zip(&sections.walls) {
        copy(&medium.buffers().walls.buffer, section);
    }
    copy(&b.outcome.buffer, &sections.outcome);
    if let Some(lists) = world.contacts.pairs.as_ref().filter(|_| world.has_pairs()).and_then(ParticlePairs::lists) {
        copy(lists, &sections.pairs);
    }
    if let Some(timing) = timing {
        copy(&timing.resolved, &sections.times);
    }
}
