//! What is drawn, on a software device as on any other. With `XPBD_PICTURES` set to a folder, pictures are written
//! there; what takes long, and measurements, are run with `--ignored`.
//!
//! Without an adapter the tests show as ignored, unless `XPBD_REQUIRE_GPU` is set: then they fail.

#![expect(clippy::duplicate_mod, reason = "each demo is a program with a stage of its own")]

mod cpu;
mod demos;
mod fluid_surface;
mod gpu;
#[path = "../support/grains.rs"]
mod grains;
mod studio;

use libtest_mimic::{Arguments, Failed, Trial, run};
use xpbd_gpu::GpuBackend;

/// A test.
type Test = (&'static str, fn() -> Result<(), Failed>);

fn main() {
    let mut arguments = Arguments::from_args();
    // Each test has a renderer of its own, with its memory and threads.
    arguments.test_threads = arguments.test_threads.or(Some(2));
    let adapter = GpuBackend::new().map(drop).map_err(|error| error.to_string());
    let required = std::env::var_os("XPBD_REQUIRE_GPU").is_some();
    let trial = |&(name, test): &Test| match adapter.clone() {
        Err(error) if required => Trial::test(name, move || Err(error.into())),
        adapter => Trial::test(name, test).with_ignored_flag(adapter.is_err()),
    };
    let tests = [cpu::TESTS, fluid_surface::TESTS, gpu::TESTS, demos::TESTS];
    let left_out = [cpu::MEASUREMENTS, fluid_surface::MEASUREMENTS, demos::LONG]
        .into_iter()
        .flatten()
        .map(|test| trial(test).with_ignored_flag(true));
    run(&arguments, tests.into_iter().flatten().map(trial).chain(left_out).collect()).exit();
}
