//! The CPU back end. Read [`CpuBackend::advance`](crate::world::Backend::advance) first: it is the
//! algorithm of the paper (\[SmallSteps19\] algorithm 1).

mod block;
mod body_integrator;
mod compiled_program;
mod integrate;
mod project;

pub use crate::parallel::Threads;

use std::sync::Arc;

use crate::collide::contacts::Contacts;
use crate::connector::{Connectors, NodeKind};
use crate::constraint::{ConstraintError, ConstraintType};
use crate::parallel::{WorkerPool, WorkerScope};
use crate::particles::Particles;
use crate::program::interpret::WIDE_LANES;
use crate::schedule::{Pass, TracedPass};
use crate::settings::Integrator;
use crate::world::{Backend, State, StepError, StepPhase, StepReport};
use body_integrator::BodyIntegrator;
use compiled_program::PassPrograms;
use integrate::Substep;
use project::{NodeArrays, PassScratch};

/// Steps worlds on the cores of this machine. One back end may serve several worlds.
pub struct CpuBackend {
    pool: WorkerPool,
    scratch: PassScratch,
    body_integrator: BodyIntegrator,
    programs: Vec<CachedPrograms>,
}

/// Programs compiled for a constraint type with these connectors.
struct CachedPrograms {
    kind: Arc<ConstraintType>,
    connectors: Connectors,
    damped: bool,
    programs: Arc<PassPrograms>,
}

impl CpuBackend {
    /// Creates a back end with this many threads. Results do not depend on the number.
    pub fn new(threads: Threads) -> Self {
        let team = WorkerPool::new(threads);
        let (memory, motion) = (PassScratch::new(team.threads()), BodyIntegrator::new(team.threads()));
        Self { pool: team, scratch: memory, body_integrator: motion, programs: Vec::new() }
    }

    /// Returns how many threads work, the calling one included.
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
        if let Err(error) = self.substeps(state, dt, report) {
            state.undo_particle_frame(before);
            return Err(error);
        }
        let mut finish = StepReport::default();
        finish.timed(StepPhase::Finish, || state.end_particle_frame(&before, report));
        if state.has_parameter_evolution() {
            finish.timed(StepPhase::Finish, || self.evolve_parameters(state, dt));
        }
        report.seconds[StepPhase::Finish as usize] += finish.time(StepPhase::Finish);
        Ok(())
    }
}

impl CpuBackend {
    /// Changes the parameters of constraints that yield.
    fn evolve_parameters(&mut self, state: &mut State, dt: f32) {
        let Self { pool: team, programs, .. } = self;
        team.scope(|workers| {
            let compiled = programs_of(programs, state);
            let uniforms = state.uniforms(dt);
            let State { plan, particles, bodies, .. } = &mut *state;
            for (pass, programs) in plan.passes.iter_mut().zip(&compiled) {
                let flow = programs.as_ref().and_then(|programs| programs.evolution.as_ref());
                if let (Pass::Traced(pass), Some(flow)) = (pass, flow) {
                    NodeArrays::new(particles, bodies, uniforms).flow(workers, pass, flow);
                }
            }
        });
        state.write_parameters_to_batches();
    }

    /// Detects contacts and runs all substeps; particles are untouched if it fails.
    fn substeps(&mut self, state: &mut State, dt: f32, report: &mut StepReport) -> Result<(), StepError> {
        let Self { pool: team, scratch: memory, body_integrator: motion, programs } = self;
        let refused = |error: ConstraintError| StepError::Backend { name: "cpu".into(), reason: error.to_string() };
        team.scope(|workers| {
            report.timed(StepPhase::Detect, || detect(state, workers, dt)).map_err(refused)?;
            state.contacts.write_counts(report);
            let compiled = programs_of(programs, state);
            check_nodes(state)?;
            let substeps = state.settings.substeps;
            let h = dt / substeps as f32;
            state.begin_media();
            let mut solver = FrameSolver { state, workers, memory, motion, programs: &compiled, h };
            solver.state.for_each_custom_batch(h, |batch, nodes| batch.begin_frame(nodes, dt));
            for substep in 0..substeps {
                report.timed(StepPhase::Predict, || solver.predict(substep));
                for iteration in 0..solver.state.settings.iterations {
                    report.timed(StepPhase::Project, || solver.project(iteration > 0));
                    report.timed(StepPhase::Contacts, || solver.contacts(substep, iteration > 0));
                }
                report.timed(StepPhase::Velocities, || solver.velocities());
            }
            solver.state.for_each_custom_batch(h, |batch, nodes| batch.end_frame(nodes, dt));
            solver.state.particles.signed_distance.clear();
            report.particle_contacts_active = state.contacts.particles.active();
            report.surface_contacts_active = state.contacts.surfaces.active();
            Ok(())
        })
    }
}

