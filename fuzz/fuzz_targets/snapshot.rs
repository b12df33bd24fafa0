//! Snapshots: those that can be restored are stepped.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_fuzz::{bounded, empty_world, with_checksum};

fuzz_target!(|payload: &[u8]| {
    let snapshot = with_checksum(payload);
    let mut world = empty_world();
    if bounded(snapshot.len(), 2000, || world.restore(&snapshot)).is_err() || world.settings().substeps > 20 {
        return;
    }
    world.snapshot().expect("what was restored can be saved");
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    for _ in 0..2 {
        world.step(&mut cpu, 1.0 / 60.0).ok();
    }
});
