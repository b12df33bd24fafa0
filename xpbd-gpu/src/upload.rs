//! Writes of the host with every frame, through a ring of buffers.

use std::sync::OnceLock;

use crate::device::{Device, MAY_BLOCK};
use crate::memory::{BufferOwnership, FRAMES_IN_FLIGHT, create_buffer};

/// The writes of a frame, and the buffers that stage them.
#[derive(Debug, Default)]
pub struct Upload {
    bytes: Vec<u8>,
    copies: Vec<PendingCopy>,
    ring: Vec<StagingBuffer>,
    next: usize,
}

/// A write: its target, and its bytes.
#[derive(Debug)]
struct PendingCopy {
    target: wgpu::Buffer,
    offset: u64,
    start: u64,
    end: u64,
}

/// A buffer that the host writes and the device reads, alternately.
#[derive(Debug)]
struct StagingBuffer {
    buffer: wgpu::Buffer,
    ownership: BufferOwnership,
}

impl Upload {
    /// Adds a write of whole words, which precedes everything else in the frame.
    pub fn write(&mut self, target: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let start = self.bytes.len() as u64;
        self.bytes.extend_from_slice(bytes);
        self.copies.push(PendingCopy { target: target.clone(), offset, start, end: self.bytes.len() as u64 });
    }

    /// Removes writes that were not recorded.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.copies.clear();
    }

    /// Records the writes, and returns a function that is to be called once they are submitted.
    ///
    /// # Errors
    /// The device is lost.
    pub fn record(
        &mut self,
        device: &Device,
        lost: &OnceLock<String>,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<Option<impl FnOnce() + use<>>, String> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let carrier = self.carrier(device, lost)?;
        let (buffer, ownership) = (carrier.buffer.clone(), carrier.ownership.clone());
        ownership.release_to_device();
        buffer.slice(..self.bytes.len() as u64).get_mapped_range_mut().copy_from_slice(&self.bytes);
        buffer.unmap();
        for copy in &self.copies {
            encoder.copy_buffer_to_buffer(&buffer, copy.start, &copy.target, copy.offset, copy.end - copy.start);
        }
        self.clear();
        Ok(Some(move || ownership.request_map(&buffer, wgpu::MapMode::Write)))
    }

    /// Returns the next buffer of the ring, when the device has finished reading it; in a page another one until then.
    fn carrier(&mut self, device: &Device, lost: &OnceLock<String>) -> Result<&StagingBuffer, String> {
        let size = self.bytes.len() as u64;
        if self.ring.first().is_none_or(|carrier| carrier.buffer.size() < size) {
            self.ring = (0..=FRAMES_IN_FLIGHT).map(|_| StagingBuffer::new(device, size)).collect();
        }
        self.next = (self.next + 1) % self.ring.len();
        if !self.ring[self.next].ownership.is_resolved() && !MAY_BLOCK {
            self.ring.insert(self.next, StagingBuffer::new(device, size));
        }
        let carrier = &self.ring[self.next];
        // Another thread may poll the device, and be about to run the callback.
        while !carrier.ownership.is_resolved() && lost.get().is_none() {
            device.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| error.to_string())?;
            std::thread::yield_now();
        }
        if carrier.ownership.is_mapped() { Ok(carrier) } else { Err("the device is lost".into()) }
    }
}

impl StagingBuffer {
    fn new(device: &Device, size: u64) -> Self {
        let usage = wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC;
        let buffer = create_buffer(device, "upload", size.next_power_of_two().max(1 << 14), usage, true);
        Self { buffer, ownership: BufferOwnership::host_owned() }
    }
}
