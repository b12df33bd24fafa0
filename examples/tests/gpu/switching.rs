//! A world changes its back end, directly and by snapshots; a back end serves many worlds.

use examples::scene::{Options, Recipe};
use xpbd_core::world::{Settings, World};

use crate::methods::ways;
use crate::stage::{FRAME, Stage};
use crate::support::{Gpu, Outcome, Test, cpu, ensure};

pub fn tests() -> Vec<Test> {
    let switches = ways().into_iter().map(|(name, settings)| {
        Test::new(format!("switching::in_mid_run::{name}"), move |gpu| in_mid_run(gpu, name, &settings))
    });
    switches
        .chain([
            Test::new("switching::a_snapshot_goes_to_the_cpu", snapshot_to_cpu),
            Test::new("switching::a_snapshot_goes_to_the_gpu", snapshot_to_gpu),
            Test::new("switching::a_snapshot_in_the_middle_of_a_tear", snapshot_in_a_tear),
            Test::new("switching::one_back_end_serves_two_worlds", two_worlds),
            Test::new("switching::one_back_end_serves_two_threads", two_threads),
            Test::new("switching::two_back_ends_take_turns", taking_turns),
            Test::new("switching::looking_changes_nothing", looking),
        ])
        .collect()
}

/// 10 frames on the CPU, 10 on the GPU, 10 on the CPU again.
fn in_mid_run(gpu: &Gpu, name: &str, settings: &Settings) -> Outcome {
    let (mut stayed, mut switched) = (Stage::new(settings.clone())?, Stage::new(settings.clone())?);
    let mut cpu = cpu();
    stayed.steps(&mut cpu, 30)?;
    switched.steps(&mut cpu, 10)?;
    // Left to the next step to fetch: nothing waits for the GPU in between.
    let mut stepper = gpu.stepper();
    (0..10).try_for_each(|_| switched.world.step(&mut stepper, FRAME).map(drop))?;
    switched.steps(&mut cpu, 10)?;
    gpu.same(name, &stayed.world, &switched.world, 1e-3)
}

/// A sheet is torn on the GPU until some of it has come apart, and goes on from there, itself and from a snapshot.
fn snapshot_in_a_tear(gpu: &Gpu) -> Outcome {
    let sheet = || Recipe::find("tear")?.build(&Options::default().with("n", 24));
    let (mut stayed, mut other, mut on_the_cpu) = (sheet()?, sheet()?, sheet()?);
    let mut stepper = gpu.stepper();
    let mut frames = 0;
    while stayed.metric("torn")? < 4.0 && frames < 60 {
        stayed.step(&mut stepper)?;
        on_the_cpu.step(&mut cpu())?;
        frames += 1;
    }
    let torn = stayed.metric("torn")?;
    ensure((4.0..20.0).contains(&torn), || format!("{torn} vertices have come apart after {frames} frames"))?;
    other.world.restore(&stayed.world.snapshot()?)?;
    let mut fresh = gpu.stepper();
    for _ in 0..12 {
        stayed.step(&mut stepper)?;
        other.step(&mut fresh)?;
        on_the_cpu.step(&mut cpu())?;
    }
    let more = other.metric("torn")?;
    ensure(more > 0.0, || "nothing more has torn".into())?;
    let [one, two] = [&stayed, &other].map(|scene| scene.world.state_hash());
    ensure(one == two, || format!("{one:016x} and from the snapshot {two:016x}"))?;
    gpu.same("the CPU", &on_the_cpu.world, &other.world, 1e-3)
}

fn settings() -> Settings {
    Settings { substeps: 8, integrator: xpbd_core::world::Integrator::SecondOrder, ..Settings::default() }
}

/// Returns a world that knows the types of the stage and holds something else.
fn restored(snapshot: &[u8]) -> Result<Stage, libtest_mimic::Failed> {
    let mut stage = Stage::new(Settings::default())?;
    stage.world.restore(snapshot)?;
    Ok(stage)
}

