//! The measurement of a case.

use std::time::Instant;

use serde::Serialize;
use xpbd_core::cpu::Threads;
use xpbd_core::world::{Backend, StepPhase, StepReport};

use super::Case;
use crate::device::{Adapter, BackendKind, Device, DeviceError, Readback, Stepper};
use crate::run::{Times, as_map, constraints};
use crate::scene::{Recipe, Scene, SceneError};

/// Frames that an adapter is given before its results are waited for; their mean is one time. A look
/// at every frame would measure the way to the adapter and back.
const ROUND: u32 = 20;

/// A back end and a number of threads on which cases are measured.
#[derive(Debug, Clone)]
pub struct Mode {
    device: Device,
    readback: Readback,
}

/// The result of measuring a case in a mode.
#[derive(Debug, Clone, Serialize)]
pub struct Measurement {
    /// Name of the case.
    pub label: String,
    /// The scene.
    pub scene: &'static str,
    /// `cpu` or `gpu`.
    pub backend: String,
    /// The adapter, if one was used.
    pub adapter: Option<Adapter>,
    /// Threads, or what comes back from the adapter.
    pub mode: String,
    /// Threads that stepped, or fed the adapter.
    pub threads: usize,
    /// Particles.
    pub particles: usize,
    /// Bodies.
    pub bodies: usize,
    /// Constraints of all kinds, contacts not counted.
    pub constraints: usize,
    /// Substeps of a frame.
    pub substeps: u32,
    /// Dispatches of the last frame; none on the CPU.
    pub dispatches: usize,
    /// Time of a frame \[ms\].
    pub ms_per_frame: Times,
    /// Mean time of each phase \[ms\]; on an adapter that takes none, of the host's parts alone.
    #[serde(serialize_with = "as_map")]
    pub phases: Vec<(&'static str, f64)>,
    /// Constraints projected a second.
    pub solves_per_second: f64,
    /// 99 of 100 edges are stretched less at the end \[1\]; NaN where there are none.
    pub p99_strain: f64,
    /// The largest strain of an edge at the end \[1\]; NaN where there are none.
    pub max_strain: f64,
    /// Largest gap of a joint at the end, relative to the length of a link \[%\]; NaN if there are no joints.
    pub joint_error_percent: f64,
    /// Mean compression of a liquid at the end \[1\]; NaN where there is none.
    pub mean_density_error: f64,
}

impl Mode {
    /// Returns all modes of a back end, the fastest last.
    ///
    /// # Errors
    /// There is no adapter, or it gives no usable device.
    pub fn all(backend: BackendKind) -> Result<Vec<Self>, DeviceError> {
        let mode = |device: &Device, readback| Self { device: device.clone(), readback };
        Ok(match backend {
            BackendKind::Cpu => [Threads::Exactly(1), Threads::All]
                .map(|threads| mode(&Device::Cpu(threads), Readback::EveryFrame))
                .into(),
            BackendKind::Gpu => {
                let device = Device::new(backend, Threads::All)?;
                [Readback::EveryFrame, Readback::OnRequest].map(|readback| mode(&device, readback)).into()
            }
        })
    }

    fn label(&self, stepper: &Stepper) -> String {
        match (&self.device, self.readback) {
            (Device::Cpu(_), _) => match stepper.threads() {
                1 => "1 thread".into(),
                threads => format!("{threads} threads"),
            },
            (Device::Gpu(_), Readback::EveryFrame) => "read back every frame".into(),
            (Device::Gpu(_), Readback::OnRequest) => "left on the device".into(),
        }
    }

    /// Frames between two looks at the results, which the CPU always has.
    fn round(&self) -> u32 {
        match self.device {
            Device::Cpu(_) => 1,
            Device::Gpu(_) => ROUND,
        }
    }
}

/// Measures a case in some modes, a round of each in turn, so that whatever else the machine does slows all of them: warm-up,
/// then as many frames as are wanted.
///
/// # Errors
/// The scene cannot be built or stepped.
pub fn measure(case: &Case, modes: &[Mode]) -> Result<Vec<Measurement>, SceneError> {
    let runs = modes.iter().map(|mode| ModeRun::new(case, mode));
    let mut runs: Vec<ModeRun<'_>> = runs.collect::<Result<_, _>>()?;
    let rounds = runs.iter().map(|run| run.frames / run.mode.round()).max().unwrap_or(0);
    for _ in 0..rounds {
        runs.iter_mut().try_for_each(ModeRun::measure_round)?;
    }
    runs.into_iter().map(|run| run.finish(case)).collect()
}

/// A case that is measured in a mode.
struct ModeRun<'a> {
    mode: &'a Mode,
    scene: Scene,
    stepper: Stepper,
    /// Frames to be measured.
    frames: u32,
    /// Time of a frame of each round \[ms\].
    times: Vec<f64>,
    /// Time of each phase in all rounds \[s\].
    seconds: [f64; StepPhase::ALL.len()],
}

