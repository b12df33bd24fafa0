//! Buffers that grow, and buffers that host and device use alternately.

use std::future::{Future, poll_fn};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

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
            return Err(format!(
                "the buffer `{}` needs {size} bytes, and the device binds at most {most} at once: make the world smaller, or \
                 step it on another device or on the CPU",
                self.label
            ));
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

/// The owner of a buffer that host and device use alternately.
#[derive(Debug, Clone)]
pub struct BufferOwnership(Arc<Mutex<Owner>>);

#[derive(Debug)]
enum Owner {
    /// The host, which has it mapped.
    Host,
    /// The device, and who is to be told when this ends.
    Device(Vec<Waker>),
    /// Nobody, since the device is lost.
    Nobody,
}

impl BufferOwnership {
    /// Returns the ownership of a buffer that is mapped from the beginning.
    pub fn host_owned() -> Self {
        Self(Arc::new(Mutex::new(Owner::Host)))
    }

    /// Returns the owner. A panic elsewhere leaves nothing half done.
    fn owner(&self) -> MutexGuard<'_, Owner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the buffer to the device.
    pub fn release_to_device(&self) {
        *self.owner() = Owner::Device(Vec::new());
    }

    /// Requests the buffer back for the time when the device has finished what was submitted.
    pub fn request_map(&self, buffer: &wgpu::Buffer, mode: wgpu::MapMode) {
        self.release_to_device();
        let ownership = self.clone();
        buffer.slice(..).map_async(mode, move |result| {
            let owner = if result.is_ok() { Owner::Host } else { Owner::Nobody };
            let before = mem::replace(&mut *ownership.owner(), owner);
            if let Owner::Device(wakers) = before {
                wakers.into_iter().for_each(Waker::wake);
            }
        });
    }

    /// Returns whether the buffer is mapped again, or never will be.
    pub fn is_resolved(&self) -> bool {
        !matches!(*self.owner(), Owner::Device(_))
    }

    /// Returns whether the buffer is mapped.
    pub fn is_mapped(&self) -> bool {
        matches!(*self.owner(), Owner::Host)
    }

    /// Returns a future that ends when the buffer is mapped again, or never will be.
    pub fn resolved(self) -> impl Future<Output = ()> + use<> {
        poll_fn(move |context| match &mut *self.owner() {
            Owner::Device(wakers) => {
                wakers.push(context.waker().clone());
                Poll::Pending
            }
            Owner::Host | Owner::Nobody => Poll::Ready(()),
        })
    }
}
