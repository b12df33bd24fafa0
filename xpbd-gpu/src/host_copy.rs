//! Copies of buffers that the host reads on request.

use std::sync::OnceLock;

use crate::device::{CheckedWork, Device, MAY_BLOCK};
use crate::memory::{BufferOwnership, create_buffer};

/// A part of a buffer: the buffer, the first byte and the number of bytes.
pub type BufferPart<'a> = (&'a wgpu::Buffer, u64, u64);

/// A copy of parts of buffers that is on its way to the host.
#[derive(Debug)]
pub struct HostCopy {
    buffer: wgpu::Buffer,
    ownership: BufferOwnership,
    bytes: OnceLock<Vec<u8>>,
}

impl HostCopy {
    /// Requests a copy of the parts, one after the other. Where a call may wait this waits until it has come.
    ///
    /// # Errors
    /// The device refuses the copy.
    pub fn request(device: &Device, parts: &[BufferPart<'_>]) -> Result<Self, String> {
        let work = CheckedWork::begin(&device.device);
        let size = parts.iter().map(|part| part.2).sum();
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let buffer = create_buffer(device, "synchronize", size, usage, false);
        let mut encoder = device.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut end = 0;
        for &(source, offset, bytes) in parts.iter().filter(|part| part.2 > 0) {
            encoder.copy_buffer_to_buffer(source, offset, &buffer, end, bytes);
            end += bytes;
        }
        device.queue.submit([encoder.finish()]);
        device.count_read(size);
        let ownership = BufferOwnership::host_owned();
        ownership.request_map(&buffer, wgpu::MapMode::Read);
        if MAY_BLOCK {
            // Nobody else may poll the device. A device that is lost calls back as well.
            let _ = device.device.poll(wgpu::PollType::wait_indefinitely());
        }
        work.end(Ok(Self { buffer, ownership, bytes: OnceLock::new() }))
    }

    /// Returns who owns the copy: the device until it has come.
    pub fn ownership(&self) -> BufferOwnership {
        self.ownership.clone()
    }

    /// Returns the copy, if it has come.
    pub fn bytes(&self) -> Option<&[u8]> {
        let read = || self.buffer.slice(..).get_mapped_range().to_vec();
        self.ownership.is_mapped().then(|| &self.bytes.get_or_init(read)[..])
    }
}

/// Reads parts of buffers, once the device has finished what was submitted.
///
/// # Errors
/// The device is lost.
pub async fn read(device: &Device, parts: &[BufferPart<'_>]) -> Result<Vec<u8>, String> {
    if parts.iter().all(|part| part.2 == 0) {
        return Ok(Vec::new());
    }
    let copy = HostCopy::request(device, parts)?;
    copy.ownership.clone().resolved().await;
    copy.bytes();
    copy.bytes.into_inner().ok_or_else(|| "the device is lost".into())
}
