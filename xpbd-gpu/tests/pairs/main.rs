//! The pairs that the GPU finds are those that the CPU finds; ignored where there is no adapter.

mod case;
mod cases;
mod gpu;
mod promises;

use std::sync::Arc;

use gpu::Gpu;
use libtest_mimic::{Arguments, Failed, Trial, run};

/// A test on a device.
type Test = fn(&Gpu) -> Result<(), Failed>;

fn main() {
    let tests: [(&str, Test); 18] = [
        ("clouds", cases::clouds),
        ("a_dense_heap", cases::dense_heap),
        ("all_in_one_point", cases::one_point),
        ("crowds_keep_the_nearest", cases::crowds),
        ("far_from_each_other_and_from_the_origin", cases::far),
        ("the_reach_decides_nothing", cases::lattice_far_away),
        ("fast_movers", cases::fast),
        ("numbers_that_are_not_finite", cases::not_finite),
        ("shared_buckets", cases::shared_buckets),
        ("filters_and_pins", cases::filters),
        ("the_rest_shape", cases::rest_shape),
        ("frozen_objects", cases::frozen),
        ("hardly_any_particles", cases::few),
        ("lists_that_do_not_fit", promises::overflow),
        ("long_scans", promises::long_scans),
        ("little_memory", promises::little_memory),
        ("the_same_from_run_to_run", promises::repeatable),
        ("a_hundred_thousand", promises::many),
    ];
    let gpu = Gpu::new().map(Arc::new);
    let trial = |(name, test): (&str, Test)| match gpu.clone() {
        Some(gpu) => Trial::test(name, move || test(&gpu)),
        None => Trial::test(name, || Ok(())).with_ignored_flag(true),
    };
    run(&Arguments::from_args(), tests.into_iter().map(trial).collect()).exit();
}

/// Fails with `what` unless it holds.
fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(what().into()) }
}
