//! The device on which worlds are stepped: one of the back end, or the caller's.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

use thiserror::Error;

use crate::exact::{Arithmetic, Probe};

/// False in a page, where no call may wait for the device.
pub const MAY_BLOCK: bool = !cfg!(target_arch = "wasm32");

/// Waits for a future whose end the device brings about. In a page it returns `None` unless the future ends at once.
pub fn wait_for<R>(future: impl Future<Output = R>) -> Option<R> {
    if MAY_BLOCK {
        return Some(pollster::block_on(future));
    }
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => None,
    }
}

/// Reasons why a device cannot be had.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum DeviceError {
    /// No adapter was found.
    #[error(
        "no graphics adapter was found ({0}); install a Vulkan driver (on Debian and Ubuntu `mesa-vulkan-drivers` has \
         drivers for many GPUs and a software device), or step on the CPU"
    )]
    NoAdapter(String),
    /// The adapter gives no device.
    #[error("the adapter `{adapter}` gives no device: {reason}")]
    Refused {
        /// Name of the adapter.
        adapter: String,
        /// Message of the adapter.
        reason: String,
    },
}

/// A device, its queue and its adapter.
#[derive(Debug, Clone)]
pub struct Device {
    /// The device of wgpu, which makes buffers and pipelines.
    pub device: wgpu::Device,
    /// The queue of wgpu, which takes submissions.
    pub queue: wgpu::Queue,
    /// The adapter, if it is known.
    pub adapter: Option<wgpu::AdapterInfo>,
    /// The arithmetic of kernels.
    pub(crate) arithmetic: Arithmetic,
    /// Bytes that the host has asked to read; shared by all clones.
    pub(crate) bytes_read: Arc<AtomicU64>,
}

/// Features that are used where they exist, to measure phases and to have arithmetic executed as written.
const WANTED: wgpu::Features = wgpu::Features::TIMESTAMP_QUERY.union(wgpu::Features::PASSTHROUGH_SHADERS);

impl Device {
    /// Requests a device of the fastest adapter.
    ///
    /// # Errors
    /// There is no adapter, or it gives no device.
    pub async fn request() -> Result<Self, DeviceError> {
        let mut description = wgpu::InstanceDescriptor::new_without_display_handle();
        description.backends = wgpu::Backends::from_env().unwrap_or(wgpu::Backends::all());
        let instance = wgpu::Instance::new(description);
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..wgpu::RequestAdapterOptions::default()
        };
        let adapter =
            instance.request_adapter(&options).await.map_err(|error| DeviceError::NoAdapter(error.to_string()))?;
        let offered = adapter.limits();
        let limits = wgpu::Limits {
            max_buffer_size: offered.max_buffer_size,
            max_storage_buffer_binding_size: offered.max_storage_buffer_binding_size,
            max_compute_invocations_per_workgroup: offered.max_compute_invocations_per_workgroup,
            max_compute_workgroup_size_x: offered.max_compute_workgroup_size_x,
            ..wgpu::Limits::default()
        };
        let request = wgpu::DeviceDescriptor {
            label: Some("xpbd"),
            required_features: adapter.features() & WANTED,
            required_limits: limits,
            ..wgpu::DeviceDescriptor::default()
        };
        let info = adapter.get_info();
        let refused = |error: wgpu::RequestDeviceError| DeviceError::Refused {
            adapter: info.name.clone(),
            reason: error.to_string(),
        };
        let (device, queue) = adapter.request_device(&request).await.map_err(refused)?;
        Ok(Self { adapter: Some(info), ..Self::of(device, queue) })
    }

    /// Takes a device of the caller, and waits until it has shown how it computes.
    pub fn of(device: wgpu::Device, queue: wgpu::Queue) -> Self {
        let arithmetic = Arithmetic::of(&device, &queue);
        Self { device, queue, adapter: None, arithmetic, bytes_read: Arc::default() }
    }

    /// Makes a shader module of which `entry` is used.
    ///
    /// # Errors
    /// The text is not valid WGSL.
    #[doc(hidden)]
    pub fn module(&self, text: &str, entry: &str) -> Result<wgpu::ShaderModule, String> {
        self.arithmetic.module(&self.device, text, entry)
    }

    /// Compiles a kernel that shows whether the device computes as the CPU does, if it has all that is needed for it.
    ///
    /// # Errors
    /// The device refuses the kernel.
    #[doc(hidden)]
    pub fn probe(&self) -> Result<Option<Probe<'_>>, String> {
        let probe = || Probe::new(&self.device, &self.queue, self.arithmetic);
        self.arithmetic.should_be_exact().then(probe).transpose()
    }

    /// Counts bytes that are read back.
    pub(crate) fn count_read(&self, bytes: u64) {
        self.bytes_read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns whether the device computes as the CPU does, as some thousand sums, products, quotients and square roots have
    /// shown when the back end was made. Results then have the bits of the CPU, except those of media, and except where a device
    /// that compares numbers below 1.2 · 10⁻³⁸, or takes their lesser or greater, takes them for zero.
    pub fn is_exact(&self) -> bool {
        self.arithmetic.is_exact()
    }

    /// Returns whether the adapter is known to be a software device, which computes on the cores of the CPU.
    pub fn is_software(&self) -> bool {
        self.adapter.as_ref().is_some_and(|info| info.device_type == wgpu::DeviceType::Cpu)
    }

    /// Returns the greatest size of a buffer of a kernel \[bytes\].
    pub fn max_buffer_size(&self) -> u64 {
        let limits = self.device.limits();
        limits.max_buffer_size.min(limits.max_storage_buffer_binding_size)
    }

    /// Returns the greatest number of threads of a workgroup.
    pub fn max_workgroup_size(&self) -> u32 {
        let limits = self.device.limits();
        limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x)
    }

    /// Returns whether phases can be measured.
    pub fn has_timestamps(&self) -> bool {
        self.device.features().contains(wgpu::Features::TIMESTAMP_QUERY)
    }
}

/// Work in which a device may refuse what is made on it: because it is lost, or has no memory left.
pub struct CheckedWork(Option<[wgpu::ErrorScopeGuard; 2]>);

impl CheckedWork {
    /// Begins such work.
    pub fn begin(device: &wgpu::Device) -> Self {
        let kinds = [wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::OutOfMemory];
        // In a page nothing may wait: a step that follows says what was refused.
        Self(MAY_BLOCK.then(|| kinds.map(|kind| device.push_error_scope(kind))))
    }

    /// Ends the work with its result.
    ///
    /// # Errors
    /// That of the work, or what the device has refused.
    pub fn end<R>(self, result: Result<R, String>) -> Result<R, String> {
        let Some([validation, memory]) = self.0 else { return result };
        // The scope that was pushed last is the first to end.
        let [memory, validation] = [memory, validation].map(|scope| pollster::block_on(scope.pop()));
        match (memory, validation) {
            // What could not be made is refused wherever it is used.
            (Some(error), _) => Err(format!("the device has no memory left for what a world needs there ({error})")),
            (None, Some(error)) => result.and_then(|_| Err(error.to_string())),
            (None, None) => result,
        }
    }
}
