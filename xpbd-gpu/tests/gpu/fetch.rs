//! Copies that are requested ahead: what the host reads on request is then there, as a page needs it.

use glam::Vec3;
use libtest_mimic::Failed;
use parry3d::math::Pose;
use parry3d::shape::Cuboid;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::plasticity::Plasticity;
use xpbd_core::world::{BatchHandle, Settings, World};
use xpbd_rigid::Cluster;

use crate::{Test, backend, ensure, ensure_equal, parameter_evolution};

pub const TESTS: &[Test] = &[
    ("fetch::edits_after_a_fetch_read_nothing_and_give_the_results_of_the_cpu", edits),
    ("fetch::a_world_that_is_on_no_device_has_nothing_to_fetch", elsewhere),
];

const FRAME: f32 = 1.0 / 60.0;

/// Strings that creep, a body, and a plastic cluster: each has a state that does not come back every frame.
fn world() -> Result<(World, [BatchHandle; 2]), Failed> {
    let (mut world, batches) = parameter_evolution::world(Settings { substeps: 3, ..Settings::default() })?;
    xpbd_rigid::register(world.registry_mut())?;
    let block = Cluster::from_shape(&Cuboid::new(Vec3::new(0.2, 0.1, 0.15)), 0.05)
        .at(Pose::translation(0.0, 3.0, 0.0))
        .velocity(Vec3::ZERO, Vec3::Y * 20.0)
        .plasticity(Plasticity { yield_strain: 0.005, creep: 20.0, limit: 0.5 });
    world.add(block.compliance(1e-3).build()?)?;
    Ok((world, batches))
}

fn edits() -> Result<(), Failed> {
    let ((mut a, batches), (mut b, _)) = (world()?, world()?);
    let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
    let mut bytes_of_frames = Vec::new();
    for frame in 0..14 {
        let before = gpu.bytes_read();
        a.step(&mut cpu, FRAME)?;
        b.step(&mut gpu, FRAME)?;
        pollster::block_on(gpu.fetch(&b));
        let fetched = gpu.bytes_read();
        bytes_of_frames.push(fetched - before);
        b.synchronize()?;
        ensure_equal(&gpu, &a, &b, 1e-3)?;
        for world in [&mut a, &mut b] {
            match frame {
                3 => world.set_pinned(world.objects()[0], 30, true)?,
                6 => world.edit_batch(batches[0], |batch| batch.parameters_mut(7)[0] = 0.3)?,
                9 => world.remove_batch(batches[1])?,
                _ => {}
            }
        }
        ensure(gpu.bytes_read() == fetched, || format!("frame {frame}: {} bytes more", gpu.bytes_read() - fetched))?;
    }
    // Neither does the plan of the next step that an edit has made necessary.
    let most = bytes_of_frames[0];
    ensure(bytes_of_frames.iter().all(|&bytes| bytes <= most), || format!("{bytes_of_frames:?}"))?;
    b.snapshot()?;
    Ok(())
}

fn elsewhere() -> Result<(), Failed> {
    let ((mut world, _), gpu) = (world()?, backend()?);
    let before = gpu.bytes_read();
    pollster::block_on(gpu.fetch(&world));
    world.step(&mut CpuBackend::default(), FRAME)?;
    pollster::block_on(gpu.fetch(&world));
    ensure(gpu.bytes_read() == before, || format!("{} bytes", gpu.bytes_read() - before))
}
