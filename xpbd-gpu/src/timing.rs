//! Times of the phases of a frame, measured by the device.

use xpbd_core::world::StepPhase;

use crate::device::Device;
use crate::memory::create_buffer;

/// Largest number of compute passes of a frame that are timed; later ones are not.
const MOST: u32 = wgpu::QUERY_SET_MAX_QUERIES / 2;

/// Timestamps at the begin and end of compute passes.
#[derive(Debug)]
pub struct Timing {
    queries: wgpu::QuerySet,
    /// The timestamps of the last frame.
    pub resolved: wgpu::Buffer,
    /// The phase of each pass of the last frame.
    pub phases: Vec<StepPhase>,
    /// Seconds between two ticks.
    period: f64,
}

impl Timing {
    /// Timestamps of a device that has them.
    pub fn new(device: &Device) -> Option<Self> {
        if !device.has_timestamps() {
            return None;
        }
        let description =
            wgpu::QuerySetDescriptor { label: Some("phases"), ty: wgpu::QueryType::Timestamp, count: 2 * MOST };
        let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
        Some(Self {
            queries: device.device.create_query_set(&description),
            resolved: create_buffer(device, "timestamps", Self::bytes(), usage, false),
            phases: Vec::new(),
            period: 1e-9 * f64::from(device.queue.get_timestamp_period()),
        })
    }

    /// Returns the bytes of the timestamps of a frame.
    pub fn bytes() -> u64 {
        16 * u64::from(MOST)
    }

    /// Begins a compute pass that is timed as a part of a phase.
    pub fn begin(&mut self, encoder: &mut wgpu::CommandEncoder, phase: StepPhase) -> wgpu::ComputePass<'static> {
        let number = self.phases.len() as u32;
        let writes = wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * number),
            end_of_pass_write_index: Some(2 * number + 1),
        };
        let timestamp_writes = (number < MOST).then_some(writes);
        if timestamp_writes.is_some() {
            self.phases.push(phase);
        }
        let description = wgpu::ComputePassDescriptor { label: Some(phase.name()), timestamp_writes };
        encoder.begin_compute_pass(&description).forget_lifetime()
    }

    /// Collects the timestamps of the frame.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..2 * self.phases.len() as u32, &self.resolved, 0);
    }

    /// Returns the seconds of each phase, from timestamps.
    pub fn seconds(&self, phases: &[StepPhase], ticks: &[u64]) -> [f64; StepPhase::ALL.len()] {
        let mut seconds = [0.0; StepPhase::ALL.len()];
        for (&phase, pair) in phases.iter().zip(ticks.chunks_exact(2)) {
            seconds[phase as usize] += self.period * pair[1].saturating_sub(pair[0]) as f64;
        }
        seconds
    }
}
