//! Reports about a step: times, counts, and constraints that broke.

use serde::{Deserialize, Serialize};
use web_time::Instant;

use crate::handle::{BatchHandle, BodyHandle, ObjectHandle};

/// A constraint that broke.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BrokenConstraint {
    /// The batch of the constraint.
    pub batch: BatchHandle,
    /// Its number in the batch.
    pub constraint: u32,
    /// The force \[N\] that it bore.
    pub force: f32,
    /// The torque \[N m\] that it bore.
    pub torque: f32,
}

/// A part of a step that is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepPhase {
    /// Colours and lays out the constraints, after an edit.
    Plan,
    /// Detects collisions.
    Detect,
    /// Predicts positions.
    Predict,
    /// Projects constraints.
    Project,
    /// Projects contacts with their friction.
    Contacts,
    /// Takes velocities from positions.
    Velocities,
    /// Folds positions, collects events and checks the state.
    Finish,
}

impl StepPhase {
    /// All phases in order.
    pub const ALL: [StepPhase; 7] = [
        StepPhase::Plan,
        StepPhase::Detect,
        StepPhase::Predict,
        StepPhase::Project,
        StepPhase::Contacts,
        StepPhase::Velocities,
        StepPhase::Finish,
    ];

    /// Returns the lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            StepPhase::Plan => "plan",
            StepPhase::Detect => "detect",
            StepPhase::Predict => "predict",
            StepPhase::Project => "project",
            StepPhase::Contacts => "contacts",
            StepPhase::Velocities => "velocities",
            StepPhase::Finish => "finish",
        }
    }

    /// Returns a span of `tracing` around this phase.
    #[cfg(feature = "trace")]
    fn span(self) -> tracing::Span {
        match self {
            StepPhase::Plan => tracing::info_span!("xpbd/plan"),
            StepPhase::Detect => tracing::info_span!("xpbd/detect"),
            StepPhase::Predict => tracing::info_span!("xpbd/predict"),
            StepPhase::Project => tracing::info_span!("xpbd/project"),
            StepPhase::Contacts => tracing::info_span!("xpbd/contacts"),
            StepPhase::Velocities => tracing::info_span!("xpbd/velocities"),
            StepPhase::Finish => tracing::info_span!("xpbd/finish"),
        }
    }
}

/// Times, counts, and what was dropped in one step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepReport {
    /// Seconds spent in each phase, in the order of [`StepPhase::ALL`].
    pub seconds: [f64; 7],
    /// Number of substeps taken.
    pub substeps: u32,
    /// Constraints in the plan.
    pub constraints: usize,
    /// Groups solved one after the other in an iteration.
    pub colours: usize,
    /// Number of contacts of particles with colliders.
    pub shape_contacts: usize,
    /// Contact points of bodies found.
    pub body_contacts: usize,
    /// Number of contacts of particles with particles.
    pub particle_contacts: usize,
    /// Particle–particle contacts that touched in the last substep.
    pub particle_contacts_active: usize,
    /// Pairs of features of surfaces found.
    pub surface_contacts: usize,
    /// Pairs of features of surfaces that touched in the last substep.
    pub surface_contacts_active: usize,
    /// Edges of surfaces that ran through triangles of surfaces at the beginning of the step, where that was looked for:
    /// after a change of the plan, every eighth step, and while surfaces cross.
    pub surface_crossings: usize,
    /// Contacts dropped: because one particle or triangle had too many, or because a device had no room for them
    /// in this frame or has cut the search for them short.
    pub dropped_contacts: usize,
    /// Objects that became non-finite in this step and were frozen.
    pub frozen: Vec<ObjectHandle>,
    /// Bodies that became non-finite in this step and were frozen.
    pub frozen_bodies: Vec<BodyHandle>,
}

impl StepReport {
    /// Returns the seconds spent in a phase.
    pub fn time(&self, phase: StepPhase) -> f64 {
        self.seconds[phase as usize]
    }

    /// Returns the seconds of the whole step.
    pub fn total(&self) -> f64 {
        self.seconds.iter().sum()
    }

    /// Runs a part of a step and adds its time to a phase, within a span of `tracing` with the feature `trace`.
    pub fn timed<R>(&mut self, phase: StepPhase, part: impl FnOnce() -> R) -> R {
        #[cfg(feature = "trace")]
        let _span = phase.span().entered();
        let start = Instant::now();
        let result = part();
        self.seconds[phase as usize] += start.elapsed().as_secs_f64();
        result
    }

    /// Awaits a part of a step and adds its time, until it ends, to a phase.
    pub async fn timed_async<R>(&mut self, phase: StepPhase, part: impl Future<Output = R>) -> R {
        let start = Instant::now();
        let result = part.await;
        self.seconds[phase as usize] += start.elapsed().as_secs_f64();
        result
    }
}
