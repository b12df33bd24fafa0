//! A type without values, which stands for the GPU back end in a build without the feature `gpu`.

use thiserror::Error;
use xpbd_core::world::{Backend, State, StepError, StepReport};

use super::Adapter;

/// The build has no GPU back end.
#[derive(Debug, Error)]
#[error("this build of xpbd has no GPU back end; add `--features gpu` to the command of cargo")]
pub struct DeviceError;

/// The results that a device sends back without being asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readback {
    /// Everything, every frame.
    EveryFrame,
    /// Nothing.
    OnRequest,
}

/// A GPU back end, of which there is none.
#[derive(Debug)]
pub enum GpuBackend {}

impl GpuBackend {
    /// Fails.
    ///
    /// # Errors
    /// Always.
    pub fn new() -> Result<Self, DeviceError> {
        Err(DeviceError)
    }

    pub(super) fn set_readback(&mut self, _: Readback) {
        match *self {}
    }

    pub(super) fn set_timing(&mut self, _: bool) {
        match *self {}
    }

    pub(super) fn dispatches(&self) -> usize {
        match *self {}
    }
}

impl Backend for GpuBackend {
    fn name(&self) -> String {
        match *self {}
    }

    fn advance(&mut self, _: &mut State, _: f32, _: &mut StepReport) -> Result<(), StepError> {
        match *self {}
    }
}

/// Returns what is known of the adapter of a back end.
pub(super) fn adapter(gpu: &GpuBackend) -> Option<Adapter> {
    match *gpu {}
}
