//! What the GPU does is what the CPU does. Without an adapter these tests show as ignored; where the
//! environment variable `XPBD_REQUIRE_GPU` is set they fail instead.

mod active_particles;
mod after_contacts;
mod arithmetic;
mod bodies;
mod clusters;
mod custom;
mod device_loss;
mod devices;
mod direct;
mod fetch;
mod growth;
mod joints;
mod lent;
mod media;
mod memory;
mod numbers;
mod pairs;
mod parameter_evolution;
mod programs;
mod report;
mod shapes;
mod strayed;
mod supports;
mod surfaces;

use lent::Lent;
use libtest_mimic::{Arguments, Failed, Trial, run};
use xpbd_core::bodies::Bodies;
use xpbd_gpu::{DeviceError, GpuBackend};

/// A test, with a name that begins with its group.
type Test = (&'static str, fn() -> Result<(), Failed>);

fn main() {
    let adapter = GpuBackend::new().map(drop);
    let groups = [
        bodies::TESTS,
        pairs::TESTS,
        active_particles::TESTS,
        after_contacts::TESTS,
        arithmetic::TESTS,
        clusters::TESTS,
        custom::TESTS,
        device_loss::TESTS,
        devices::TESTS,
        direct::TESTS,
        fetch::TESTS,
        parameter_evolution::TESTS,
        growth::TESTS,
        joints::TESTS,
        media::TESTS,
        memory::TESTS,
        numbers::TESTS,
        programs::TESTS,
        report::TESTS,
        shapes::TESTS,
        strayed::TESTS,
        supports::TESTS,
        surfaces::TESTS,
    ];
    let tests = groups.into_iter().flatten().map(|test| trial(test, &adapter));
    run(&Arguments::from_args(), tests.collect()).exit();
}

fn trial(&(name, test): &Test, adapter: &Result<(), DeviceError>) -> Trial {
    match adapter {
        Ok(()) => Trial::test(name, test),
        Err(error) if std::env::var_os("XPBD_REQUIRE_GPU").is_some() => {
            let error = error.to_string();
            Trial::test(name, move || Err(error.into()))
        }
        Err(_) => Trial::test(name, || Ok(())).with_ignored_flag(true),
    }
}

/// Fails with `what` unless it holds.
fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(what().into()) }
}

/// Returns a back end on the adapter at hand.
fn backend() -> Result<Lent, Failed> {
    Lent::new()
}

/// Returns whether the device gives the bits of the CPU.
fn is_exact(gpu: &GpuBackend) -> bool {
    gpu.device().is_exact()
}

/// Whether two worlds are equal: to the last bit on a device that rounds like the CPU, elsewhere to
/// this part of a metre.
fn ensure_equal(
    gpu: &GpuBackend,
    a: &xpbd_core::world::World,
    b: &xpbd_core::world::World,
    tolerance: f32,
) -> Result<(), Failed> {
    let (x, y) = (&a.state().particles, &b.state().particles);
    let of_particles = (0..x.len()).map(|i| x.position(i).distance(y.position(i)));
    let (p, q) = (&a.state().bodies, &b.state().bodies);
    let place = |bodies: &Bodies, k| bodies.central_pose(k).translation;
    let of_bodies = (0..p.len()).map(|k| place(p, k).distance(place(q, k)));
    let worst = of_particles.chain(of_bodies).fold(0.0, f32::max);
    let equal = if is_exact(gpu) { a.state_hash() == b.state_hash() } else { worst <= tolerance };
    ensure(equal, || format!("positions differ by up to {worst:e} m"))
}
