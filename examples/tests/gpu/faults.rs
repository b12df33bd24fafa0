//! Edge cases and errors.

use glam::Vec3;
use xpbd_core::prelude::*;
use xpbd_core::world::{Backend, StepError};
use xpbd_gpu::GpuBackend;

use crate::stage::{FRAME, Stage};
use crate::support::{Gpu, Outcome, Test, cpu, ensure};

pub fn tests() -> Vec<Test> {
    let ways: [(&str, Way); 3] = [("pushed", pushed), ("placed", placed), ("torn", torn)];
    let frozen = ways.map(|(name, way)| {
        Test::new(format!("faults::not_finite_is_frozen_and_reported::{name}"), move |gpu| frozen(gpu, way))
    });
    let others = [
        Test::new("faults::a_frame_of_no_length_changes_nothing", no_length),
        Test::new("faults::a_world_without_particles", no_particles),
        Test::new("faults::a_world_without_constraints", no_constraints),
        Test::new("faults::a_world_that_is_emptied_and_filled_again", emptied),
        Test::new("faults::a_lost_device_is_an_error_and_the_cpu_goes_on", lost),
    ];
    frozen.into_iter().chain(others).collect()
}

fn settings() -> Settings {
    Settings { substeps: 6, ..Settings::default() }
}

/// A way to make an object infinite.
type Way = fn(&mut Stage) -> Outcome;

/// By a force that gives an infinite acceleration.
fn pushed(stage: &mut Stage) -> Outcome {
    Ok(stage.world.add_force(stage.rope, 3, Vec3::new(3e38, 0.0, -3e38))?)
}

/// At the edge of the numbers, on the way out.
fn placed(stage: &mut Stage) -> Outcome {
    Ok(stage.world.set_position(stage.rope, 2, Vec3::X * 3.4e38, Vec3::X * 3.4e38)?)
}

/// By links that are to be impossibly long.
fn torn(stage: &mut Stage) -> Outcome {
    let batch = stage.world.batches_of(stage.rope)[0];
    Ok(stage.world.edit_batch(batch, |batch| (0..5).for_each(|k| batch.parameters_mut(k)[0] = 3.4e38))?)
}

/// Frames stepped, and the one in which something happens.
const FRAMES: u32 = 12;
const FAULT: u32 = 4;

/// Steps a stage to the end; tells the frames whose reports name the rope.
fn break_rope(backend: &mut impl Backend, way: Option<Way>) -> Result<(Stage, Vec<u32>), libtest_mimic::Failed> {
    let mut stage = Stage::new(settings())?;
    let mut reported = Vec::new();
    for frame in 0..FRAMES {
        if let Some(way) = way.filter(|_| frame == FAULT) {
            way(&mut stage)?;
        }
        let report = stage.world.step(backend, FRAME)?;
        stage.world.synchronize()?;
        if !report.frozen.is_empty() {
            assert_eq!(report.frozen, [stage.rope]);
            reported.push(frame);
        }
    }
    Ok((stage, reported))
}

fn frozen(gpu: &Gpu, way: Way) -> Outcome {
    let (one, on_cpu) = break_rope(&mut cpu(), Some(way))?;
    let (other, on_gpu) = break_rope(&mut gpu.stepper(), Some(way))?;
    ensure(one.world.is_frozen(one.rope)? && other.world.is_frozen(other.rope)?, || "it is not frozen".into())?;
    assert_eq!(on_cpu, [FAULT]);
    ensure(on_gpu == [FAULT] || on_gpu == [FAULT + 1], || format!("reported in {on_gpu:?}"))?;
    gpu.same("frozen", &one.world, &other.world, 1e-3)?;
    // The others go on as if nothing had happened.
    let (whole, _) = break_rope(&mut gpu.stepper(), None)?;
    for object in [other.sheet, other.masses] {
        let [broken, whole] = [&other.world, &whole.world].map(|world| world.packed_positions(object));
        ensure(broken? == whole?, || "another object has been touched".into())?;
    }
    Ok(())
}

