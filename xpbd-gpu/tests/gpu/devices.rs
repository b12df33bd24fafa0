//! Devices of the caller, devices with no more than the core limits, and what renderers find on them.

use glam::{Quat, Vec3};
use libtest_mimic::Failed;
use parry3d::math::{Pose, Vector};
use parry3d::shape::SharedShape;
use xpbd_cloth::constraint::{Distance, DistanceParameters};
use xpbd_core::batch::Batch;
use xpbd_core::bodies::Body;
use xpbd_core::collide::Collider;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{BodyHandle, Object, Settings, World};
use xpbd_gpu::{GpuBackend, Readback};

use crate::{Test, backend, ensure, ensure_equal};

pub const TESTS: &[Test] = &[
    ("devices::a_world_with_everything_moves_as_on_the_cpu", everything),
    ("devices::core_limits_suffice", core_limits),
    ("devices::renderers_read_positions_in_place", positions),
    ("devices::nothing_comes_back_without_a_request", on_request),
];

/// Returns a net of grains that falls on a floor and a paddle that turns.
fn world() -> Result<(World, BodyHandle), Failed> {
    let mut world =
        World::new(Settings { substeps: 4, particle_radius: 0.02, contact_margin: 0.02, ..Settings::default() })?;
    world.add_collider(Collider::new(SharedShape::halfspace(Vector::Y)))?;
    let paddle = world.add_body(Body::kinematic(Pose::from_translation(Vec3::new(0.3, 0.1, 0.3))))?;
    world.add_collider(Collider::new(SharedShape::cuboid(0.4, 0.05, 0.1)).attached_to(paddle))?;
    let place = |k: usize| Vec3::new(0.05 * (k % 16) as f32, 0.16 + 1e-3 * (k % 5) as f32, 0.05 * (k / 16) as f32);
    let rows: Vec<[u32; 2]> = (0..256).filter(|k| k % 16 < 15).map(|k| [k, k + 1]).collect();
    let net =
        Batch::new(Distance, &rows, &vec![DistanceParameters { rest_length: 0.05 }; rows.len()])?.compliance(1e-6);
    let mut grains = Object::new("net", (0..256).map(place).collect(), 0.1).pin([0]).with(net);
    grains.collision_layers.self_collision = true;
    world.add(grains)?;
    Ok((world, paddle))
}

fn turn(world: &mut World, paddle: BodyHandle, frame: usize) -> Result<(), Failed> {
    let pose = Pose::from_parts(Vec3::new(0.3, 0.1, 0.3), Quat::from_rotation_y(0.05 * frame as f32));
    Ok(world.move_body(paddle, pose)?)
}

fn compare(gpu: &mut GpuBackend, frames: usize, tolerance: f32) -> Result<(World, World), Failed> {
    let ((mut a, paddle), (mut b, other)) = (world()?, world()?);
    for frame in 0..frames {
        turn(&mut a, paddle, frame)?;
        turn(&mut b, other, frame)?;
        let on_cpu = a.step(&mut CpuBackend::default(), 1.0 / 60.0)?;
        b.step(gpu, 1.0 / 60.0)?;
        b.synchronize()?;
        ensure(on_cpu.shape_contacts > 0, || "nothing touches".into())?;
        ensure_equal(gpu, &a, &b, tolerance)?;
    }
    Ok((a, b))
}

fn everything() -> Result<(), Failed> {
    let (a, b) = compare(&mut *backend()?, 20, 1e-3)?;
    ensure(!a.contacts().is_empty(), || "there are no events".into())?;
    let exact = {
        let gpu = backend()?;
        gpu.device().is_exact()
    };
    ensure(!exact || a.contacts() == b.contacts(), || format!("{:?}\n{:?}", a.contacts(), b.contacts()))
}

/// No feature, no limit above those of every WebGPU device, made by the caller.
fn core_limits() -> Result<(), Failed> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))?;
    let mut gpu = GpuBackend::with_device(device, queue)?;
    ensure(!gpu.device().is_exact(), || "the device should have no features".into())?;
    compare(&mut gpu, 3, 1e-5).map(drop)
}

fn positions() -> Result<(), Failed> {
    let ((mut world, _), mut gpu) = (world()?, backend()?);
    ensure(gpu.particles(&world).is_none(), || "the world is not on the device yet".into())?;
    world.step(&mut gpu, 1.0 / 60.0)?;
    world.synchronize()?;
    let found = gpu.particles(&world).ok_or("the world should be on the device")?;
    for buffer in [found.positions, found.velocities] {
        ensure(buffer.usage().contains(wgpu::BufferUsages::VERTEX), || format!("{:?}", buffer.usage()))?;
    }
    let size = 16 * found.count as u64;
    let description = wgpu::BufferDescriptor {
        label: None,
        size,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    };
    let device = gpu.device();
    let copy = device.device.create_buffer(&description);
    let mut encoder = device.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(found.positions, 0, &copy, 0, size);
    device.queue.submit([encoder.finish()]);
    copy.slice(..).map_async(wgpu::MapMode::Read, |_| ());
    device.device.poll(wgpu::PollType::wait_indefinitely())?;
    let view = copy.slice(..).get_mapped_range();
    let same = bytemuck::cast_slice::<glam::Vec4, u8>(&world.state().particles.anchor) == &view[..];
    ensure(same, || "the buffer holds other positions than the world".into())
}

fn on_request() -> Result<(), Failed> {
    let ((mut a, _), (mut b, _)) = (world()?, world()?);
    let (mut late, mut silent) = (backend()?, backend()?);
    silent.set_readback(Readback::OnRequest);
    let before = b.state_hash();
    for _ in 0..5 {
        a.step(&mut late, 1.0 / 60.0)?;
        b.step(&mut silent, 1.0 / 60.0)?;
    }
    ensure(b.state_hash() == before, || "something came back".into())?;
    a.synchronize()?;
    b.synchronize()?;
    ensure(a.state_hash() == b.state_hash(), || "the worlds differ".into())
}
