//! The pairs that the GPU finds are those that the CPU finds.

mod case;
mod cases;
mod contracts;
mod gpu;

use std::sync::OnceLock;

pub use case::Random;
use gpu::Gpu;
use libtest_mimic::Failed;

use crate::Test;

/// Runs a test on a device that all share.
macro_rules! on_device {
    ($($name:literal: $test:path,)*) => {
        &[$((concat!("pairs::", $name), || $test(device()?))),*]
    };
}

pub const TESTS: &[Test] = on_device![
    "clouds": cases::clouds,
    "a_dense_heap": cases::dense_heap,
    "all_in_one_point": cases::one_point,
    "crowds_keep_the_nearest": cases::crowds,
    "far_from_each_other_and_from_the_origin": cases::far,
    "the_reach_decides_nothing": cases::lattice_far_away,
    "fast_movers": cases::fast,
    "numbers_that_are_not_finite": cases::not_finite,
    "shared_buckets": cases::shared_buckets,
    "filters_and_pins": cases::filters,
    "the_rest_shape": cases::rest_shape,
    "frozen_objects": cases::frozen,
    "hardly_any_particles": cases::few,
    "lists_that_do_not_fit": contracts::overflow,
    "long_scans": contracts::long_scans,
    "little_memory": contracts::little_memory,
    "the_same_from_run_to_run": contracts::repeatable,
    "a_hundred_thousand": contracts::many,
];

fn device() -> Result<&'static Gpu, Failed> {
    static DEVICE: OnceLock<Option<Gpu>> = OnceLock::new();
    DEVICE.get_or_init(Gpu::new).as_ref().ok_or_else(|| "the adapter gives no device".into())
}
