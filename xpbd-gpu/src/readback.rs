//! The state of finished frames on its way to the host, a ring of buffers.

use std::ops::Range;

use glam::{Vec3, Vec4};
use xpbd_core::collide::{ContactImpulse, ImpulseSource};
use xpbd_core::world::StepPhase;

use crate::device::Device;
use crate::layout::contact::COUNTERS;
use crate::layout::outcome::{ACTIVE_PAIRS, EVENT, EVENT_COUNT, FROZEN_MARKS};
use crate::layout::{BODY_RETURNED, WALL_COUNTERS};
use crate::memory::{BufferOwnership, create_buffer};
use crate::timing::Timing;

/// Sections of the copy of a frame \[bytes\].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadbackLayout {
    /// Anchors, offsets, velocities: one vector a particle.
    pub vectors: [Range<u64>; 3],
    /// Bodies, as many vectors each as come back every frame.
    pub bodies: Range<u64>,
    /// Contacts of bodies: numbers, multipliers and records.
    pub collisions: [Range<u64>; 3],
    /// Multipliers of the plan, if constraints can break.
    pub multipliers: Range<u64>,
    /// Bytes of the counters of contacts.
    pub counters: Range<u64>,
    /// Bytes of the counters of pairs.
    pub pairs: Range<u64>,
    /// Counters of walls of each medium.
    pub walls: Vec<Range<u64>>,
    /// Count of pushes, marks of objects, pushes.
    pub outcome: Range<u64>,
    /// Timestamps, if phases are timed.
    pub times: Range<u64>,
    /// Objects with a mark.
    pub objects: usize,
    /// Number of all bytes.
    pub size: u64,
}

impl ReadbackLayout {
    /// Lays out this many particles, bodies, objects and media, with room for this many events, for so many bytes of contacts of
    /// bodies, for so many multipliers, and for timestamps if phases are timed.
    pub fn new(
        [particles, bodies, objects, media]: [usize; 4],
        events: usize,
        collisions: [u64; 3],
        multipliers: usize,
        timed: bool,
    ) -> Self {
        let mut end = 0;
        let mut take = |bytes: u64| {
            let start = end;
            end += bytes.next_multiple_of(8);
            start..start + bytes
        };
        let vectors = [(); 3].map(|()| take(16 * particles as u64));
        let bodies = take(16 * BODY_RETURNED * bodies as u64);
        let collisions = collisions.map(&mut take);
        let multipliers = take(4 * multipliers as u64);
        let (counters, pairs) = (take(4 * COUNTERS as u64), take(8));
        let walls = (0..media).map(|_| take(WALL_COUNTERS)).collect();
        let outcome = take(4 * (FROZEN_MARKS + objects + EVENT * events) as u64);
        let times = take(if timed { Timing::bytes() } else { 0 });
        Self { vectors, bodies, collisions, multipliers, counters, pairs, walls, outcome, times, objects, size: end }
    }
}

/// A buffer that the host can read.
#[derive(Debug)]
pub struct ReadbackSlot {
    /// The buffer that receives the copy.
    pub buffer: wgpu::Buffer,
    /// Sections of the copy.
    pub layout: ReadbackLayout,
    /// The phases that are timed in it.
    pub phases: Vec<StepPhase>,
    /// True if contacts of bodies are in the copy.
    pub has_collisions: bool,
    ownership: BufferOwnership,
}

/// Results of a frame that came back.
#[derive(Debug)]
pub struct FrameReadback {
    /// Bodies, section by section.
    pub bodies: Vec<Vec4>,
    /// Contacts of bodies, if there were any: numbers, multipliers and records.
    pub collisions: Option<[Vec<u32>; 3]>,
    /// Multipliers of the plan, none where no constraint can break.
    pub multipliers: Vec<f32>,
    /// Counters of contacts with colliders.
    pub counters: Vec<u32>,
    /// Partners found and pairs dropped.
    pub pairs: [usize; 2],
    /// Walls for which there was no room.
    pub walls_dropped: usize,
    /// Pairs that touched in the last substep.
    pub active_pairs: usize,
    /// Timestamps of the phases \[ticks\].
    pub ticks: Vec<u64>,
    /// Objects marked to be frozen.
    pub frozen_marks: Vec<u32>,
    /// Number of contacts that pushed, more than there are in `events` when there was no room.
    pub event_count: usize,
    /// Contacts that pushed, in the order of the CPU.
    pub events: Vec<ContactImpulse>,
}

