//! Devices that step worlds: the cores of the CPU, or a graphics adapter.
//!
//! A [`Device`] is made once, which for an adapter takes a while, and shared by everything that
//! steps; each world, or row of worlds, takes a [`Stepper`] of its own from it.

#[cfg(feature = "gpu")]
mod adapter;
#[cfg(not(feature = "gpu"))]
#[path = "device/no_adapter.rs"]
mod adapter;

pub use adapter::{DeviceError, GpuBackend, Readback};

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clap::ValueEnum;
use serde::Serialize;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{Backend, State, StepError, StepReport};

/// The back ends by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BackendKind {
    /// The cores of this machine.
    Cpu,
    /// A graphics adapter.
    Gpu,
}

/// The device that steppers are created from.
#[derive(Debug, Clone)]
pub enum Device {
    /// This many cores.
    Cpu(Threads),
    /// An adapter, whose kernels all steppers share.
    Gpu(SharedGpuBackend),
}

/// A back end on an adapter that several steppers use in turn.
pub type SharedGpuBackend = Arc<Mutex<GpuBackend>>;

/// Either back end.
pub enum Stepper {
    /// On cores.
    Cpu(Box<CpuBackend>),
    /// On an adapter.
    Gpu(SharedGpuBackend),
}

/// Returns the back end behind a lock. A panic elsewhere while it was held leaves nothing half done: what it
/// keeps is made anew when a world asks for it.
fn lock_backend(shared: &SharedGpuBackend) -> MutexGuard<'_, GpuBackend> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Device {
    /// The device of a back end. `threads` are those of the CPU; an adapter has no use for them.
    ///
    /// # Errors
    /// There is no adapter, or it gives no usable device.
    pub fn new(name: BackendKind, threads: Threads) -> Result<Self, DeviceError> {
        Ok(match name {
            BackendKind::Cpu => Self::Cpu(threads),
            BackendKind::Gpu => Self::Gpu(Arc::new(Mutex::new(GpuBackend::new()?))),
        })
    }

    /// Returns a back end for one world or several.
    pub fn stepper(&self) -> Stepper {
        match self {
            Self::Cpu(threads) => Stepper::Cpu(Box::new(CpuBackend::new(*threads))),
            Self::Gpu(shared) => Stepper::Gpu(shared.clone()),
        }
    }
}

impl Stepper {
    /// Returns the threads that step; for an adapter the one that feeds it.
    pub fn threads(&self) -> usize {
        match self {
            Self::Cpu(cpu) => cpu.threads(),
            Self::Gpu(_) => 1,
        }
    }

    /// Returns what is known of the adapter, if there is one.
    pub fn adapter(&self) -> Option<Adapter> {
        let Self::Gpu(shared) = self else { return None };
        adapter::adapter(&lock_backend(shared))
    }

    /// Says what comes back from the adapter without being asked for; cores hold everything already.
    pub fn set_readback(&self, readback: Readback) {
        if let Self::Gpu(shared) = self {
            lock_backend(shared).set_readback(readback);
        }
    }

    /// Turns the timing of phases on the adapter on or off; the CPU always measures them.
    pub fn set_timed(&self, timed: bool) {
        if let Self::Gpu(shared) = self {
            lock_backend(shared).set_timing(timed);
        }
    }

    /// Dispatches of the last frame; none on cores.
    pub fn dispatches(&self) -> usize {
        match self {
            Self::Cpu(_) => 0,
            Self::Gpu(shared) => lock_backend(shared).dispatches(),
        }
    }
}

/// Name and driver of an adapter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Adapter {
    /// Name of the adapter.
    pub name: String,
    /// Name and version of the driver.
    pub driver: String,
    /// True if it gives the bits of the CPU.
    pub is_exact: bool,
}

impl Backend for Stepper {
    fn name(&self) -> String {
        match self {
            Self::Cpu(cpu) => cpu.name(),
            Self::Gpu(shared) => lock_backend(shared).name(),
        }
    }

    fn advance(&mut self, state: &mut State, dt: f32, report: &mut StepReport) -> Result<(), StepError> {
        match self {
            Self::Cpu(cpu) => cpu.advance(state, dt, report),
            Self::Gpu(shared) => lock_backend(shared).advance(state, dt, report),
        }
    }
}
