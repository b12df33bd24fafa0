//! Shared parts of the tests: the adapter, and the comparison of two worlds.

use std::sync::{Mutex, PoisonError};

use examples::device::{BackendKind, Device, Stepper};
use glam::Vec3;
use libtest_mimic::Failed;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::World;

/// What a test says.
pub type Outcome = Result<(), Failed>;

/// A test that needs an adapter.
pub struct Test {
    pub name: String,
    /// True if it is left out unless asked for.
    pub is_long: bool,
    pub check: Box<dyn Fn(&Gpu) -> Outcome + Send>,
}

impl Test {
    pub fn new(name: impl Into<String>, check: impl Fn(&Gpu) -> Outcome + Send + 'static) -> Self {
        Self { name: name.into(), is_long: false, check: Box::new(check) }
    }
}

/// Devices that wait for a test: one for each test that runs at the same time, for a software device
/// has but one queue. Beside each how many it has served.
#[derive(Default)]
pub struct Pool(Mutex<Vec<(Gpu, u32)>>);

/// How many tests a device serves: what a software device has compiled for more would fill the memory.
const SERVES: u32 = 40;

impl Pool {
    /// Runs a test with a device that no other one uses meanwhile. A test that panics keeps it.
    pub fn lend(&self, test: impl FnOnce(&Gpu) -> Outcome) -> Outcome {
        let waiting = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = waiting().pop();
        let (gpu, served) = idle.map_or_else(|| Gpu::new().map(|gpu| (gpu, 0)), Ok)?;
        let outcome = test(&gpu);
        if served + 1 < SERVES {
            waiting().push((gpu, served + 1));
        }
        outcome
    }
}

/// An adapter to step on.
pub struct Gpu {
    pub device: Device,
    /// True if it says that it has the bits of the CPU.
    pub is_exact: bool,
}

impl Gpu {
    pub fn new() -> Result<Self, String> {
        let device = Device::new(BackendKind::Gpu, Threads::All).map_err(|error| error.to_string())?;
        let is_exact = device.stepper().adapter().is_some_and(|adapter| adapter.is_exact);
        Ok(Self { device, is_exact })
    }

    pub fn stepper(&self) -> Stepper {
        self.device.stepper()
    }

    /// Holds a world that was stepped on the adapter against its twin of the CPU: equal bits on a
    /// device that gives those of the CPU; elsewhere positions within `tolerance` of the size of the world.
    pub fn same(&self, what: &str, cpu: &World, gpu: &World, tolerance: f64) -> Outcome {
        if self.is_exact {
            return ensure(cpu.state_hash() == gpu.state_hash(), || {
                format!("{what}: the bits differ; {:e} of its size apart", apart(cpu, gpu))
            });
        }
        near(what, cpu, gpu, tolerance)
    }
}

/// Holds positions of two worlds against each other, within `tolerance` of their size.
pub fn near(what: &str, one: &World, other: &World, tolerance: f64) -> Outcome {
    let apart = apart(one, other);
    ensure(apart <= tolerance, || format!("{what}: {apart:e} of its size apart, not {tolerance:e}"))
}

/// Returns a back end of the CPU.
pub fn cpu() -> CpuBackend {
    CpuBackend::new(Threads::Exactly(1))
}

pub fn ensure(holds: bool, what: impl FnOnce() -> String) -> Outcome {
    if holds { Ok(()) } else { Err(what().into()) }
}

/// Returns the farthest that a particle or a body is from its twin, as a part of the size of the world.
fn apart(one: &World, other: &World) -> f64 {
    let pairs = anchors(one).zip(anchors(other));
    let farthest = pairs.map(|(a, b)| f64::from(a.distance(b)));
    // A distance that is not a number is the largest.
    farthest.fold(0.0, |farthest, d| if d <= farthest { farthest } else { d }) / size(one)
}

/// Returns where particles and bodies are \[m\].
fn anchors(world: &World) -> impl Iterator<Item = Vec3> {
    let state = world.state();
    state.particles.anchor.iter().chain(&state.bodies.anchor).map(|anchor| anchor.truncate())
}

/// Diagonal of the box around all particles and bodies \[m\], at least 10 cm.
pub fn size(world: &World) -> f64 {
    let (low, high) = (anchors(world).reduce(|a, b| a.min(b)), anchors(world).reduce(|a, b| a.max(b)));
    low.zip(high).map_or(0.0, |(low, high)| f64::from(low.distance(high))).max(0.1)
}
