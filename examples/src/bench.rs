//! Benchmarks: milliseconds a frame and constraint solves a second, on one thread and on all.

use serde::Serialize;
use xpbd_core::cpu::{CpuBackend, Threads};

use crate::run::{Times, run};
use crate::scene::{Options, Recipe, SceneError};

/// Frames stepped before any are measured.
const WARM_UP: u32 = 30;
/// Frames measured.
const MEASURED: u32 = 120;

/// Something to measure: a scene with options.
#[derive(Debug, Clone)]
pub struct Case {
    /// What it is called.
    pub label: String,
    /// The scene.
    pub scene: &'static str,
    /// How it is built.
    pub options: Options,
}

/// What a case has shown on some threads.
#[derive(Debug, Clone, Serialize)]
pub struct Measurement {
    /// What was measured.
    pub label: String,
    /// The scene.
    pub scene: &'static str,
    /// Threads.
    pub threads: usize,
    /// Particles.
    pub particles: usize,
    /// Constraints of all kinds.
    pub constraints: usize,
    /// Substeps of a frame.
    pub substeps: u32,
    /// Time of a frame \[ms\].
    pub ms_per_frame: Times,
    /// Constraints projected a second.
    pub solves_per_second: f64,
    /// 99 of 100 edges are stretched less at the end \[1\]; NaN where there are none.
    pub p99_strain: f64,
}

/// The cases of a scene.
///
/// # Errors
/// There is no such scene.
pub fn cases(scene: &str) -> Result<Vec<Case>, SceneError> {
    let recipe = Recipe::find(scene)?;
    let case = |label: &str, options| Case { label: label.into(), scene: recipe.name, options };
    if recipe.name != "hang" {
        return Ok(vec![case(recipe.name, Options::default())]);
    }
    let sheet = |tethers: &str, bending: &str| {
        Options::default().with("n", 100).with("tethers", tethers).with("bending", bending).passes(10, 1)
    };
    Ok(vec![
        case("n=100, isometric bending", sheet("off", "isometric")),
        case("n=100, isometric bending, tethers", sheet("on", "isometric")),
        case("n=100, distance bending", sheet("off", "distance")),
    ])
}

/// The sheet of 100 × 100 particles, rigid, at several substeps, with and without tethers.
pub fn curve() -> Vec<Case> {
    let case = |(substeps, tethers): (u32, &str)| Case {
        label: format!("{substeps} substeps, tethers {tethers}"),
        scene: "hang",
        options: Options::default().with("n", 100).with("tethers", tethers).passes(substeps, 1),
    };
    let all = [10, 20, 40, 80].into_iter().flat_map(|substeps| ["off", "on"].map(|tethers| (substeps, tethers)));
    all.map(case).collect()
}

/// Measures a case: warm-up, then `MEASURED` frames, or all that the scene has if `whole`.
///
/// # Errors
/// The scene cannot be built or stepped.
pub fn measure(case: &Case, threads: Threads, whole: bool) -> Result<Measurement, SceneError> {
    let mut scene = Recipe::find(case.scene)?.build(&case.options)?;
    let mut backend = CpuBackend::new(threads);
    for _ in 0..WARM_UP {
        scene.step(&mut backend)?;
    }
    scene.frames = if whole { scene.frames.saturating_sub(WARM_UP) } else { MEASURED };
    let summary = run(&mut scene, &mut backend, |_| ())?;
    Ok(Measurement {
        label: case.label.clone(),
        scene: case.scene,
        threads: summary.threads,
        particles: summary.particles,
        constraints: summary.constraints.iter().map(|(_, count)| count).sum(),
        substeps: summary.substeps,
        ms_per_frame: summary.ms_per_frame,
        solves_per_second: summary.solves_per_second,
        p99_strain: scene.metric("p99_strain")?,
    })
}
