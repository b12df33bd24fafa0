//! Buffers that grow, and a count of what was made.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::device::Device;

/// How every buffer of a world may be used. Vertex shaders may read positions where they lie.
const USAGES: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC).union(wgpu::BufferUsages::COPY_DST);

/// Buffers made so far, for a test that frames make none.
static MADE: AtomicU64 = AtomicU64::new(0);

/// How many buffers this process has made for worlds.
pub fn buffers_made() -> u64 {
    MADE.load(Ordering::Relaxed)
}

/// Makes a buffer.
pub fn make(device: &Device, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    MADE.fetch_add(1, Ordering::Relaxed);
    device.device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
}

/// A buffer that is replaced by a larger one when it is too small.
#[derive(Debug)]
pub struct Growing {
    /// The buffer as it is now.
    pub buffer: wgpu::Buffer,
    label: &'static str,
    usage: wgpu::BufferUsages,
}

impl Growing {
    /// A storage buffer with room for one vector.
    pub fn storage(device: &Device, label: &'static str) -> Self {
        Self::new(device, label, USAGES)
    }

    /// A storage buffer that vertex shaders may read.
    pub fn vertices(device: &Device, label: &'static str) -> Self {
        Self::new(device, label, USAGES | wgpu::BufferUsages::VERTEX)
    }

    /// A table of uniforms.
    pub fn uniforms(device: &Device, label: &'static str) -> Self {
        Self::new(device, label, wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST)
    }

    fn new(device: &Device, label: &'static str, usage: wgpu::BufferUsages) -> Self {
        let size = if usage.contains(wgpu::BufferUsages::UNIFORM) { crate::layout::STRIDE } else { 256 };
        Self { buffer: make(device, label, size, usage), label, usage }
    }

    /// Makes room for this many bytes; says whether the buffer is a new one, with nothing in it.
    ///
    /// # Errors
    /// The device does not give buffers of that size.
    pub fn reserve(&mut self, device: &Device, bytes: u64) -> Result<bool, String> {
        if bytes <= self.buffer.size() {
            return Ok(false);
        }
        let size = bytes.next_multiple_of(256);
        let limits = device.device.limits();
        let most = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size);
        if size > most {
            return Err(format!("the buffer `{}` needs {size} bytes; the device gives {most}", self.label));
        }
        self.buffer = make(device, self.label, size, self.usage);
        Ok(true)
    }
}

/// Writes into buffers as a part of a submission, from memory that is used again and again.
pub struct Upload<'a> {
    /// Where the bytes wait.
    pub belt: &'a mut wgpu::util::StagingBelt,
    /// The submission.
    pub encoder: &'a mut wgpu::CommandEncoder,
}

impl Upload<'_> {
    /// Writes bytes, a whole number of words, from an offset on.
    pub fn write(&mut self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        if let Some(size) = wgpu::BufferSize::new(bytes.len() as u64) {
            self.belt.write_buffer(self.encoder, buffer, offset, size).copy_from_slice(bytes);
        }
    }
}
