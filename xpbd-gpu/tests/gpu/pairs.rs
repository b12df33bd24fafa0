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

/// Runs a test on a device that all tests share.
macro_rules! on_device {
    ($($name:literal: $test:path,)*) => {
        &[$((concat!("pairs::", $name), || $test(device()?))),*]
    };
}

pub const TESTS: &[Test] = on_device![
    "clouds_give_the_pairs_of_the_cpu": cases::clouds,
    "a_dense_heap_gives_the_pairs_of_the_cpu": cases::dense_heap,
    "particles_at_one_point_give_the_pairs_of_the_cpu": cases::one_point,
    "crowded_particles_keep_the_nearest_partners": cases::crowds,
    "distant_particles_give_the_pairs_of_the_cpu": cases::far,
    "pairs_far_from_the_origin_do_not_depend_on_the_reach": cases::lattice_far_away,
    "fast_particles_give_the_pairs_of_the_cpu": cases::fast,
    "particles_that_are_not_finite_have_no_partners": cases::not_finite,
    "cells_that_share_buckets_give_the_pairs_of_the_cpu": cases::shared_buckets,
    "layers_and_pins_exclude_pairs_as_on_the_cpu": cases::filters,
    "particles_near_in_the_rest_shape_are_no_pairs": cases::rest_shape,
    "frozen_objects_have_no_partners": cases::frozen,
    "few_particles_give_the_pairs_of_the_cpu": cases::few,
    "lists_that_do_not_fit_are_cut_and_grow": contracts::overflow,
    "scans_of_many_blocks_add_up": contracts::long_scans,
    "a_device_with_little_memory_gives_the_pairs_of_the_cpu": contracts::little_memory,
    "lists_are_the_same_from_run_to_run": contracts::repeatable,
    "a_hundred_thousand_particles_give_the_pairs_of_the_cpu": contracts::many,
];

fn device() -> Result<&'static Gpu, Failed> {
    static DEVICE: OnceLock<Option<Gpu>> = OnceLock::new();
    DEVICE.get_or_init(Gpu::new).as_ref().ok_or_else(|| "the adapter gives no device".into())
}
