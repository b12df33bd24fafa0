//! A scene that one engine steps, with what is recorded of it.

use std::error::Error;
use std::ops::RangeInclusive;
use std::time::Instant;

use crate::engine::Engine;
use crate::measure::{self, Rest};
use crate::scene::Scene;

/// One engine on one scene.
pub struct Trial {
    /// The name of the engine with its settings.
    pub name: String,
    /// The state of rest after the last frame.
    pub rest: Rest,
    engine: Box<dyn Engine>,
    milliseconds: Vec<f64>,
    speeds: Vec<f32>,
}

impl Trial {
    /// Creates a trial without frames.
    pub fn new(engine: Box<dyn Engine>) -> Self {
        let rest = Rest::default();
        Self { name: engine.name(), rest, engine, milliseconds: Vec::new(), speeds: Vec::new() }
    }

    /// Advances the scene by a frame, and records its time and the largest speed after it.
    ///
    /// # Errors
    /// The error of the engine.
    pub fn step(&mut self) -> Result<(), Box<dyn Error>> {
        let start = Instant::now();
        self.engine.step()?;
        self.milliseconds.push(1e3 * start.elapsed().as_secs_f64());
        self.speeds.push(self.engine.bodies().iter().map(|body| body.velocity.length()).fold(0.0, f32::max));
        Ok(())
    }

    /// Measures how the scene lies.
    pub fn finish(&mut self, scene: &Scene) {
        self.rest = measure::rest(scene, &self.engine.bodies());
    }

    /// Returns the time \[ms\] below which this part of the frames stays; nothing if not all of them were run.
    pub fn quantile(&self, frames: RangeInclusive<usize>, part: f64) -> Option<f64> {
        let mut times = self.milliseconds.get(frames.start() - 1..*frames.end())?.to_vec();
        times.sort_by(f64::total_cmp);
        Some(times[((times.len() - 1) as f64 * part).round() as usize])
    }

    /// Returns the largest speed \[m/s\] of a body after these frames; nothing if not all of them were run.
    pub fn largest_speed(&self, frames: RangeInclusive<usize>) -> Option<f32> {
        let speeds = self.speeds.get(frames.start() - 1..*frames.end())?;
        Some(speeds.iter().copied().fold(0.0, f32::max))
    }
}
