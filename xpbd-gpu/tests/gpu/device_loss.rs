//! Devices that are lost within a frame.

use glam::Vec3;
use libtest_mimic::Failed;
use parry3d::math::{Pose, Vector};
use parry3d::shape::SharedShape;
use xpbd_cloth::Cloth;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{Settings, StepError, World};
use xpbd_gpu::GpuBackend;

use crate::{Test, ensure, ensure_equal};

pub const TESTS: &[Test] = &[("device_loss::a_frame_in_which_the_device_is_lost_is_undone_and_the_cpu_goes_on", lost)];

const FRAME: f32 = 1.0 / 60.0;

/// Returns a sheet that catches a box beside a tower of boxes, so that a frame waits for the device in every substep and at its
/// end.
fn world() -> Result<World, Failed> {
    let mut world = World::new(Settings { substeps: 6, ..Settings::default() })?;
    world.add_collider(Collider::new(SharedShape::halfspace(Vector::Y)))?;
    let sheet = Cloth::grid(9, 9, 0.8, 0.8).surface_collision(0.02).at(Vec3::new(1.0, 0.6, 0.0)).pin([0, 8, 72, 80]);
    world.add(sheet.build()?)?;
    let half = Vec3::new(0.1, 0.08, 0.1);
    let tower = (0..4).map(|k| Vec3::Y * (0.08 + 0.161 * k as f32));
    for place in tower.chain([Vec3::new(1.0, 0.73, 0.02)]) {
        let body = world.add_body(Body::dynamic(Pose::from_translation(place), Mass::cuboid(0.5, half)))?;
        world.add_collider(Collider::new(SharedShape::cuboid(half.x, half.y, half.z)).attached_to(body))?;
    }
    Ok(world)
}

/// Destroys a device after it has been polled so many times.
fn destroy_after(polls: u32, device: wgpu::Device, queue: wgpu::Queue) {
    match polls.checked_sub(1) {
        Some(rest) => queue.clone().on_submitted_work_done(move || destroy_after(rest, device, queue)),
        None => device.destroy(),
    }
}

/// Whenever the device is lost, at the beginning, in a substep or at the end, the world is that of the last whole frame.
fn lost() -> Result<(), Failed> {
    for polls in [1, 2, 4, 7] {
        let (mut stayed, mut moved, mut gpu, mut cpu) = (world()?, world()?, GpuBackend::new()?, CpuBackend::default());
        for _ in 0..8 {
            stayed.step(&mut cpu, FRAME)?;
            moved.step(&mut gpu, FRAME)?;
        }
        let before = moved.state_hash();
        destroy_after(polls, gpu.device().device.clone(), gpu.device().queue.clone());
        let refused = matches!(moved.step(&mut gpu, FRAME), Err(StepError::Backend { .. }));
        ensure(refused, || format!("the step is taken, with a loss at poll {polls}"))?;
        ensure(moved.state_hash() == before, || format!("the frame is not undone after a loss at poll {polls}"))?;
        for _ in 0..8 {
            stayed.step(&mut cpu, FRAME)?;
            moved.step(&mut cpu, FRAME)?;
        }
        ensure_equal(&gpu, &stayed, &moved, 1e-3)?;
    }
    Ok(())
}
