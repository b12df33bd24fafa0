//! Buffers that grow, and buffers that host and device use in turns.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::device::Device;

/// How every buffer of a world may be used. Vertex shaders may read positions where they lie.
const USAGES: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC).union(wgpu::BufferUsages::COPY_DST);

/// Makes a buffer, with its memory in the hands of the host if `mapped`.
pub fn make(device: &Device, label: &str, size: u64, usage: wgpu::BufferUsages, mapped: bool) -> wgpu::Buffer {
    device.device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: mapped })
}

/// A buffer that is replaced by a larger one when it is too small.
#[derive(Debug)]
pub struct GrowableBuffer {
    /// The buffer as it is now.
    pub buffer: wgpu::Buffer,
    label: &'static str,
    usage: wgpu::BufferUsages,
}

impl GrowableBuffer {
    /// Creates a storage buffer with room for one vector.
    pub fn storage(device: &Device, label: &'static str) -> Self {
        Self::new(device, label, USAGES)
    }

    /// Creates a storage buffer that vertex shaders may read.
    pub fn vertices(device: &Device, label: &'static str) -> Self {
        Self::new(device, label, USAGES | wgpu::BufferUsages::VERTEX)
    }

    /// Creates a table of uniforms.
    pub fn uniforms(device: &Device, label: &'static str) -> Self {
        Self::new(device, label, wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST)
    }

    fn new(device: &Device, label: &'static str, usage: wgpu::BufferUsages) -> Self {
        let size = if usage.contains(wgpu::BufferUsages::UNIFORM) { crate::layout::STRIDE } else { 256 };
        Self { buffer: make(device, label, size, usage, false), label, usage }
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
        let most = device.max_buffer_size();
        if size > most {
            return Err(format!("the buffer `{}` needs {size} bytes; the device gives {most}", self.label));
        }
        self.buffer = make(device, self.label, size, self.usage, false);
        Ok(true)
    }
}

/// Whose turn it is with a buffer that host and device use in turns.
#[derive(Debug, Clone)]
pub struct Turn(Arc<AtomicU8>);

const WAITING: u8 = 0;
const MAPPED: u8 = 1;
const FAILED: u8 = 2;

impl Turn {
    /// The host's, from the beginning.
    pub fn of_host() -> Self {
        Self(Arc::new(AtomicU8::new(MAPPED)))
    }

    /// The device's.
    pub fn pass(&self) {
        self.0.store(WAITING, Ordering::Release);
    }

    /// Asks for the buffer back once the device has done what was submitted.
    pub fn ask(&self, buffer: &wgpu::Buffer, mode: wgpu::MapMode) {
        self.pass();
        let turn = self.clone();
        buffer.slice(..).map_async(mode, move |result| {
            turn.0.store(if result.is_ok() { MAPPED } else { FAILED }, Ordering::Release);
        });
    }

    /// Returns whether the buffer has come back, or never will.
    pub fn is_decided(&self) -> bool {
        self.0.load(Ordering::Acquire) != WAITING
    }

    /// Returns whether it is the host's.
    pub fn is_of_host(&self) -> bool {
        self.0.load(Ordering::Acquire) == MAPPED
    }
}
