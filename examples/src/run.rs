//! Runs of scenes and their summaries.

use std::time::Instant;

use serde::{Serialize, Serializer};
use xpbd_core::world::{Backend, StepPhase, StepReport, World};

use crate::device::Stepper;
use crate::scene::{Metrics, Scene, SceneError};

/// The results of a run. The JSON object has these fields in this order.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// The scene.
    pub scene: &'static str,
    /// `cpu` or `gpu`.
    pub backend: String,
    /// The graphics adapter, if one was used.
    pub adapter: Option<String>,
    /// Threads that stepped, or fed the adapter.
    pub threads: usize,
    /// Particles.
    pub particles: usize,
    /// Bodies.
    pub bodies: usize,
    /// Constraints by name.
    #[serde(serialize_with = "as_map")]
    pub constraints: Vec<(String, usize)>,
    /// Groups of constraints solved one after the other.
    pub colours: usize,
    /// Frames run.
    pub frames: u32,
    /// Substeps of a frame.
    pub substeps: u32,
    /// Iterations of a substep.
    pub iterations: u32,
    /// Time of a frame \[ms\].
    pub ms_per_frame: Times,
    /// Constraints projected a second, contacts not counted.
    pub solves_per_second: f64,
    /// The bits of the final state, as 16 hexadecimal digits.
    pub state_hash: String,
    /// Results of the scene.
    #[serde(serialize_with = "as_map")]
    pub metrics: Metrics,
    /// Mean time of each phase \[ms\].
    #[serde(skip)]
    pub phases: Vec<(&'static str, f64)>,
}

/// Times of many frames \[ms\].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Times {
    /// 10 of 100 took less.
    pub p10: f64,
    /// Half of them took less.
    pub median: f64,
    /// 95 of 100 took less.
    pub p95: f64,
}

impl Times {
    /// Computes the median and two percentiles of a list of times \[ms\]; NaN for an empty one.
    pub fn of(mut times: Vec<f64>) -> Self {
        times.sort_unstable_by(f64::total_cmp);
        let at = |part: usize| times.get((times.len() * part / 100).min(times.len().saturating_sub(1)));
        let time = |part| at(part).copied().unwrap_or(f64::NAN);
        Self { p10: time(10), median: time(50), p95: time(95) }
    }
}

/// Writes a list of names and values as an object, in its order.
pub(crate) fn as_map<S: Serializer, N: Serialize, V: Serialize>(
    list: &[(N, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(list.iter().map(|(name, value)| (name, value)))
}

/// Runs a scene to its end, calling `progress` after every frame.
///
/// # Errors
/// The scene cannot go on.
pub fn run(scene: &mut Scene, backend: &mut Stepper, mut progress: impl FnMut(u32)) -> Result<Summary, SceneError> {
    let mut times = Vec::with_capacity(scene.frames as usize);
    let mut seconds = [0.0; StepPhase::ALL.len()];
    let mut last = StepReport::default();
    for frame in 0..scene.frames {
        let start = Instant::now();
        last = scene.step(backend)?;
        times.push(1e3 * start.elapsed().as_secs_f64());
        seconds.iter_mut().zip(last.seconds).for_each(|(sum, seconds)| *sum += seconds);
        progress(frame + 1);
    }
    let settings = scene.world.settings();
    let frames = f64::from(scene.frames.max(1));
    let solves =
        last.constraints as f64 * f64::from(settings.substeps) * f64::from(settings.iterations) * times.len() as f64;
    Ok(Summary {
        scene: scene.name,
        backend: backend.name(),
        adapter: backend.adapter().map(|adapter| adapter.name),
        threads: backend.threads(),
        particles: scene.world.state().particles.len(),
        bodies: scene.world.state().bodies.len(),
        constraints: constraints(&scene.world),
        colours: last.colours,
        frames: scene.frames,
        substeps: settings.substeps,
        iterations: settings.iterations,
        solves_per_second: solves / (1e-3 * times.iter().sum::<f64>()),
        ms_per_frame: Times::of(times),
        state_hash: format!("{:016x}", scene.world.state_hash()),
        metrics: scene.metrics()?,
        phases: StepPhase::ALL.iter().zip(seconds).map(|(phase, sum)| (phase.name(), 1e3 * sum / frames)).collect(),
    })
}

/// Returns how many constraints there are of each name, in the order in which they were added.
pub fn constraints(world: &World) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for (_, state) in world.state().batches.iter() {
        let (name, len) = (state.batch.name(), state.batch.len());
        match counts.iter_mut().find(|(other, _)| *other == name) {
            Some((_, count)) => *count += len,
            None => counts.push((name.into(), len)),
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_not_finite_are_null_in_json() {
        let times = Times { p10: 1.0, median: f64::NAN, p95: f64::INFINITY };
        assert_eq!(serde_json::to_string(&times).unwrap(), r#"{"p10":1.0,"median":null,"p95":null}"#);
    }

    #[test]
    fn median_and_p95_are_order_statistics() {
        assert_eq!(Times::of((0..100).map(f64::from).collect()), Times { p10: 10.0, median: 50.0, p95: 95.0 });
        assert!(Times::of(Vec::new()).median.is_nan());
    }
}
