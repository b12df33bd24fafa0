//! Pause, slow motion, single steps, and the steps that a frame of the game makes at most.

use bevy::prelude::*;
use web_time::Instant;
use xpbd_core::world::SHORTEST_FRAME;

/// The relation of physics to the time of the game. A step has the length of the fixed schedule's times the scale.
#[derive(Resource, Debug, Clone, PartialEq, Reflect)]
#[reflect(Resource, Debug, PartialEq)]
pub struct PhysicsTime {
    /// True if it stands still.
    pub paused: bool,
    /// The speed of physics over that of the game \[1\]; below 1 for slow motion.
    pub scale: f32,
    /// Steps to be made though it is paused.
    pub single_steps: u32,
    /// The elapsed time \[s\].
    pub elapsed: f64,
    /// The number of steps that a frame of the game makes at most in a fixed schedule. A computer that takes longer for
    /// the steps of a frame than the frame lasts would otherwise owe more steps every frame. The simulation then falls
    /// behind the clock of the game.
    pub max_steps_per_frame: u32,
    /// The number of steps that were dropped because a frame already had as many as it may have.
    pub dropped_steps: u64,
}

impl Default for PhysicsTime {
    fn default() -> Self {
        Self { paused: false, scale: 1.0, single_steps: 0, elapsed: 0.0, max_steps_per_frame: 4, dropped_steps: 0 }
    }
}

impl PhysicsTime {
    /// Makes one step though it is paused.
    pub fn step_once(&mut self) {
        self.single_steps += 1;
    }

    /// Returns the length \[s\] of the step that is due after one of the game, if any.
    fn advance(&mut self, dt: f32) -> Option<f32> {
        if self.paused {
            self.single_steps = self.single_steps.checked_sub(1)?;
        }
        let dt = dt * self.scale;
        self.elapsed += f64::from(dt);
        Some(dt)
    }

    /// Returns whether the scale is one that time can have.
    fn has_valid_scale(&self) -> bool {
        self.scale.is_finite() && self.scale >= 0.0
    }
}

/// The number of steps that the current frame of the game has made.
#[derive(Resource, Debug, Default)]
pub(crate) struct FrameSteps(u32);

pub(crate) fn begin_frame(mut steps: ResMut<FrameSteps>) {
    steps.0 = 0;
}

/// The length of the step that is about to be made; known in all of [`XpbdSystems`](crate::schedule::XpbdSystems).
#[derive(Resource, Debug, Default, Clone, Copy, PartialEq)]
pub struct StepLength(pub(crate) Option<f32>);

impl StepLength {
    /// Returns the length of the step \[s\]; none when nothing moves. What pushes then would push again with the next step.
    pub fn get(self) -> Option<f32> {
        self.0.filter(|dt| dt.is_finite() && *dt >= SHORTEST_FRAME)
    }
}

/// The conditions that [`begin_step`] has logged.
#[derive(Debug, Default)]
pub(crate) struct LoggedConditions {
    invalid_scale: bool,
    dropped_steps: bool,
}

pub(crate) fn begin_step(
    mut length: ResMut<StepLength>,
    mut time: ResMut<PhysicsTime>,
    mut steps: ResMut<FrameSteps>,
    clock: Res<Time>,
    mut logged: Local<LoggedConditions>,
) {
    length.0 = None;
    if !time.has_valid_scale() {
        if !std::mem::replace(&mut logged.invalid_scale, true) {
            error!("physics stands still: PhysicsTime::scale is {}, but must be finite and at least 0", time.scale);
        }
        return;
    }
    logged.invalid_scale = false;
    if steps.0 >= time.max_steps_per_frame && !time.paused {
        time.dropped_steps += 1;
        if !std::mem::replace(&mut logged.dropped_steps, true) {
            let max = time.max_steps_per_frame;
            warn!(
                "physics falls behind the game: a frame took longer than {max} steps, PhysicsTime::max_steps_per_frame; \
                 PhysicsTime::dropped_steps counts the steps that were dropped"
            );
        }
        return;
    }
    steps.0 += 1;
    length.0 = time.advance(clock.delta_secs());
}

/// The time that the plugin takes besides the solver \[s\].
#[derive(Resource, Debug, Default, Clone, Copy)]
pub struct PluginTime {
    /// Time in the last step \[s\], without the solver.
    pub step: f64,
    /// Time in drawing the last frame \[s\], without the renderer.
    pub draw: f64,
    started: Option<Instant>,
    pub(crate) solver: f64,
}

pub(crate) fn start_clock(mut time: ResMut<PluginTime>) {
    (time.started, time.solver) = (Some(Instant::now()), 0.0);
}

pub(crate) fn stop_clock(mut time: ResMut<PluginTime>) {
    if let Some(started) = time.started.take() {
        time.step = started.elapsed().as_secs_f64() - time.solver;
    }
}
