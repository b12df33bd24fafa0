//! What a step on the device tells about itself.

use glam::Vec3;
use libtest_mimic::Failed;
use xpbd_cloth::constraint::{Distance, DistanceParameters};
use xpbd_core::batch::Batch;
use xpbd_core::world::{Object, Settings, StepPhase, StepReport, World};

use crate::{Test, backend, ensure};

pub const TESTS: &[Test] = &[("report::phases_are_timed_where_the_device_has_timestamps", phases)];

/// Strings that hang, and collide with each other.
fn world() -> Result<World, Failed> {
    let mut world = World::new(Settings::default())?;
    let place = |k: usize| Vec3::new(0.05 * (k % 20) as f32, -0.05 * (k / 20) as f32, 0.0);
    let links: Vec<[u32; 2]> = (20..400).map(|k| [k - 20, k]).collect();
    let batch = Batch::new(Distance, &links, &vec![DistanceParameters { rest_length: 0.05 }; links.len()])?;
    let mut strings = Object::new("strings", (0..400).map(place).collect(), 0.1).pin(0..20).with(batch);
    strings.collision_layers.self_collision = true;
    world.add(strings)?;
    Ok(world)
}

fn phases() -> Result<(), Failed> {
    let (mut world, mut gpu) = (world()?, backend()?);
    gpu.set_timing(true);
    let mut report = StepReport::default();
    for _ in 0..4 {
        let step = world.step(&mut gpu, 1.0 / 60.0)?;
        world.synchronize()?;
        report.seconds.iter_mut().zip(step.seconds).for_each(|(sum, seconds)| *sum += seconds);
    }
    for phase in [
        StepPhase::Detect,
        StepPhase::Predict,
        StepPhase::Project,
        StepPhase::Contacts,
        StepPhase::Velocities,
        StepPhase::Finish,
    ] {
        let time = report.time(phase);
        let sensible = time > 0.0 && time < 1.0;
        ensure(sensible || !gpu.device().has_timestamps(), || format!("{}: {time} s", phase.name()))?;
    }
    Ok(())
}
