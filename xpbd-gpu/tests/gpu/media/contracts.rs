//! What holds whatever the fluid: bits from run to run, statistics, memory, refusals.

use glam::Vec3;
use libtest_mimic::Failed;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::medium::{Medium, MediumSolver};
use xpbd_core::world::{CollisionLayers, ObjectHandle, World};
use xpbd_fluid::{Fluid, FluidDensities};
use xpbd_gpu::GpuBackend;

use super::breeze::{Breeze, cloud};
use super::pool::{self, D, settings};
use super::{Build, FRAME, apart, cpu};
use crate::{backend, ensure};

fn steps(world: &mut World, gpu: &mut GpuBackend, frames: usize) -> Result<(), Failed> {
    for _ in 0..frames {
        world.step(gpu, FRAME)?;
    }
    world.synchronize()?;
    Ok(())
}

/// The same bits again on another back end.
pub fn two_runs() -> Result<(), Failed> {
    for build in [pool::basin, pool::solids, pool::body, pool::bowl, super::breeze::hall] as [Build; 5] {
        let run = || -> Result<u64, Failed> {
            let mut world = build()?;
            steps(&mut world, &mut GpuBackend::new()?, 12)?;
            Ok(world.state_hash())
        };
        let (one, other) = (run()?, run()?);
        ensure(one == other, || format!("{one:x} and {other:x}"))?;
    }
    Ok(())
}

/// A splash is chaos, but its front, its density and its energy are not.
pub fn splash() -> Result<(), Failed> {
    let build = || -> Result<(World, ObjectHandle), Failed> {
        let mut world = pool::open_basin(settings(), Vec3::ZERO, [40.0, 8.0])?;
        let water = Fluid::block(Vec3::ZERO, Vec3::new(10.0, 10.0, 8.0) * D).add_to_world(&mut world)?;
        Ok((world, water))
    };
    let measure = |world: &World, water: ObjectHandle| -> Result<[f64; 3], Failed> {
        let mut far: Vec<f32> = world.positions(water)?.map(|x| x.x).collect();
        far.sort_unstable_by(f32::total_cmp);
        let density = FluidDensities::measure(world)?;
        let mean =
            density.values.iter().map(|&(_, density)| f64::from(density)).sum::<f64>() / density.values.len() as f64;
        // The mean of the farthest tenth.
        let front = &far[far.len() * 9 / 10..];
        Ok([f64::from(front.iter().sum::<f32>() / front.len() as f32), mean, world.energy().kinetic])
    };
    let (mut one, water) = build()?;
    let (mut other, mut gpu) = (build()?.0, backend()?);
    let mut cpu = cpu();
    for frames in [20, 20, 20] {
        (0..frames).try_for_each(|_| one.step(&mut cpu, FRAME).map(drop))?;
        steps(&mut other, &mut gpu, frames)?;
        let (a, b) = (measure(&one, water)?, measure(&other, water)?);
        for ((name, a), b) in ["front", "density", "energy"].into_iter().zip(a).zip(b) {
            ensure((a - b).abs() <= 0.02 * a.abs(), || format!("{name}: {a} and {b}"))?;
        }
    }
    Ok(())
}

/// A frame of a fluid with solids that is on the device already makes nothing, in one submission.
pub fn resident() -> Result<(), Failed> {
    for build in [pool::solids, super::breeze::hall] as [Build; 2] {
        let (mut world, mut gpu) = (build()?, GpuBackend::new()?);
        let count = |gpu: &GpuBackend| {
            let hal = gpu.device().device.get_internal_counters().hal;
            [hal.buffers.read(), hal.bind_groups.read(), hal.compute_pipelines.read(), hal.memory_allocations.read()]
        };
        steps(&mut world, &mut gpu, 8)?;
        (0..4).try_for_each(|_| world.step(&mut gpu, FRAME).map(drop))?;
        let (before, submissions) = (count(&gpu), gpu.submissions());
        for frame in 0..10 {
            world.step(&mut gpu, FRAME)?;
            let now = count(&gpu);
            ensure(now == before, || format!("frame {frame}: {before:?} became {now:?}"))?;
        }
        ensure(gpu.submissions() == submissions + 10, || "more than one submission a frame".into())?;
    }
    Ok(())
}