impl<'a> ModeRun<'a> {
    fn new(case: &Case, mode: &'a Mode) -> Result<Self, SceneError> {
        let mut scene = Recipe::find(case.scene)?.build(&case.options)?;
        let mut stepper = mode.device.stepper();
        stepper.set_readback(mode.readback);
        round(&mut scene, &mut stepper, case.warm_up)?;
        let frames = case.measured.unwrap_or_else(|| scene.frames.saturating_sub(case.warm_up));
        Ok(Self { mode, scene, stepper, frames, times: Vec::new(), seconds: [0.0; StepPhase::ALL.len()] })
    }

    fn measure_round(&mut self) -> Result<(), SceneError> {
        let start = Instant::now();
        let phases = round(&mut self.scene, &mut self.stepper, self.mode.round())?;
        self.times.push(1e3 * start.elapsed().as_secs_f64() / f64::from(self.mode.round()));
        self.seconds.iter_mut().zip(phases).for_each(|(sum, seconds)| *sum += seconds);
        Ok(())
    }

    fn finish(self, case: &Case) -> Result<Measurement, SceneError> {
        let Self { mode, mut scene, mut stepper, times, mut seconds, .. } = self;
        let mut timed = times.len() as f64 * f64::from(mode.round());
        if let Device::Gpu(_) = mode.device {
            (seconds, timed) = (timed_round(&mut scene, &mut stepper)?, f64::from(ROUND));
        }
        let settings = scene.world.settings();
        let constraints = constraints(&scene.world).iter().map(|(_, count)| count).sum();
        let solves = constraints as f64 * f64::from(settings.substeps * settings.iterations);
        Ok(Measurement {
            label: case.label.clone(),
            scene: case.scene,
            backend: stepper.name(),
            adapter: stepper.adapter(),
            mode: mode.label(&stepper),
            threads: stepper.threads(),
            particles: scene.world.state().particles.len(),
            bodies: scene.world.state().bodies.len(),
            constraints,
            substeps: settings.substeps,
            dispatches: stepper.dispatches(),
            solves_per_second: 1e3 * solves * times.len() as f64 / times.iter().sum::<f64>(),
            ms_per_frame: Times::of(times),
            phases: StepPhase::ALL.iter().zip(seconds).map(|(phase, sum)| (phase.name(), 1e3 * sum / timed)).collect(),
            p99_strain: scene.metric("p99_strain")?,
            max_strain: scene.metric("max_strain")?,
            joint_error_percent: scene.metric("joint_error_percent")?,
            mean_density_error: scene.metric("mean_density_error")?,
        })
    }
}

/// Returns the seconds of each phase in a round of its own, since an adapter that takes times is slower. They come
/// back with the frames, so that every frame is waited for.
fn timed_round(scene: &mut Scene, stepper: &mut Stepper) -> Result<[f64; StepPhase::ALL.len()], SceneError> {
    stepper.set_readback(Readback::EveryFrame);
    stepper.set_timed(true);
    let mut seconds = [0.0; StepPhase::ALL.len()];
    // The report of a step tells the times of the step before.
    for frame in 0..=ROUND {
        let report = scene.advance(stepper)?;
        scene.world.synchronize()?;
        if frame > 0 {
            seconds.iter_mut().zip(report.seconds).for_each(|(sum, seconds)| *sum += seconds);
        }
    }
    stepper.set_timed(false);
    Ok(seconds)
}

/// Steps some frames, then waits for their results; tells the seconds spent in each phase, the wait
/// in the last one.
fn round(scene: &mut Scene, stepper: &mut Stepper, frames: u32) -> Result<[f64; StepPhase::ALL.len()], SceneError> {
    let mut all = StepReport::default();
    for _ in 0..frames {
        let report = scene.advance(stepper)?;
        all.seconds.iter_mut().zip(report.seconds).for_each(|(sum, seconds)| *sum += seconds);
    }
    all.timed(StepPhase::Finish, || scene.world.synchronize())?;
    Ok(all.seconds)
}