fn snapshot_to_cpu(gpu: &Gpu) -> Outcome {
    let (mut stayed, mut saved) = (Stage::new(settings())?, Stage::new(settings())?);
    stayed.steps(&mut cpu(), 30)?;
    let mut stepper = gpu.stepper();
    (0..10).try_for_each(|_| saved.world.step(&mut stepper, FRAME).map(drop))?;
    let mut other = restored(&saved.world.snapshot()?)?;
    other.steps(&mut cpu(), 20)?;
    gpu.same("restored on the CPU", &stayed.world, &other.world, 1e-3)?;
    saved.steps(&mut stepper, 20)?;
    gpu.same("going on after a snapshot", &stayed.world, &saved.world, 1e-3)
}

fn snapshot_to_gpu(gpu: &Gpu) -> Outcome {
    let mut stayed = Stage::new(settings())?;
    let mut cpu = cpu();
    stayed.steps(&mut cpu, 10)?;
    // What is replaced has been on the GPU already.
    let mut other = Stage::new(Settings::default())?;
    let mut stepper = gpu.stepper();
    (0..3).try_for_each(|_| other.world.step(&mut stepper, FRAME).map(drop))?;
    other.world.restore(&stayed.world.snapshot()?)?;
    stayed.steps(&mut cpu, 20)?;
    other.steps(&mut stepper, 20)?;
    gpu.same("restored on the GPU", &stayed.world, &other.world, 1e-3)
}

/// Returns the hash after some frames on a back end of the GPU alone.
fn alone(gpu: &Gpu, settings: &Settings, frames: u32) -> Result<u64, libtest_mimic::Failed> {
    let mut stage = Stage::new(settings.clone())?;
    stage.steps(&mut gpu.stepper(), frames)?;
    Ok(stage.world.state_hash())
}

fn two_worlds(gpu: &Gpu) -> Outcome {
    let settings = [settings(), Settings::default()];
    let mut stages = [Stage::new(settings[0].clone())?, Stage::new(settings[1].clone())?];
    let mut stepper = gpu.stepper();
    for _ in 0..20 {
        for stage in &mut stages {
            stage.world.step(&mut stepper, FRAME)?;
        }
    }
    for (stage, settings) in stages.iter_mut().zip(&settings) {
        stage.world.synchronize()?;
        ensure(stage.world.state_hash() == alone(gpu, settings, 20)?, || "a world is not what it is alone".into())?;
    }
    Ok(())
}

/// Each thread waits for its own world, and takes what the other has waited for.
fn two_threads(gpu: &Gpu) -> Outcome {
    let play = || {
        let mut stage = Stage::new(settings()).map_err(|error| format!("{error:?}"))?;
        let mut stepper = gpu.stepper();
        for _ in 0..60 {
            stage.steps(&mut stepper, 1).map_err(|error| format!("{error:?}"))?;
        }
        Ok::<_, String>(stage.world.state_hash())
    };
    let [one, other] = std::thread::scope(|scope| {
        let threads = [scope.spawn(play), scope.spawn(play)];
        threads.map(|thread| thread.join().unwrap_or_else(|_| Err("a panic".into())))
    });
    ensure(one? == other?, || "the worlds of two threads differ".into())
}

/// Two devices step one world in turns.
fn taking_turns(gpu: &Gpu) -> Outcome {
    let other = Gpu::new()?;
    let mut stage = Stage::new(settings())?;
    let mut steppers = [gpu.stepper(), other.stepper()];
    for _ in 0..5 {
        for stepper in &mut steppers {
            (0..2).try_for_each(|_| stage.world.step(stepper, FRAME).map(drop))?;
        }
    }
    stage.world.synchronize()?;
    ensure(stage.world.state_hash() == alone(gpu, &settings(), 20)?, || "turns change the result".into())
}

/// Synchronizing after every frame gives the bits of synchronizing once.
fn looking(gpu: &Gpu) -> Outcome {
    let mut stage = Stage::new(settings())?;
    let mut stepper = gpu.stepper();
    (0..20).try_for_each(|_| stage.steps(&mut stepper, 1))?;
    let world: &World = &stage.world;
    ensure(world.state_hash() == alone(gpu, &settings(), 20)?, || "looking changes the result".into())
}