/// Objects of one medium do not collide: two take no more dispatches than one, and nothing is searched for.
pub fn no_pairs() -> Result<(), Failed> {
    let mut gpu = backend()?;
    let mut dispatches = |build: Build| -> Result<usize, Failed> {
        build()?.step(&mut gpu, FRAME)?;
        Ok(gpu.dispatches())
    };
    let [one, two] = [dispatches(pool::basin)?, dispatches(pool::two_fluids)?];
    ensure(one == two, || format!("{one} dispatches for one fluid, {two} for two"))
}

/// Eight walls that all face others: more than there is room for.
pub fn dropped_walls() -> Result<(), Failed> {
    let mut world = World::new(settings())?;
    for k in 0..8 {
        let side = |bit: i32| if k & bit == 0 { 1.0 } else { -1.0 };
        let normal = Vec3::new(side(1), side(2), side(4)).normalize();
        let wall = Collider::new(SharedShape::halfspace(normal)).at(normal * (-0.6 * D));
        world.add_collider(wall)?;
    }
    Fluid::particles(vec![Vec3::ZERO]).add_to_world(&mut world)?;
    let mut gpu = backend()?;
    let first = world.step(&mut gpu, FRAME)?.dropped_contacts;
    world.synchronize()?;
    let told = first + world.step(&mut gpu, FRAME)?.dropped_contacts;
    // Of the first frame, which may come back at once, and of the second if it has come back already.
    ensure(told == 2 || told == 4, || format!("{told} dropped"))
}

/// A medium for the CPU alone.
#[derive(Debug)]
struct Mute;

impl Medium for Mute {
    fn name(&self) -> &'static str {
        "mute"
    }

    fn reach(&self) -> f32 {
        2.0
    }

    fn solver(&self) -> Box<dyn MediumSolver> {
        Breeze.solver()
    }
}

/// Returns what stepping a world says.
fn told(world: &mut World) -> Result<String, Failed> {
    match world.step(&mut backend()?, FRAME) {
        Ok(_) => Err("it was stepped".into()),
        Err(error) => Ok(error.to_string()),
    }
}

pub fn refused() -> Result<(), Failed> {
    let mut world = World::new(settings())?;
    world.add(cloud(&Mute, vec![0.0; 5], Vec3::ZERO, Vec3::ZERO))?;
    let error = told(&mut world)?;
    ensure(error.contains("`mute` has no kernel"), || error)
}

pub fn too_many_numbers() -> Result<(), Failed> {
    let mut world = World::new(settings())?;
    world.add(cloud(&Breeze, vec![0.0; 4097], Vec3::ZERO, Vec3::ZERO))?;
    let error = told(&mut world)?;
    ensure(error.contains("`breeze` have 4100 numbers"), || error)
}

/// Filters and objects change in mid-run, and the back end with them.
pub fn edits() -> Result<(), Failed> {
    let play = |step: &mut dyn FnMut(&mut World) -> Result<(), Failed>| -> Result<World, Failed> {
        let mut world = pool::solids()?;
        let objects = world.objects().to_vec();
        step(&mut world)?;
        world.set_collision_layers(objects[3], CollisionLayers::default())?;
        step(&mut world)?;
        world.remove(objects[2])?;
        step(&mut world)?;
        Fluid::block(Vec3::Y * 6.0 * D, Vec3::new(2.0, 8.0, 2.0) * D).add_to_world(&mut world)?;
        step(&mut world)?;
        Ok(world)
    };
    let (mut cpu, mut gpu) = (cpu(), backend()?);
    let one = play(&mut |world| Ok(world.step(&mut cpu, FRAME).map(drop)?))?;
    let other = play(&mut |world| {
        world.step(&mut gpu, FRAME)?;
        Ok(world.synchronize()?)
    })?;
    let apart = apart(&one, &other);
    ensure(apart <= 1e-5, || format!("{apart:e} of the size apart"))
}
