//! The GPU back end compared with the CPU: scenes, validation, edits, faults.
//!
//! On a device that says so the bits are equal; another one may fuse and reorder, and is held to tolerances.
//! Without an adapter the tests show as ignored, unless `XPBD_REQUIRE_GPU` is set: then they fail.

mod edits;
mod faults;
mod methods;
mod rows;
mod scenes;
mod stage;
mod support;
mod switching;

use std::sync::Arc;

use libtest_mimic::{Arguments, Trial, run};
use support::{Pool, Test};

fn main() {
    let arguments = Arguments::from_args();
    let required = std::env::var_os("XPBD_REQUIRE_GPU").is_some();
    let pool = Arc::new(Pool::default());
    let absent = pool.lend(|_| Ok(())).is_err() && !required;
    let tests = [scenes::tests(), methods::tests(), switching::tests(), edits::tests(), faults::tests(), rows::tests()];
    let trials = tests.into_iter().flatten().map(|Test { name, is_long, check }| {
        let pool = pool.clone();
        Trial::test(name, move || pool.lend(check)).with_ignored_flag(absent || is_long)
    });
    run(&arguments, trials.collect()).exit();
}
