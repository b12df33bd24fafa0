//! The back end, which a game makes once and steps worlds with.

mod advance;

use std::any::Any;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use xpbd_core::schedule::TracedPass;
use xpbd_core::world::{Backend, State, StepError, StepReport, World};

use crate::device::{Device, DeviceError, MAY_BLOCK, wait_for};
use crate::device_world::{DeviceWorld, NOT_FETCHED};
use crate::pipelines::Pipelines;
use crate::upload::Upload;
use crate::world_kernels::WorldKernels;

/// Readback of results without a request. A frame that waits for its end, because bodies in it can collide or anything can
/// fall asleep or wake, comes back in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Readback {
    /// Every frame comes back, one or two frames late: queries and contact events lag by as much.
    #[default]
    EveryFrame,
    /// Nothing comes back: queries see the last [`synchronize`](xpbd_core::world::World::synchronize), and there are no
    /// contact events. This is for worlds that are drawn from the device's buffers.
    OnRequest,
}

/// The particles of a world on the device, for shaders that draw or read them. They are in the order of the world's
/// objects. The buffers stay until particles are added or removed.
#[derive(Debug, Clone, Copy)]
pub struct ParticleBuffers<'a> {
    /// Positions \[m\] and inverse masses \[1/kg\], one vector a particle; usable as a vertex buffer.
    pub positions: &'a wgpu::Buffer,
    /// Velocities \[m/s\], one vector a particle at the start of the buffer; usable as a vertex buffer.
    pub velocities: &'a wgpu::Buffer,
    /// Number of particles.
    pub count: usize,
}

/// A back end that steps worlds on a GPU. One back end may serve several worlds.
///
/// Counts of contacts, times and frozen objects in the report of a step are those of the frames that have come back
/// since the previous step.
#[derive(Debug)]
pub struct GpuBackend {
    device: Device,
    pipelines: Pipelines,
    upload: Upload,
    kernels: WorldKernels,
    /// Why the device can no longer be used, if so.
    lost: Arc<OnceLock<String>>,
    readback: Readback,
    timed: bool,
    submissions: u64,
    dispatches: usize,
}

impl GpuBackend {
    /// Makes a back end on the fastest adapter, and waits for the device.
    ///
    /// # Errors
    /// There is no adapter, or it gives no usable device.
    pub fn new() -> Result<Self, DeviceError> {
        pollster::block_on(Self::new_async())
    }

    /// Makes a back end on the fastest adapter without waiting for the adapter, as the web demands. Elsewhere it waits, for a
    /// moment, until the device has shown how it computes.
    ///
    /// # Errors
    /// There is no adapter, or it gives no usable device.
    pub async fn new_async() -> Result<Self, DeviceError> {
        let device = Device::request().await?;
        let backend = Self::on(device)?;
        let lost = backend.lost.clone();
        // What was lost first is the reason.
        backend.device.device.set_device_lost_callback(move |_, _| drop(lost.set("the device is lost".into())));
        // On the web a device refuses a kernel or a buffer later, and what was computed with it is worthless.
        #[cfg(target_arch = "wasm32")]
        {
            let lost = backend.lost.clone();
            let refused =
                move |error: wgpu::Error| drop(lost.set(format!("the device has refused something: {error}")));
            backend.device.device.on_uncaptured_error(Arc::new(refused));
        }
        Ok(backend)
    }

