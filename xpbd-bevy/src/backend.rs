//! What the world is stepped on.

use bevy::prelude::*;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{Backend, State, StepError, StepReport};

/// The kind of back end that steps the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Reflect)]
pub enum BackendKind {
    /// Runs on all cores of the processor.
    #[default]
    Cpu,
    /// The renderer's GPU; all cores where there is none.
    #[cfg(feature = "gpu")]
    Gpu,
}

/// The data that comes back from the GPU without being asked for.
///
/// Meshes and particles are drawn from where they are on the GPU. What else an app learns of the world comes from the
/// CPU's copy of it.
#[cfg(feature = "gpu")]
#[derive(Resource, Debug, Clone, Copy, PartialEq, Eq, Default, Reflect)]
#[reflect(Resource, Debug, Default, PartialEq)]
pub enum GpuReadback {
    /// All results return a step or two late.
    #[default]
    Late,
    /// Nothing, for apps that only draw: there are no messages of contacts with particles, and queries, attached
    /// bodies apart, tell of the last [`synchronize`](xpbd_core::world::World::synchronize). Skins of clusters are
    /// placed by the CPU and stand still. A world with bodies that collide comes back in any case.
    OnRequest,
}

/// A back end.
pub(crate) enum ActiveBackend {
    Cpu(Box<CpuBackend>),
    #[cfg(feature = "gpu")]
    Gpu(Box<xpbd_gpu::GpuBackend>),
}

impl ActiveBackend {
    pub fn cpu() -> Self {
        Self::Cpu(Box::default())
    }

    /// Creates a back end on the device of the renderer; none without a renderer, or if its device does not do.
    #[cfg(feature = "gpu")]
    pub fn gpu(world: &World) -> Option<Self> {
        use bevy::render::renderer::{RenderDevice, RenderQueue};

        let (Some(device), Some(queue)) = (world.get_resource::<RenderDevice>(), world.get_resource::<RenderQueue>())
        else {
            warn!("there is no renderer whose GPU physics could use; it runs on the CPU");
            return None;
        };
        match xpbd_gpu::GpuBackend::with_device(device.wgpu_device().clone(), (**queue.0).clone()) {
            Ok(backend) => Some(Self::Gpu(Box::new(backend))),
            Err(error) => {
                warn!("physics runs on the CPU: {error}");
                None
            }
        }
    }

    pub fn is_gpu(&self) -> bool {
        !matches!(self, Self::Cpu(_))
    }
}

impl Backend for ActiveBackend {
    fn name(&self) -> String {
        match self {
            Self::Cpu(backend) => backend.name(),
            #[cfg(feature = "gpu")]
            Self::Gpu(backend) => backend.name(),
        }
    }

    fn advance(&mut self, state: &mut State, dt: f32, report: &mut StepReport) -> Result<(), StepError> {
        match self {
            Self::Cpu(backend) => backend.advance(state, dt, report),
            #[cfg(feature = "gpu")]
            Self::Gpu(backend) => backend.advance(state, dt, report),
        }
    }
}
