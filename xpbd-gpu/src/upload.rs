//! What the host sends with every frame, through a ring of buffers that are used again and again.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::device::Device;
use crate::memory::{Turn, make};
use crate::readback::RING;

/// Writes of a frame, and the buffers that carry them.
#[derive(Debug, Default)]
pub struct Upload {
    bytes: Vec<u8>,
    copies: Vec<Copy>,
    ring: Vec<StagingBuffer>,
    next: usize,
}

/// One write: where to, and which of the bytes.
#[derive(Debug)]
struct Copy {
    target: wgpu::Buffer,
    offset: u64,
    start: u64,
    end: u64,
}

/// A buffer that the host writes and the device reads, in turns.
#[derive(Debug)]
struct StagingBuffer {
    buffer: wgpu::Buffer,
    turn: Turn,
}

impl Upload {
    /// Takes note of a write of whole words, done before everything else in the frame.
    pub fn write(&mut self, target: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let start = self.bytes.len() as u64;
        self.bytes.extend_from_slice(bytes);
        self.copies.push(Copy { target: target.clone(), offset, start, end: self.bytes.len() as u64 });
    }

    /// Forgets what was not recorded.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.copies.clear();
    }

    /// Records the writes; gives what is to be called once they are submitted.
    ///
    /// # Errors
    /// The device is lost.
    pub fn record(
        &mut self,
        device: &Device,
        lost: &AtomicBool,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<Option<impl FnOnce() + use<>>, String> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let carrier = self.carrier(device, lost)?;
        let (buffer, turn) = (carrier.buffer.clone(), carrier.turn.clone());
        turn.pass();
        buffer.slice(..self.bytes.len() as u64).get_mapped_range_mut().copy_from_slice(&self.bytes);
        buffer.unmap();
        for copy in &self.copies {
            encoder.copy_buffer_to_buffer(&buffer, copy.start, &copy.target, copy.offset, copy.end - copy.start);
        }
        self.clear();
        Ok(Some(move || turn.ask(&buffer, wgpu::MapMode::Write)))
    }

    /// Returns the next buffer of the ring, when the device has done with it.
    fn carrier(&mut self, device: &Device, lost: &AtomicBool) -> Result<&StagingBuffer, String> {
        let size = self.bytes.len() as u64;
        if self.ring.first().is_none_or(|carrier| carrier.buffer.size() < size) {
            self.ring = (0..=RING).map(|_| StagingBuffer::new(device, size)).collect();
        }
        self.next = (self.next + 1) % self.ring.len();
        let carrier = &self.ring[self.next];
        // Another thread may poll the device, and be about to tell; on the web nothing may wait.
        while !carrier.turn.is_decided() && !lost.load(Ordering::Acquire) && !cfg!(target_arch = "wasm32") {
            device.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| error.to_string())?;
            std::thread::yield_now();
        }
        if carrier.turn.is_of_host() { Ok(carrier) } else { Err("the device is lost".into()) }
    }
}

impl StagingBuffer {
    fn new(device: &Device, size: u64) -> Self {
        let usage = wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC;
        let buffer = make(device, "upload", size.next_power_of_two().max(1 << 14), usage, true);
        Self { buffer, turn: Turn::of_host() }
    }
}