    /// Makes a back end on a device of the caller, such as a renderer's. Submissions go to its queue. If the device has the
    /// feature `PASSTHROUGH_SHADERS`, this waits until it has shown how it computes.
    ///
    /// # Errors
    /// The device refuses a kernel because it has less than the core limits of WebGPU.
    pub fn with_device(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self, DeviceError> {
        Self::on(Device::of(device, queue))
    }

    fn on(device: Device) -> Result<Self, DeviceError> {
        let mut pipelines = Pipelines::new(&device);
        let kernels = WorldKernels::new(&device, &mut pipelines);
        let name = device.adapter.as_ref().map_or("the caller's", |info| info.name.as_str()).to_string();
        let kernels = kernels.map_err(|reason| DeviceError::Refused { adapter: name, reason })?;
        let lost = Arc::new(OnceLock::new());
        Ok(Self {
            device,
            pipelines,
            upload: Upload::default(),
            kernels,
            lost,
            readback: Readback::EveryFrame,
            timed: false,
            submissions: 0,
            dispatches: 0,
        })
    }

    /// Sets which results come back without a request.
    pub fn set_readback(&mut self, readback: Readback) {
        self.readback = readback;
    }

    /// Sets whether the device measures the time of each phase for the report of a step; work of the host counts as
    /// planning. Contacts with colliders and the prediction of the next substep run together with velocities, and count as
    /// those. All of a frame with surfaces counts as contacts. Measuring takes time itself, and a device without timestamps
    /// measures nothing.
    pub fn set_timing(&mut self, timed: bool) {
        self.timed = timed && self.device.has_timestamps();
    }

    /// Returns the device, its queue and its adapter.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the particles of a world that is on this back end's device, as of the last frame submitted: work submitted to
    /// the same queue from now on sees that frame.
    pub fn particles<'a>(&self, world: &'a World) -> Option<ParticleBuffers<'a>> {
        let on_device = self.resident(world)?;
        let (positions, velocities) = (&on_device.buffers.anchor.buffer, &on_device.buffers.motion.buffer);
        Some(ParticleBuffers { positions, velocities, count: on_device.counts.particles })
    }

    /// Requests all that [`World::synchronize`] brings up to date of a world, and returns a future that ends when it has come.
    /// Until the next step neither `synchronize` nor an edit then waits, as the web demands. Elsewhere this waits itself. If
    /// the device is lost, the future ends, and `synchronize` says so.
    pub fn fetch(&self, world: &World) -> impl Future<Output = ()> + use<> {
        let arrival = self.resident(world).map(DeviceWorld::fetch);
        async move {
            if let Some(arrival) = arrival {
                arrival.await;
            }
        }
    }

    /// Returns the device world of a world that is on this back end's device.
    fn resident<'a>(&self, world: &'a World) -> Option<&'a DeviceWorld> {
        let device_state: &dyn Any = world.state().device_state.as_deref()?;
        device_state.downcast_ref::<DeviceWorld>().filter(|found| Arc::ptr_eq(&found.lost, &self.lost))
    }

    /// Returns the number of submissions so far: one a frame, and one more a substep where surfaces collide.
    pub fn submissions(&self) -> u64 {
        self.submissions
    }

    /// Returns the number of bytes that were mapped so far for the host to read, of frames and on request.
    pub fn bytes_read(&self) -> u64 {
        self.device.bytes_read.load(Ordering::Relaxed)
    }

    /// Returns the number of dispatches of the last frame.
    pub fn dispatches(&self) -> usize {
        self.dispatches
    }

    /// Advances a world as [`Backend::advance`] does, and solves `passes` of this frame alone after those of the plan.
    ///
    /// # Errors
    /// The device is lost, or refuses a kernel or a buffer.
    pub fn advance_with_passes(
        &mut self,
        state: &mut State,
        passes: &[&TracedPass],
        dt: f32,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let name = self.name();
        let result = wait_for(self.advance_frame(state, passes, dt, report, MAY_BLOCK));
        // What a page has to await, the frame has refused before, or the page has not.
        result.unwrap_or_else(|| Err(StepError::Backend { name, reason: NOT_FETCHED.into() }))
    }
}

impl Backend for GpuBackend {
    fn name(&self) -> String {
        "gpu".into()
    }

    fn advance(&mut self, state: &mut State, dt: f32, report: &mut StepReport) -> Result<(), StepError> {
        self.advance_with_passes(state, &[], dt, report)
    }

    #[cfg(target_arch = "wasm32")]
    async fn advance_async(&mut self, state: &mut State, dt: f32, report: &mut StepReport) -> Result<(), StepError> {
        self.advance_frame(state, &[], dt, report, true).await
    }
}
