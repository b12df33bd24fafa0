//! Numbers of constraints that change every frame, against the same world left alone.

use std::time::Instant;

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::Cuboid;
use serde::Serialize;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::cpu::Threads;
use xpbd_core::world::{Backend, Settings, World};
use xpbd_rigid::joint::{HingeJoint, Joint, JointAxis, JointHandle, JointMotor};

use crate::device::{BackendKind, Device};
use crate::run::Times;
use crate::scene::{Options, Recipe};

type Failed = Box<dyn std::error::Error>;

/// Frames before any are measured, and frames measured.
const FRAMES: [u32; 2] = [20, 100];

/// Length of a frame \[s\].
const FRAME: f32 = 1.0 / 60.0;

/// Times of a world whose numbers change every frame, and of the same world left alone, frame by frame in turn.
#[derive(Debug, Clone, Serialize)]
pub struct NumbersMeasurement {
    /// The world, and what changes in it.
    pub label: &'static str,
    /// The back end.
    pub backend: String,
    /// Time of a frame of the world left alone \[ms\].
    pub left_alone: Times,
    /// Time of a frame with its edits \[ms\].
    pub changing: Times,
    /// Median time with edits over that without \[1\].
    pub ratio: f64,
    /// Plans made while numbers changed.
    pub plans: u64,
}

/// Measures motors of a thousand hinges, and the compliance of a cloth of 100 × 100 particles.
///
/// # Errors
/// There is no adapter, or a world cannot be stepped.
pub fn measure_numbers(backend: BackendKind) -> Result<Vec<NumbersMeasurement>, Failed> {
    let device = Device::new(backend, Threads::All)?;
    let hinges = compare("motors of 1000 hinges", &device, hinges, |world, hinges, frame| {
        let motor = JointMotor::velocity(0.1 * (frame % 20) as f32).max_torque(20.0);
        Ok(hinges.iter().try_for_each(|hinge| hinge.set_motor(world, JointAxis::Angular, motor))?)
    })?;
    let cloth = compare("compliance of a cloth of 100 x 100", &device, cloth, |world, (), frame| {
        for batch in world.objects().iter().flat_map(|&object| world.batches_of(object)).collect::<Vec<_>>() {
            let compliance = 1e-7 * (1 + frame % 10) as f32;
            world.edit_parameters(batch, |numbers| numbers.compliances_mut().fill(compliance))?;
        }
        Ok(())
    })?;
    Ok(vec![hinges, cloth])
}

/// Steps two equal worlds in turn, one of them with an edit before every frame.
fn compare<T>(
    label: &'static str,
    device: &Device,
    make: impl Fn() -> Result<(World, T), Failed>,
    edit: impl Fn(&mut World, &T, u32) -> Result<(), Failed>,
) -> Result<NumbersMeasurement, Failed> {
    let ((mut alone, _), (mut changing, handles)) = (make()?, make()?);
    let mut stepper = device.stepper();
    let (mut times, mut plans) = ([Vec::new(), Vec::new()], 0);
    let [warm_up, measured] = FRAMES;
    for frame in 0..warm_up + measured {
        let start = Instant::now();
        alone.step(&mut stepper, FRAME)?;
        let middle = Instant::now();
        edit(&mut changing, &handles, frame)?;
        changing.step(&mut stepper, FRAME)?;
        let end = Instant::now();
        if frame == warm_up {
            plans = changing.plan_generation();
        }
        if frame >= warm_up {
            times[0].push(1e3 * (middle - start).as_secs_f64());
            times[1].push(1e3 * (end - middle).as_secs_f64());
        }
    }
    let [left_alone, changing_times] = times.map(Times::of);
    Ok(NumbersMeasurement {
        label,
        backend: stepper.name(),
        left_alone,
        changing: changing_times,
        ratio: changing_times.median / left_alone.median,
        plans: changing.plan_generation() - plans,
    })
}

/// Returns a thousand arms on hinges with motors, which do not fall asleep.
fn hinges() -> Result<(World, Vec<JointHandle>), Failed> {
    let mut world = World::new(Settings { sleep_speed: 0.0, ..Settings::default() })?;
    let mass = Mass::from_shape(&Cuboid::new(Vec3::new(0.05, 0.2, 0.05)), 500.0)?;
    let mut hinges = Vec::new();
    for k in 0..1000 {
        let anchor = Vec3::new((k % 40) as f32, 0.0, (k / 40) as f32);
        let arm = world.add_body(Body::dynamic(Pose::from_translation(anchor - Vec3::Y * 0.2), mass))?;
        let motor = JointMotor::velocity(0.5).max_torque(20.0);
        hinges.push(HingeJoint::new(anchor, Vec3::Z).motor(motor).add_to_world(&mut world, arm)?);
    }
    Ok((world, hinges))
}

fn cloth() -> Result<(World, ()), Failed> {
    let options = Options::default().with("n", 100).with("tethers", "off").with("bending", "isometric").steps(10, 1);
    Ok((Recipe::find("hang")?.build(&options)?.world, ()))
}
