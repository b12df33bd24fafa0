//! The back end: what a game makes once and steps worlds with.

mod advance;

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use xpbd_core::schedule::TracedPass;
use xpbd_core::world::{Backend, State, StepError, StepReport, World};

use crate::device::{Device, DeviceError};
use crate::device_world::DeviceWorld;
use crate::pipelines::Pipelines;
use crate::upload::Upload;
use crate::world_kernels::Kernels;

/// What comes back from the device without being asked for. A frame that waits for its end, since bodies in it
/// can collide or fall asleep, comes back in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Readback {
    /// Every frame, one or two frames late: queries and contact events lag by as much.
    #[default]
    EveryFrame,
    /// Nothing: queries tell of the last [`synchronize`](xpbd_core::world::World::synchronize), and
    /// there are no contact events. For worlds that are drawn from the device's buffers.
    OnRequest,
}

/// The particles of a world where they lie on the device, for shaders that draw or read them. Object
/// for object in the order of the world; the buffers stay until particles are added or removed.
#[derive(Debug, Clone, Copy)]
pub struct ParticleBuffers<'a> {
    /// Position \[m\] and inverse mass \[1/kg\], one vector a particle; may be a vertex buffer.
    pub positions: &'a wgpu::Buffer,
    /// Velocity \[m/s\], one vector a particle at the begin of the buffer; may be a vertex buffer.
    pub velocities: &'a wgpu::Buffer,
    /// How many particles there are.
    pub count: usize,
}

/// Steps worlds on a GPU. One back end may serve several worlds.
///
/// What a step reports beyond the plan, counts of contacts, times and frozen objects, is that of the
/// frames that have come back since the step before.
#[derive(Debug)]
pub struct GpuBackend {
    device: Device,
    pipelines: Pipelines,
    upload: Upload,
    kernels: Kernels,
    lost: Arc<AtomicBool>,
    readback: Readback,
    timed: bool,
    submissions: u64,
    dispatches: usize,
}

impl GpuBackend {
    /// Creates a back end on the fastest adapter at hand. Waits for the device.
    ///
    /// # Errors
    /// There is no adapter, or it gives no usable device.
    pub fn new() -> Result<Self, DeviceError> {
        pollster::block_on(Self::new_async())
    }

    /// The same without waiting, as the web demands.
    ///
    /// # Errors
    /// There is no adapter, or it gives no usable device.
    pub async fn new_async() -> Result<Self, DeviceError> {
        let device = Device::request().await?;
        let backend = Self::on(device)?;
        let lost = backend.lost.clone();
        backend.device.device.set_device_lost_callback(move |_, _| lost.store(true, Ordering::Release));
        Ok(backend)
    }

    /// Creates a back end on a device of the caller, such as a renderer's. Submissions go to its queue.
    ///
    /// # Errors
    /// The device refuses a kernel: it has less than the core limits of WebGPU.
    pub fn with_device(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self, DeviceError> {
        Self::on(Device::of(device, queue))
    }

    fn on(device: Device) -> Result<Self, DeviceError> {
        let mut pipelines = Pipelines::new(&device);
        let kernels = Kernels::new(&device, &mut pipelines);
        let name = device.adapter.as_ref().map_or("the caller's", |info| info.name.as_str()).to_string();
        let kernels = kernels.map_err(|reason| DeviceError::Refused { adapter: name, reason })?;
        let lost = Arc::new(AtomicBool::new(false));
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

    /// What comes back without being asked for.
    pub fn set_readback(&mut self, readback: Readback) {
        self.readback = readback;
    }

    /// Whether the device takes the time of each phase for the report of a step; what the host does
    /// counts as planning. Contacts with colliders and the prediction of the next substep are done
    /// together with velocities, and count as those; of a frame with surfaces all parts together count as
    /// contacts. Costs time itself, and a device without timestamps takes none.
    pub fn set_timing(&mut self, timed: bool) {
        self.timed = timed && self.device.has_timestamps();
    }

    /// Returns the device, its queue and its adapter.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the particles of a world that is on this back end's device, as of the frame submitted last:
    /// work submitted to the same queue from now on sees that frame.
    pub fn particles<'a>(&self, world: &'a World) -> Option<ParticleBuffers<'a>> {
        let residence: &dyn Any = world.state().device_state.as_deref()?;
        let home = residence.downcast_ref::<DeviceWorld>().filter(|home| Arc::ptr_eq(&home.lost, &self.lost))?;
        let (positions, velocities) = (&home.buffers.anchor.buffer, &home.buffers.motion.buffer);
        Some(ParticleBuffers { positions, velocities, count: home.particles })
    }

    /// Frames submitted so far, one submission each, but for those of surfaces, which have one more a substep.
    pub fn submissions(&self) -> u64 {
        self.submissions
    }

    /// Returns the bytes that were mapped for the host to read so far, of frames and on request.
    pub fn bytes_read(&self) -> u64 {
        self.device.bytes_read.load(Ordering::Relaxed)
    }

    /// Dispatches of the last frame.
    pub fn dispatches(&self) -> usize {
        self.dispatches
    }

    /// [`Backend::advance`], with `passes` that were made for this frame alone and are solved after those of
    /// the plan.
    ///
    /// # Errors
    /// As of [`Backend::advance`].
    pub fn advance_with_passes(
        &mut self,
        state: &mut State,
        passes: &[&TracedPass],
        dt: f32,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let mut home = self.device_world(state);
        let result = self.advance_frame(&mut home, state, passes, dt, report);
        // A frame that was broken off is the state of nobody.
        if result.is_ok() || !home.surfaces.are_there {
            state.device_state = Some(home);
        }
        result.map_err(|reason| {
            state.detach_from_device();
            StepError::Backend { name: self.name(), reason }
        })
    }
}

impl Backend for GpuBackend {
    fn name(&self) -> String {
        "gpu".into()
    }

    fn advance(&mut self, state: &mut State, dt: f32, report: &mut StepReport) -> Result<(), StepError> {
        self.advance_with_passes(state, &[], dt, report)
    }
}
