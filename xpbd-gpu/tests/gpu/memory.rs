//! A frame of a world that is on the device already makes no buffer and one submission.

use glam::Vec3;
use libtest_mimic::Failed;
use xpbd_core::world::{Object, Settings, World};
use xpbd_gpu::{GpuBackend, Readback};

use crate::{Test, ensure};

pub const TESTS: &[Test] =
    &[("memory::a_frame_allocates_nothing", resident), ("memory::bytes_read_back_are_counted", counted)];

fn resident() -> Result<(), Failed> {
    let mut world = World::new(Settings::default())?;
    let mut grains = Object::new("grains", (0..500).map(|k| 0.05 * Vec3::splat(k as f32)).collect(), 1.0);
    grains.collision_layers.self_collision = true;
    let grains = world.add(grains.pin([0]))?;
    let mut gpu = GpuBackend::new()?;
    let step = |world: &mut World, gpu: &mut GpuBackend, frame: usize| -> Result<(), Failed> {
        world.add_force(grains, frame, Vec3::Y)?;
        world.move_pinned(grains, 0, 0.01 * Vec3::splat(frame as f32))?;
        world.step(gpu, 1.0 / 60.0)?;
        Ok(())
    };
    (0..10).try_for_each(|frame| step(&mut world, &mut gpu, frame))?;
    let count = |gpu: &GpuBackend| {
        let hal = gpu.device().device.get_internal_counters().hal;
        [hal.buffers.read(), hal.bind_groups.read(), hal.compute_pipelines.read(), hal.memory_allocations.read()]
    };
    let (before, submissions) = (count(&gpu), gpu.submissions());
    for frame in 0..20 {
        step(&mut world, &mut gpu, frame)?;
        let now = count(&gpu);
        ensure(now == before, || format!("frame {frame}: {before:?} became {now:?}"))?;
    }
    ensure(gpu.submissions() == submissions + 20, || format!("{} submissions", gpu.submissions() - submissions))
}

fn counted() -> Result<(), Failed> {
    let mut world = World::new(Settings::default())?;
    let grains = world.add(Object::new("grains", vec![Vec3::ZERO; 100], 1.0).pin([0]))?;
    let mut gpu = GpuBackend::new()?;
    world.step(&mut gpu, 1.0 / 60.0)?;
    let a_step = gpu.bytes_read();
    ensure(a_step >= 48 * 100, || format!("{a_step} bytes"))?;
    gpu.set_readback(Readback::OnRequest);
    for frame in 0..10 {
        world.move_pinned(grains, 0, 0.01 * Vec3::splat(frame as f32))?;
        world.step(&mut gpu, 1.0 / 60.0)?;
    }
    ensure(gpu.bytes_read() == a_step, || format!("{} bytes more", gpu.bytes_read() - a_step))?;
    world.synchronize()?;
    ensure(gpu.bytes_read() >= a_step + 96 * 100, || format!("{} bytes more", gpu.bytes_read() - a_step))
}