fn no_length(gpu: &Gpu) -> Outcome {
    let mut stage = Stage::new(settings())?;
    let mut stepper = gpu.stepper();
    stage.world.step(&mut stepper, 0.0)?;
    stage.steps(&mut stepper, 5)?;
    let before = stage.world.state_hash();
    stage.world.step(&mut stepper, 0.0)?;
    stage.world.synchronize()?;
    ensure(stage.world.state_hash() == before, || "it changes".into())?;
    for dt in [-FRAME, f32::NAN, f32::INFINITY] {
        let refused = matches!(stage.world.step(&mut stepper, dt), Err(StepError::Dt(_)));
        ensure(refused && stage.world.state_hash() == before, || format!("dt = {dt}"))?;
    }
    Ok(())
}

fn no_particles(gpu: &Gpu) -> Outcome {
    let mut world = World::new(settings())?;
    let mut stepper = gpu.stepper();
    for _ in 0..4 {
        world.step(&mut stepper, FRAME)?;
    }
    world.synchronize()?;
    ensure(world.state().frames == 4, || "no frames".into())
}

fn no_constraints(gpu: &Gpu) -> Outcome {
    let world = || {
        let mut world = World::new(settings())?;
        let mut object = Object::new("dust", (0..50).map(|k| Vec3::X * k as f32).collect(), 1.0).pin([7]);
        object.linear_damping = 0.3;
        world.add(object.velocity(Vec3::new(0.1, 2.0, -0.3)))?;
        Ok::<_, libtest_mimic::Failed>(world)
    };
    let (mut one, mut other) = (world()?, world()?);
    let (mut cpu, mut stepper) = (cpu(), gpu.stepper());
    for _ in 0..20 {
        one.step(&mut cpu, FRAME)?;
        other.step(&mut stepper, FRAME)?;
    }
    other.synchronize()?;
    gpu.same("dust", &one, &other, 1e-4)
}

fn emptied(gpu: &Gpu) -> Outcome {
    let play = |backend: &mut dyn FnMut(&mut Stage) -> Outcome| {
        let mut stage = Stage::new(settings())?;
        backend(&mut stage)?;
        for object in [stage.sheet, stage.rope, stage.masses] {
            stage.world.remove(object)?;
        }
        backend(&mut stage)?;
        stage.world.add(crate::stage::sheet(Vec3::ZERO)?)?;
        backend(&mut stage)?;
        Ok::<_, libtest_mimic::Failed>(stage.world)
    };
    let (mut cpu, mut stepper) = (cpu(), gpu.stepper());
    let one = play(&mut |stage| stage.steps(&mut cpu, 3))?;
    let other = play(&mut |stage| stage.steps(&mut stepper, 3))?;
    gpu.same("filled again", &one, &other, 1e-3)
}

fn lost(gpu: &Gpu) -> Outcome {
    let (mut stayed, mut stage) = (Stage::new(settings())?, Stage::new(settings())?);
    let mut cpu = cpu();
    stayed.steps(&mut cpu, 8)?;
    let mut backend = GpuBackend::new()?;
    stage.steps(&mut backend, 8)?;
    let before = stage.world.state_hash();
    backend.device().device.destroy();
    for _ in 0..3 {
        let refused = matches!(stage.world.step(&mut backend, FRAME), Err(StepError::Backend { .. }));
        ensure(refused, || "the step is taken".into())?;
        ensure(stage.world.state_hash() == before, || "the state is not that of the last frame".into())?;
    }
    stage.world.synchronize()?;
    gpu.same("before the loss", &stayed.world, &stage.world, 1e-3)?;
    stayed.steps(&mut cpu, 8)?;
    stage.steps(&mut cpu, 8)?;
    gpu.same("after the loss", &stayed.world, &stage.world, 1e-3)
}
