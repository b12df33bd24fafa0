//! Buffers that grow, and buffers that host and device use alternately.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::device::Device;

/// Largest number of frames on their way to the host; with one more the host waits for the first.
pub const FRAMES_IN_FLIGHT: usize = 3;

/// Usages of every buffer of a world. Vertex shaders may read positions in place.
const USAGES: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC).union(wgpu::BufferUsages::COPY_DST);

/// Makes a buffer, with its memory in the hands of the host if `mapped`.
pub fn create_buffer(device: &Device, label: &str, size: u64, usage: wgpu::BufferUsages, mapped: bool) -> wgpu::Buffer {
    device.device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: mapped })
}

/// A buffer that is replaced by a larger one when it is too small.
#[derive(Debug)]
pub struct GrowableBuffer {
    /// The buffer in use.
    pub buffer: wgpu::Buffer,
    label: &'static str,
    usage: wgpu::BufferUsages,
}

impl GrowableBuffer {
    /// Makes a storage buffer with room for one vector.
    pub fn storage(device: &Device, label: &'static str) -> Self {
        Self::new(device, label, USAGES)
    }

    /// Makes a storage buffer that vertex shaders may read.
    pub fn vertices(device: &Device, label: &'static str) -> Self {
        Self::new(device, label, USAGES | wgpu::BufferUsages::VERTEX)
    }

    /// Makes a table of uniforms.
    pub fn uniforms(device: &Device, label: &'static str) -> Self {
        Self::new(device, label, wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST)
    }

    fn new(device: &Device, label: &'static str, usage: wgpu::BufferUsages) -> Self {
        let size = if usage.contains(wgpu::BufferUsages::UNIFORM) { crate::layout::STRIDE } else { 256 };
        Self { buffer: create_buffer(device, label, size, usage, false), label, usage }
    }

    /// Returns the whole buffer as a binding.
    pub fn whole(&self) -> wgpu::BindingResource<'_> {
        self.buffer.as_entire_binding()
    }

    /// Returns the first bytes as a binding, which a dynamic offset may move.
    pub fn first_bytes(&self, bytes: u64) -> wgpu::BindingResource<'_> {
        let size = wgpu::BufferSize::new(bytes);
        wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: &self.buffer, offset: 0, size })
    }

    /// Makes room for this many bytes, and returns whether the buffer is a new, empty one.
    ///
    /// # Errors
    /// The device refuses buffers of that size.
    pub fn reserve(&mut self, device: &Device, bytes: u64) -> Result<bool, String> {
        if bytes <= self.buffer.size() {
            return Ok(false);
        }
        let size = bytes.next_multiple_of(256);
        let most = device.max_buffer_size();
        if size > most {
            return Err(format!("the buffer `{}` needs {size} bytes; the device gives {most}", self.label));
        }
        self.buffer = create_buffer(device, self.label, size, self.usage, false);
        Ok(true)
    }
}

/// Makes a bind group of resources in the order of their bindings.
pub fn bind_group<'a>(
    device: &Device,
    label: Option<&str>,
    layout: &wgpu::BindGroupLayout,
    resources: impl IntoIterator<Item = wgpu::BindingResource<'a>>,
) -> wgpu::BindGroup {
    let entries = resources.into_iter().zip(0..);
    let entries: Vec<_> = entries.map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource }).collect();
    device.device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries: &entries })
}

/// A part of a buffer: the buffer, the first byte and the number of bytes.
pub type BufferPart<'a> = (&'a wgpu::Buffer, u64, u64);

/// Copies parts of buffers one after the other into a new buffer, which the host can map.
pub fn copy_parts(device: &Device, parts: &[BufferPart<'_>]) -> wgpu::Buffer {
    let size = parts.iter().map(|part| part.2).sum();
    let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
    let target = create_buffer(device, "synchronize", size, usage, false);
    let mut encoder = device.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut end = 0;
    for &(source, offset, bytes) in parts.iter().filter(|part| part.2 > 0) {
        encoder.copy_buffer_to_buffer(source, offset, &target, end, bytes);
        end += bytes;
    }
    device.queue.submit([encoder.finish()]);
    device.count_read(size);
    target
}

/// Reads parts of buffers. Waits for the device.
///
/// # Errors
/// The device is lost, or no call may wait.
pub fn read(device: &Device, parts: &[BufferPart<'_>]) -> Result<Vec<u8>, String> {
    if parts.iter().all(|part| part.2 == 0) {
        return Ok(Vec::new());
    }
    if cfg!(target_arch = "wasm32") {
        return Err("a page may not wait for the device; it has to await `GpuBackend::fetch` before".into());
    }
    Device::checked(&device.device, || {
        let target = copy_parts(device, parts);
        let (sender, receiver) = std::sync::mpsc::channel();
        target.slice(..).map_async(wgpu::MapMode::Read, move |result| {
            // The receiver is gone where waiting has failed.
            let _ = sender.send(result);
        });
        device.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| error.to_string())?;
        // Another thread that polls the device may run the callback.
        match receiver.recv() {
            Ok(Ok(())) => Ok(target.slice(..).get_mapped_range().to_vec()),
            _ => Err("the device is lost".into()),
        }
    })
}

/// The owner of a buffer that host and device use alternately.
#[derive(Debug, Clone)]
pub struct BufferOwnership(Arc<AtomicU8>);

const WAITING: u8 = 0;
const MAPPED: u8 = 1;
const FAILED: u8 = 2;

impl BufferOwnership {
    /// Returns the ownership of a buffer that is mapped from the beginning.
    pub fn host_owned() -> Self {
        Self(Arc::new(AtomicU8::new(MAPPED)))
    }

    /// Gives the buffer to the device.
    pub fn release_to_device(&self) {
        self.0.store(WAITING, Ordering::Release);
    }

    /// Requests the buffer back for the time when the device has finished what was submitted.
    pub fn request_map(&self, buffer: &wgpu::Buffer, mode: wgpu::MapMode) {
        self.release_to_device();
        let ownership = self.clone();
        buffer.slice(..).map_async(mode, move |result| {
            ownership.0.store(if result.is_ok() { MAPPED } else { FAILED }, Ordering::Release);
        });
    }

    /// Returns whether the buffer is mapped again, or never will be.
    pub fn is_resolved(&self) -> bool {
        self.0.load(Ordering::Acquire) != WAITING
    }

    /// Returns whether the buffer is mapped.
    pub fn is_mapped(&self) -> bool {
        self.0.load(Ordering::Acquire) == MAPPED
    }
}
