//! The CPU back end. Read [`CpuBackend::advance`](crate::world::Backend::advance) first: it is the
//! algorithm of the paper (\[SmallSteps19\] algorithm 1).

mod block;
mod body_integrator;
mod compiled_program;
mod direct;
mod frame_solver;
mod integrate;
mod native;
mod nodes;
mod program_cache;
mod project;

pub use crate::parallel::Threads;

use web_time::Instant;

use crate::collide::{ContactSet, Contacts};
use crate::connector::NodeKind;
use crate::constraint::ConstraintError;
use crate::parallel::{WorkerPool, WorkerScope};
use crate::program::interpret::WIDE_LANES;
use crate::schedule::Pass;
use crate::world::{Backend, State, StepError, StepPhase, StepReport};
use body_integrator::BodyIntegrator;
use direct::DirectSolver;
use frame_solver::FrameSolver;
use nodes::NodeArrays;
use program_cache::ProgramCache;
use project::PassScratch;

/// A back end that steps worlds on the cores of the CPU. One back end may serve several worlds.
pub struct CpuBackend {
    pool: WorkerPool,
    scratch: PassScratch,
    direct: DirectSolver,
    body_integrator: BodyIntegrator,
    programs: ProgramCache,
}

impl CpuBackend {
    /// Creates a back end with these threads. Results do not depend on their number.
    pub fn new(threads: Threads) -> Self {
        let team = WorkerPool::new(threads);
        let (scratch, direct) = (PassScratch::new(team.threads()), DirectSolver::new(team.threads()));
        let body_integrator = BodyIntegrator::new(team.threads());
        Self { pool: team, scratch, direct, body_integrator, programs: ProgramCache::default() }
    }

    /// Returns the largest number of threads, the calling one included.
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }
}

impl Default for CpuBackend {
    fn default() -> Self {
        Self::new(Threads::All)
    }
}

impl Backend for CpuBackend {
    fn name(&self) -> String {
        "cpu".into()
    }

    fn advance(&mut self, state: &mut State, dt: f32, report: &mut StepReport) -> Result<(), StepError> {
        state.detach_from_device();
        let before = state.begin_particle_frame(dt);
        let threads = self.pool.threads_for(&mut state.thread_choice);
        let start = Instant::now();
        if let Err(error) = self.substeps(state, dt, threads, report) {
            state.undo_particle_frame(before);
            return Err(error);
        }
        state.thread_choice.record(start.elapsed().as_secs_f64());
        let mut finish = StepReport::default();
        finish.timed(StepPhase::Finish, || state.end_particle_frame(&before, report));
        if state.has_parameter_evolution() {
            finish.timed(StepPhase::Finish, || self.evolve_parameters(state, dt, threads));
        }
        report.seconds[StepPhase::Finish as usize] += finish.time(StepPhase::Finish);
        Ok(())
    }
}

impl CpuBackend {
    /// Evolves the parameters of constraints at the end of a frame.
    fn evolve_parameters(&mut self, state: &mut State, dt: f32, threads: usize) {
        let Self { pool, programs, .. } = self;
        pool.scope(threads, |workers| {
            let compiled = programs.of_plan(&state.plan);
            let uniforms = state.uniforms(dt);
            let State { plan, particles, bodies, .. } = &mut *state;
            for (pass, programs) in plan.passes.iter_mut().zip(&compiled) {
                let evolution = programs.as_ref().and_then(|programs| programs.evolution.as_ref());
                if let (Pass::Traced(pass), Some(evolution)) = (pass, evolution) {
                    NodeArrays::new(particles, bodies, uniforms).evolve_parameters(workers, pass, evolution);
                }
            }
        });
        state.write_parameters_to_batches();
    }

    /// Detects contacts and runs all substeps; particles are untouched if it fails.
    fn substeps(
        &mut self,
        state: &mut State,
        dt: f32,
        threads: usize,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let Self { pool, scratch, direct, body_integrator, programs } = self;
        let refused = |error: ConstraintError| StepError::Backend { name: "cpu".into(), reason: error.to_string() };
        pool.scope(threads, |workers| {
            report.timed(StepPhase::Detect, || detect(state, workers, dt)).map_err(refused)?;
            count_contacts(&state.contacts, report);
            let programs = programs.of_frame(state);
            direct.begin_frame(&state.plan);
            check_nodes(state)?;
            let substeps = state.settings.substeps;
            let h = dt / substeps as f32;
            state.rescale_multipliers(h);
            state.begin_media();
            let mut solver = FrameSolver { state, workers, scratch, direct, body_integrator, programs: &programs, h };
            solver.state.for_each_custom_batch(h, |batch, nodes| batch.begin_frame(nodes, dt));
            for substep in 0..substeps {
                report.timed(StepPhase::Predict, || solver.predict(substep));
                for iteration in 0..solver.state.settings.iterations {
                    report.timed(StepPhase::Project, || solver.project(iteration > 0));
                    report.timed(StepPhase::Contacts, || solver.project_contacts(substep, iteration > 0));
                    report.timed(StepPhase::Project, || solver.finish(iteration > 0));
                }
                report.timed(StepPhase::Velocities, || solver.velocities(substep));
            }
            solver.state.plan.traced_mut().for_each(|pass| pass.average_multipliers(substeps));
            solver.state.for_each_custom_batch(h, |batch, nodes| batch.end_frame(nodes, dt));
            solver.state.particles.signed_distance.clear();
            report.shape_contacts = shape_contacts(&state.contacts);
            report.particle_contacts_active = state.contacts.particles.active();
            report.surface_contacts_active = state.contacts.surfaces.active();
            report.surface_crossings = state.contacts.surfaces.crossings();
            Ok(())
        })
    }
}

/// Detects the contacts of the frame.
fn detect(state: &mut State, workers: &WorkerScope<'_>, dt: f32) -> Result<(), ConstraintError> {
    let mut contacts = std::mem::take(&mut state.contacts);
    let found = contacts.detect(&state.detection_context(dt), workers);
    state.contacts = contacts;
    found
}

/// Returns the number of contacts of particles with colliders, which grows where particles stray.
fn shape_contacts(contacts: &Contacts) -> usize {
    contacts.shapes.len() + contacts.particle_bodies.len()
}

/// Writes the numbers of contacts found into a report.
fn count_contacts(contacts: &Contacts, report: &mut StepReport) {
    let Contacts { particles, surfaces, bodies, .. } = contacts;
    report.shape_contacts = shape_contacts(contacts);
    report.particle_contacts = particles.len();
    report.body_contacts = bodies.len();
    report.surface_contacts = surfaces.len();
    report.dropped_contacts = particles.dropped() + surfaces.dropped();
}

/// Refuses a plan that names a node that does not exist: blocks are gathered without looking.
fn check_nodes(state: &State) -> Result<(), StepError> {
    let count = |kind: NodeKind| match kind {
        NodeKind::Particle => state.particles.len(),
        NodeKind::Body => state.bodies.len(),
    };
    for pass in state.plan.traced().filter(|pass| !pass.is_empty()) {
        for (&kind, column) in pass.connectors.nodes().iter().zip(&pass.nodes) {
            let highest = column.iter().copied().max().unwrap_or(0);
            if column.len() < pass.len() + WIDE_LANES || highest as usize >= count(kind) {
                let reason = format!("the pass `{}` of the plan names nodes that do not exist", pass.kind.name());
                return Err(StepError::Backend { name: "cpu".into(), reason });
            }
        }
    }
    Ok(())
}
