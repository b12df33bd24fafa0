//! Back ends that tests use one after the other, so that kernels are not compiled for each of them anew.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};
use std::thread;

use libtest_mimic::Failed;
use xpbd_core::world::{Backend, State, StepError, StepReport};
use xpbd_gpu::{GpuBackend, Readback};

/// Back ends that wait for a test, each with how many it has served.
static IDLE: Mutex<Vec<(GpuBackend, u32)>> = Mutex::new(Vec::new());

/// The most tests that a back end serves: what a software device has compiled for more would fill the memory.
const SERVES: u32 = 40;

/// A back end that no other test uses meanwhile. It waits for the next test when it is dropped, unless this one panics.
pub struct Lent(Option<(GpuBackend, u32)>);

impl Lent {
    /// Lends a back end on the adapter at hand.
    pub fn new() -> Result<Self, Failed> {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Ok(Self(Some(idle.map_or_else(|| GpuBackend::new().map(|gpu| (gpu, 0)), Ok)?)))
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some((mut gpu, served)) = self.0.take().filter(|&(_, served)| served < SERVES && !thread::panicking()) {
            gpu.set_readback(Readback::default());
            IDLE.lock().unwrap_or_else(PoisonError::into_inner).push((gpu, served + 1));
        }
    }
}

impl Deref for Lent {
    type Target = GpuBackend;

    fn deref(&self) -> &GpuBackend {
        &self.0.as_ref().expect("it is there until it is dropped").0
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut GpuBackend {
        &mut self.0.as_mut().expect("it is there until it is dropped").0
    }
}

impl Backend for Lent {
    fn name(&self) -> String {
        (**self).name()
    }

    fn advance(&mut self, state: &mut State, dt: f32, report: &mut StepReport) -> Result<(), StepError> {
        (**self).advance(state, dt, report)
    }
}
