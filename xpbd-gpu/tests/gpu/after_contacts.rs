//! Constraints that are solved after contacts.

use glam::Vec3;
use libtest_mimic::Failed;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_cloth::{Elasticity, Rope, SoftBody, TetraMesh};
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::settings::{ScheduleOrder, ScheduleSettings};
use xpbd_core::world::{Object, Settings, World};

use crate::{Test, backend, ensure, ensure_equal};

pub const TESTS: &[Test] = &[
    ("after_contacts::crushed_blocks_move_as_on_the_cpu", crushed),
    ("after_contacts::islands_move_as_on_the_cpu", islands),
];

const LEAST: f32 = 0.6;
/// Edge of a block \[m\].
const SIDE: f32 = 0.2;

fn block(cells: u32) -> Result<(SoftBody, TetraMesh), Failed> {
    let mesh = TetraMesh::block([cells; 3], Vec3::splat(SIDE))?;
    let soft = Elasticity::NeoHookean { youngs_modulus: 1e4, poisson_ratio: 0.3 };
    Ok((SoftBody::new(&mesh).elasticity(soft).damping_time(1e-3).least_volume(LEAST), mesh))
}

/// Returns a soft block under a heavy ball and grains on the floor; with more if `all` as well a rope, which is solved
/// directly, and a block whose surface collides.
fn world(settings: Settings, all: bool) -> Result<World, Failed> {
    let mut world = World::new(Settings { particle_radius: 0.01, ..settings })?;
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)))?;
    world.add(block(3)?.0.at(Vec3::Y * 0.11).build()?)?;
    let mass = Mass::from_shape(&*SharedShape::ball(0.1), 20_000.0)?;
    let ball = world.add_body(Body::dynamic(Pose::from_translation(Vec3::Y * 0.35), mass))?;
    world.add_collider(Collider::new(SharedShape::ball(0.1)).attached_to(ball))?;
    let grains = (0..12).map(|k| Vec3::new(0.04 * k as f32 - 0.2, 0.6, 0.01)).collect();
    world.add(Object::new("grains", grains, 0.1).velocity(Vec3::NEG_Y))?;
    if all {
        let rope = Rope::between(Vec3::new(-0.3, 0.5, 0.0), Vec3::new(0.3, 0.5, 0.0), 20, 0.7).pin_ends();
        world.add(rope.build()?)?;
        world.add(block(2)?.0.surface_collision(0.01).at(Vec3::new(0.05, 0.9, 0.3)).build()?)?;
    }
    Ok(world)
}

/// Returns the least volume of a tetrahedron of the first object, as a part of that at rest.
fn least_volume(world: &World, mesh: &TetraMesh) -> Result<f32, Failed> {
    let places: Vec<Vec3> = world.positions(world.objects()[0])?.collect();
    let volume = |[a, b, c, d]: [Vec3; 4]| (b - a).cross(c - a).dot(d - a);
    let ratio = |&t: &[u32; 4]| volume(t.map(|k| places[k as usize])) / volume(mesh.at(t));
    Ok(mesh.tetrahedra().iter().map(ratio).fold(f32::INFINITY, f32::min))
}

/// Steps two worlds, and returns the least volume of all frames and the dispatches of the last one.
fn equal_steps([mut a, mut b]: [World; 2], mesh: &TetraMesh, frames: usize) -> Result<(f32, usize), Failed> {
    let (mut cpu, mut gpu, mut least) = (CpuBackend::default(), backend()?, f32::INFINITY);
    for frame in 0..frames {
        a.step(&mut cpu, 1.0 / 60.0)?;
        b.step(&mut gpu, 1.0 / 60.0)?;
        b.synchronize()?;
        let told = |error: Failed| format!("frame {frame}: {}", error.message().unwrap_or_default());
        ensure_equal(&gpu, &a, &b, 1e-3).map_err(told)?;
        least = least.min(least_volume(&a, mesh)?);
    }
    Ok((least, gpu.dispatches()))
}

fn crushed() -> Result<(), Failed> {
    let (_, mesh) = block(3)?;
    let patched = ScheduleSettings { order: ScheduleOrder::Patched, ..ScheduleSettings::default() };
    let with = |iterations, schedule| Settings { iterations, schedule, ..Settings::default() };
    let default = ScheduleSettings::default;
    for (settings, all) in
        [(with(1, default()), false), (with(2, default()), false), (with(2, default()), true), (with(1, patched), true)]
    {
        let (least, _) = equal_steps([world(settings.clone(), all)?, world(settings, all)?], &mesh, 30)?;
        ensure((0.3..LEAST).contains(&least), || format!("least volume {least}"))?;
    }
    Ok(())
}

/// A block that is alone and begins flattened is solved in one dispatch. Without a least volume it recovers more slowly.
fn islands() -> Result<(), Failed> {
    let world = |least| -> Result<World, Failed> {
        let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() })?;
        let mut block = block(1)?.0;
        block.settings.least_volume = least;
        let mut object = block.build()?;
        object.positions.iter_mut().for_each(|x| x.y *= 0.3);
        world.add(object)?;
        Ok(world)
    };
    let (_, mesh) = block(1)?;
    let after = |least| -> Result<_, Failed> { equal_steps([world(least)?, world(least)?], &mesh, 1) };
    let ((free, _), (limited, dispatches)) = (after(None)?, after(Some(LEAST))?);
    ensure(free < LEAST - 0.1 && limited > LEAST - 0.05, || format!("{free} without, {limited} with a least volume"))?;
    ensure(dispatches < 10, || format!("{dispatches} dispatches"))
}
