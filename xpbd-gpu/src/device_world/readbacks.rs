//! Frames on their way to the host.

use std::collections::VecDeque;

use xpbd_core::world::{ObjectHandle, StepReport};

use crate::device::Device;
use crate::memory::FRAMES_IN_FLIGHT;
use crate::readback::{ReadbackLayout, ReadbackSlot};

/// Frames on their way to the host, and the report of those that have come back.
#[derive(Debug, Default)]
pub struct Readbacks {
    /// Buffers of frames on their way, the oldest first.
    pub in_flight: VecDeque<ReadbackSlot>,
    /// Buffers that wait for the next frame.
    pub idle: Vec<ReadbackSlot>,
    /// Objects in the order of their marks in the frames on their way.
    pub objects: Vec<ObjectHandle>,
    /// Report of the frames that came back since the last step.
    pub report: StepReport,
}

impl Readbacks {
    /// Returns a buffer of this layout. As many as there may be on their way are made at once.
    pub fn slot(&mut self, layout: ReadbackLayout, device: &Device) -> ReadbackSlot {
        if self.idle.first().is_none_or(|slot| slot.layout != layout) {
            self.idle = (0..FRAMES_IN_FLIGHT).map(|_| ReadbackSlot::new(device, layout.clone())).collect();
        }
        self.idle.pop().unwrap_or_else(|| ReadbackSlot::new(device, layout))
    }
}