/// Finds the contacts of the frame.
fn detect(state: &mut State, workers: &WorkerScope<'_>, dt: f32) -> Result<(), ConstraintError> {
    let mut contacts = std::mem::take(&mut state.contacts);
    let found = contacts.detect(&state.detection_context(dt), workers);
    state.contacts = contacts;
    found
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

/// Returns the programs of each pass of the plan, then those of the contacts in the order of [`passes_of`].
fn programs_of(known: &mut Vec<CachedPrograms>, state: &State) -> Vec<Option<Arc<PassPrograms>>> {
    let mut compile = |pass: &TracedPass| {
        let same = |known: &&CachedPrograms| {
            known.kind.is_same_type(&pass.kind) && known.connectors == pass.connectors && known.damped == pass.damped
        };
        if let Some(known) = known.iter().find(same) {
            return known.programs.clone();
        }
        let programs = Arc::new(PassPrograms::new(pass));
        let (kind, connectors) = (pass.kind.clone(), pass.connectors.clone());
        known.push(CachedPrograms { kind, connectors, damped: pass.damped, programs: programs.clone() });
        programs
    };
    let Contacts { shapes, particle_bodies: touches, particles, surfaces, bodies, .. } = &state.contacts;
    let planned = state.plan.passes.iter().map(|pass| match pass {
        Pass::Traced(pass) => Some(pass.as_ref()),
        Pass::Custom(_) | Pass::Medium(_) => None,
    });
    let found = [&particles.pass, &surfaces.pass, &touches.pass, &bodies.pairs.pass, &shapes.pass, &bodies.ground.pass];
    planned.chain(found.map(Option::as_ref)).map(|pass| pass.map(&mut compile)).collect()
}

/// Returns the passes of contacts in the order in which they are solved: walls have the last word.
fn passes_of(contacts: &mut Contacts) -> [Option<&mut TracedPass>; 6] {
    let Contacts { shapes, particle_bodies: touches, particles, surfaces, bodies, .. } = contacts;
    [
        &mut particles.pass,
        &mut surfaces.pass,
        &mut touches.pass,
        &mut bodies.pairs.pass,
        &mut shapes.pass,
        &mut bodies.ground.pass,
    ]
    .map(Option::as_mut)
}

/// A frame while its substeps run.
struct FrameSolver<'a, 'c> {
    state: &'a mut State,
    workers: &'a WorkerScope<'c>,
    memory: &'a mut PassScratch,
    motion: &'a mut BodyIntegrator,
    programs: &'a [Option<Arc<PassPrograms>>],
    h: f32,
}

impl FrameSolver<'_, '_> {
    fn substep(&self) -> Substep {
        Substep { h: self.h, second_order: self.state.settings.integrator == Integrator::SecondOrder }
    }

    /// Moves every particle as if there were no constraints, and every body toward its target.
    fn predict(&mut self, substep: u32) {
        let substeps = self.state.settings.substeps as f32;
        self.state.bodies.advance_kinematic(1.0 / substeps, (substep + 1) as f32 / substeps);
        self.motion.predict(&mut self.state.bodies, self.h, self.workers);
        self.substep().predict(&mut self.state.particles, self.workers);
        let h = self.h;
        self.state.for_each_custom_batch(h, |batch, nodes| batch.begin_substep(nodes, h));
        let State { particles, bodies, contacts, settings, media, .. } = &mut *self.state;
        contacts.shapes.refresh(particles, bodies, settings.particle_radius, self.workers);
        media.iter_mut().for_each(|medium| medium.find_neighbours(particles, settings, self.workers));
    }

    /// Solves every pass of the plan once.
    fn project(&mut self, warm: bool) {
        let uniforms = self.state.uniforms(self.h);
        let omega = self.state.settings.schedule.omega;
        for index in 0..self.state.plan.passes.len() {
            let State { plan, particles, bodies, .. } = &mut *self.state;
            match (&mut plan.passes[index], &self.programs[index]) {
                (Pass::Traced(pass), Some(programs)) => {
                    NodeArrays::new(particles, bodies, uniforms).solve(
                        self.workers,
                        pass,
                        programs,
                        warm,
                        omega,
                        self.memory,
                    );
                }
                (&mut Pass::Custom(place), _) => self.state.project_custom(place, self.h),
                (&mut Pass::Medium(place), _) => self.state.project_medium(place, self.h, !warm, self.workers),
                (Pass::Traced(_), None) => {}
            }
        }
    }

    /// Solves the contacts once.
    fn contacts(&mut self, substep: u32, warm: bool) {
        let uniforms = self.state.uniforms(self.h);
        if !warm {
            self.state.refresh_surface_pairs(substep, self.h, self.workers);
        }
        let State { particles, bodies, contacts, settings, plan, .. } = &mut *self.state;
        if !warm {
            contacts.particles.refresh(particles, settings.particle_radius, settings.max_depenetration_speed);
            contacts.surfaces.refresh(particles, settings.max_depenetration_speed, self.workers);
            contacts.particle_bodies.refresh(particles, bodies, settings, self.h);
            for set in [&mut contacts.bodies.pairs, &mut contacts.bodies.ground] {
                set.refresh(bodies, settings, self.h, substep, self.workers);
            }
        }
        for sweep in 0..contacts.surfaces.sweeps() {
            let warm = warm || sweep > 0;
            for (pass, programs) in passes_of(contacts).into_iter().zip(&self.programs[plan.passes.len()..]) {
                if let (Some(pass), Some(programs)) = (pass, programs) {
                    let omega = settings.schedule.omega;
                    NodeArrays::new(particles, bodies, uniforms).solve(
                        self.workers,
                        pass,
                        programs,
                        warm,
                        omega,
                        self.memory,
                    );
                }
            }
        }
    }

    /// Changes velocities where constraints ask for it.
    fn solve_velocities(&mut self) {
        let uniforms = self.state.uniforms(self.h);
        let State { plan, particles, bodies, settings, contacts, .. } = &mut *self.state;
        let planned = plan.passes.iter_mut().map(|pass| match pass {
            Pass::Traced(pass) => Some(pass.as_mut()),
            Pass::Custom(_) | Pass::Medium(_) => None,
        });
        for (pass, programs) in planned.chain(passes_of(contacts)).zip(self.programs) {
            if let (Some(pass), Some(programs)) = (pass, programs) {
                let omega = settings.schedule.omega;
                NodeArrays::new(particles, bodies, uniforms).solve_velocities(
                    self.workers,
                    pass,
                    programs,
                    omega,
                    self.memory,
                );
            }
        }
    }

    /// Takes velocities from what the constraints have changed, and impulses from the contacts.
    fn velocities(&mut self) {
        let per_multiplier = 1.0 / self.h;
        let substep = self.substep();
        let State { particles, contacts, .. } = &mut *self.state;
        let Particles { previous_velocity, .. } = particles;
        let mut touched = |particle: u32| previous_velocity[particle as usize].w = 1.0;
        contacts.shapes.accumulate(per_multiplier, &mut touched);
        contacts.particle_bodies.accumulate(per_multiplier, &mut touched);
        contacts.particles.accumulate(per_multiplier, &mut touched);
        contacts.surfaces.accumulate(per_multiplier, &mut touched);
        substep.velocities(particles, self.workers);
        self.motion.velocities(&mut self.state.bodies, self.h, self.workers);
        self.solve_velocities();
        let bodies = &mut self.state.contacts.bodies;
        bodies.pairs.accumulate(per_multiplier);
        bodies.ground.accumulate(per_multiplier);
        let h = self.h;
        self.state.for_each_custom_batch(h, |batch, nodes| batch.velocity_pass(nodes, h));
        let State { particles, settings, media, .. } = &mut *self.state;
        media.iter_mut().for_each(|medium| medium.velocities(particles, settings, h, self.workers));
    }
}
