//! Buffers that grow.

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
        let most = device.most_bytes();
        if size > most {
            return Err(format!("the buffer `{}` needs {size} bytes; the device gives {most}", self.label));
        }
        self.buffer = make(device, self.label, size, self.usage, false);
        Ok(true)
    }
}