impl ReadbackSlot {
    /// Makes a buffer for a layout.
    pub fn new(device: &Device, layout: ReadbackLayout) -> Self {
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let buffer = create_buffer(device, "readback", layout.size.max(8), usage, false);
        Self { buffer, layout, phases: Vec::new(), has_collisions: false, ownership: BufferOwnership::host_owned() }
    }

    /// Asks for the copy once the submission that writes it is done.
    pub fn map(&self) {
        self.ownership.request_map(&self.buffer, wgpu::MapMode::Read);
    }

    /// Returns who owns the copy: the device until it has come.
    pub fn ownership(&self) -> BufferOwnership {
        self.ownership.clone()
    }

    /// Returns whether the copy has come, or never will.
    pub fn is_ready(&self) -> bool {
        self.ownership.is_resolved()
    }

    /// Reads the copy, anchors, offsets and velocities into `vectors`, and unmaps the buffer. Returns `None` if the device is
    /// lost.
    pub fn take(&self, vectors: [&mut [Vec4]; 3]) -> Option<FrameReadback> {
        if !self.ownership.is_mapped() {
            return None;
        }
        let view = self.buffer.slice(..).get_mapped_range();
        let part = |range: &Range<u64>| &view[range.start as usize..range.end as usize];
        let words = |range: &Range<u64>| bytemuck::pod_collect_to_vec::<u8, u32>(part(range));
        let sections = &self.layout;
        let outcome = words(&sections.outcome);
        let (marks, events) = outcome[FROZEN_MARKS..].split_at(sections.objects);
        let event_count = outcome[EVENT_COUNT] as usize;
        for (range, list) in sections.vectors.iter().zip(vectors) {
            copy(part(range), list);
        }
        let returned = FrameReadback {
            bodies: bytemuck::pod_collect_to_vec(part(&sections.bodies)),
            collisions: self.has_collisions.then(|| sections.collisions.each_ref().map(words)),
            multipliers: bytemuck::pod_collect_to_vec(part(&sections.multipliers)),
            counters: words(&sections.counters),
            pairs: [words(&sections.pairs)[0] as usize, words(&sections.pairs)[1] as usize],
            walls_dropped: sections.walls.iter().map(|range| words(range)[0] as usize).sum(),
            active_pairs: outcome[ACTIVE_PAIRS] as usize,
            ticks: bytemuck::pod_collect_to_vec(part(&sections.times)),
            frozen_marks: marks.to_vec(),
            event_count,
            events: sorted_events(&events[..EVENT * event_count.min(events.len() / EVENT)]),
        };
        drop(view);
        self.buffer.unmap();
        Some(returned)
    }
}

/// Copies vectors from bytes, as many as both have.
pub fn copy(bytes: &[u8], list: &mut [Vec4]) {
    let target: &mut [u8] = bytemuck::cast_slice_mut(list);
    let length = bytes.len().min(target.len());
    target[..length].copy_from_slice(&bytes[..length]);
}

/// Returns the contacts that pushed, from words in any order: those with colliders by rank and particle, then pairs by
/// particle and partner.
fn sorted_events(words: &[u32]) -> Vec<ContactImpulse> {
    let mut events: Vec<&[u32]> = words.chunks_exact(EVENT).collect();
    // The last word tells pairs from contacts with colliders.
    events.sort_unstable_by_key(|event| match event[7] {
        0 => (0, event[1], event[0]),
        pair => (pair, event[0], event[2]),
    });
    let number = f32::from_bits;
    let pushed = |event: &&[u32]| ContactImpulse {
        particle: event[0],
        source: match event[7] {
            0 => ImpulseSource::Collider {
                collider_index: event[2],
                normal: Vec3::new(number(event[4]), number(event[5]), number(event[6])),
            },
            _ => ImpulseSource::Particle(event[2]),
        },
        impulse: number(event[3]),
    };
    events.iter().map(pushed).collect()
}
