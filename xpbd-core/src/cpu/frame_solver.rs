//! The substeps of a frame: predict, project constraints, project contacts, take velocities.

use std::ops::Range;

use smallvec::SmallVec;

use super::body_integrator::BodyIntegrator;
use super::direct::{Aim, DirectSolver};
use super::integrate::Substep;
use super::nodes::NodeArrays;
use super::program_cache::FramePrograms;
use super::project::{PassScratch, Solve};
use crate::collide::{ContactKind, ContactSet, ContactSubstep, IMPACT_SWEEPS, VELOCITY_SWEEPS};
use crate::parallel::WorkerScope;
use crate::particles::Particles;
use crate::schedule::{Pass, TracedPass};
use crate::settings::Integrator;
use crate::world::State;

/// A frame while its substeps run.
pub(super) struct FrameSolver<'a, 'c> {
    /// State of the world.
    pub state: &'a mut State,
    /// Threads of the frame.
    pub workers: &'a WorkerScope<'c>,
    /// Working memory of passes.
    pub scratch: &'a mut PassScratch,
    /// Working memory of direct solves.
    pub direct: &'a mut DirectSolver,
    /// Prediction and velocities of bodies.
    pub body_integrator: &'a mut BodyIntegrator,
    /// Programs of the passes.
    pub programs: &'a FramePrograms,
    /// Length of a substep \[s\].
    pub h: f32,
}

impl FrameSolver<'_, '_> {
    fn substep(&self) -> Substep {
        Substep { h: self.h, second_order: self.state.settings.integrator == Integrator::SecondOrder }
    }

    /// Calls `update` with what contacts are updated from and each kind of contacts in turn.
    fn update_contacts(&mut self, index: u32, update: impl Fn(&mut dyn ContactSet, &ContactSubstep<'_>)) {
        let State { particles, bodies, supports, contacts, settings, .. } = &mut *self.state;
        let (h, workers) = (self.h, self.workers);
        let substep = ContactSubstep { settings, particles, bodies, supports, index, h, workers };
        ContactKind::SOLVE_ORDER.into_iter().for_each(|kind| update(contacts.set_mut(kind), &substep));
    }

    /// Moves every particle as if there were no constraints, and every body toward its target.
    pub fn predict(&mut self, index: u32) {
        if index == 0 {
            let keeps = self.keep_velocities();
            if self.solve_impacts() && keeps {
                self.solve_directly(Aim::Velocities);
            }
        }
        let (h, substeps) = (self.h, self.state.settings.substeps as f32);
        self.state.bodies.advance_kinematic(1.0 / substeps, (index + 1) as f32 / substeps);
        self.body_integrator.predict(&mut self.state.bodies, h, self.workers);
        self.substep().predict(&mut self.state.particles, self.workers);
        self.state.for_each_custom_batch(h, |batch, nodes| batch.begin_substep(nodes, h));
        self.update_contacts(index, |set, substep| set.update_predicted(substep));
        self.warm_start();
        let State { particles, settings, media, .. } = &mut *self.state;
        media.iter_mut().for_each(|medium| medium.find_neighbours(particles, settings, self.workers));
    }

    /// Applies the multipliers that contacts have kept.
    fn warm_start(&mut self) {
        let uniforms = self.state.uniforms(self.h);
        let State { particles, bodies, contacts, settings, .. } = &mut *self.state;
        let mut solve = Solve { workers: self.workers, omega: settings.schedule.omega, scratch: self.scratch };
        for (kind, programs) in ContactKind::SOLVE_ORDER.into_iter().zip(&self.programs.contacts) {
            if let (Some(pass), Some(programs)) = (contacts.set_mut(kind).pass_mut(), programs) {
                solve.warm_start(&NodeArrays::new(particles, bodies, uniforms), pass, programs);
            }
        }
    }

    /// Solves every pass of the plan before contacts once; `warm` in all iterations of a substep but the first.
    pub fn project(&mut self, warm: bool) {
        self.solve_directly(if warm { Aim::Moved } else { Aim::Predicted });
        self.project_passes(0..self.state.plan.before_contacts(), warm);
    }

    /// Solves what comes after contacts, then the direct systems again.
    pub fn finish(&mut self, warm: bool) {
        let plan = &self.state.plan;
        self.project_passes(plan.before_contacts()..plan.passes.len(), warm);
        self.finish_direct();
    }

    /// Solves some passes of the plan once.
    fn project_passes(&mut self, passes: Range<usize>, warm: bool) {
        let mut next = passes.start;
        while next < passes.end {
            let now = next..next + self.state.plan.merged(next);
            next = now.end;
            match self.state.plan.passes[now.start] {
                Pass::Traced(_) => self.project_traced(now, warm),
                Pass::Custom(batch) => self.state.project_custom(batch, self.h),
                Pass::Medium(medium) => self.state.project_medium(medium, self.h, !warm, self.workers),
            }
        }
    }

    /// Solves traced passes that are merged once.
    fn project_traced(&mut self, passes: Range<usize>, warm: bool) {
        let uniforms = self.state.uniforms(self.h);
        let State { plan, particles, bodies, settings, .. } = &mut *self.state;
        let passes = plan.passes[passes.clone()].iter_mut().zip(&self.programs.plan[passes]);
        let swept = passes.filter_map(|(pass, programs)| match (pass, programs) {
            (Pass::Traced(pass), Some(programs)) if pass.is_swept() => Some((pass.as_mut(), programs.as_ref())),
            _ => None,
        });
        let mut swept: SmallVec<[_; 4]> = swept.collect();
        let warm = warm || swept.iter().any(|(pass, _)| pass.linearization.is_some());
        let mut solve = Solve { workers: self.workers, omega: settings.schedule.omega, scratch: self.scratch };
        solve.merged(&NodeArrays::new(particles, bodies, uniforms), &mut swept, warm);
    }

    /// Solves the direct systems.
    fn solve_directly(&mut self, aim: Aim) {
        let uniforms = self.state.uniforms(self.h);
        let State { plan, particles, bodies, .. } = &mut *self.state;
        if !plan.direct.is_empty() {
            let nodes = NodeArrays::new(particles, bodies, uniforms);
            self.direct.solve(self.workers, &nodes, plan, &self.programs.plan, aim);
        }
    }

    /// Solves the direct systems again after all else that has moved their nodes.
    fn finish_direct(&mut self) {
        let State { plan, contacts, .. } = &*self.state;
        let touches = |&kind: &ContactKind| contacts.set(kind).pass().is_some_and(|pass| !pass.is_empty());
        if plan.has_sweeps() || ContactKind::SOLVE_ORDER.iter().any(touches) {
            self.solve_directly(Aim::Moved);
            self.solve_friction();
        }
    }

    /// Solves the direct systems with friction under the loads that they press colliders with.
    fn solve_friction(&mut self) {
        if self.direct.held_mut().drag(&self.state.particles) {
            self.solve_directly(Aim::Friction);
        }
        for is_last in [false, true] {
            if self.direct.held_mut().slide(&mut self.state.particles, is_last) {
                self.solve_directly(Aim::Friction);
            }
        }
    }

    /// Keeps the velocities of what is solved directly, and returns whether contacts may change them.
    fn keep_velocities(&mut self) -> bool {
        let uniforms = self.state.uniforms(self.h);
        let State { plan, particles, bodies, contacts, .. } = &mut *self.state;
        let changes = |pass: &TracedPass| !pass.is_empty() && pass.kind.has_target_rates();
        let touch = ContactKind::SOLVE_ORDER.into_iter().any(|kind| contacts.set(kind).pass().is_some_and(changes));
        let keeps = touch && !plan.direct.is_empty();
        if keeps {
            self.direct.keep_velocities(&NodeArrays::new(particles, bodies, uniforms), &plan.direct);
        }
        keeps
    }

    /// Changes velocities where contacts ask for it. What is solved directly passes every change on.
    fn solve_contact_velocities(&mut self) {
        let keeps = self.keep_velocities();
        for _ in 0..VELOCITY_SWEEPS {
            self.sweep_contact_velocities();
            if keeps {
                self.solve_directly(Aim::Velocities);
            }
        }
        if self.solve_impacts() && keeps {
            self.solve_directly(Aim::Velocities);
        }
    }

    /// Looks again for contacts of particles that are not where they were expected.
    fn detect_strayed(&mut self, index: u32) {
        let mut contacts = std::mem::take(&mut self.state.contacts);
        let State { particles, bodies, supports, settings, .. } = &*self.state;
        let substep = ContactSubstep { settings, particles, bodies, supports, index, h: self.h, workers: self.workers };
        contacts.detect_strayed(&self.state.detection_context(0.0), &substep);
        self.state.contacts = contacts;
    }

    /// Solves the contacts once; `warm` in all iterations of a substep but the first.
    pub fn project_contacts(&mut self, index: u32, warm: bool) {
        if !warm {
            self.state.update_surface_contacts_on(index, self.h, self.workers);
            self.detect_strayed(index);
            self.update_contacts(index, |set, substep| set.update(substep));
        }
        let walls_first = !warm && self.state.contacts.surfaces.begins_with_walls();
        if walls_first {
            self.sweep_contacts(ContactKind::FIRST_WALL, |_| false);
        }
        for sweep in 0..self.state.contacts.surfaces.sweeps() {
            self.sweep_contacts(0, |place| warm || sweep > 0 || walls_first && place >= ContactKind::FIRST_WALL);
        }
        if self.state.plan.direct.moves_particles() {
            let State { particles, contacts, settings, .. } = &*self.state;
            self.direct.held_mut().find(contacts.shapes.pass(), particles, settings.particle_radius);
        }
    }

    /// Solves once the contacts from a place in the order of solution on. `is_warm` tells of each place whether its
    /// multipliers are those of an earlier sweep of the substep.
    fn sweep_contacts(&mut self, first: usize, is_warm: impl Fn(usize) -> bool) {
        let uniforms = self.state.uniforms(self.h);
        let State { particles, bodies, contacts, settings, .. } = &mut *self.state;
        let mut solve = Solve { workers: self.workers, omega: settings.schedule.omega, scratch: self.scratch };
        let kinds = ContactKind::SOLVE_ORDER.into_iter().zip(&self.programs.contacts).enumerate();
        for (place, (kind, programs)) in kinds.skip(first) {
            if let (Some(pass), Some(programs)) = (contacts.set_mut(kind).pass_mut(), programs) {
                solve.positions(&NodeArrays::new(particles, bodies, uniforms), pass, programs, is_warm(place));
            }
        }
    }

    /// Takes velocities from what the constraints have changed, and impulses from the contacts.
    pub fn velocities(&mut self, index: u32) {
        self.state.plan.traced_mut().for_each(|pass| pass.sum_multipliers(index == 0));
        let (h, per_multiplier, substep) = (self.h, 1.0 / self.h, self.substep());
        let State { particles, contacts, .. } = &mut *self.state;
        let Particles { previous_velocity, .. } = particles;
        let mut touched = |particle: u32| previous_velocity[particle as usize].w = 1.0;
        for kind in ContactKind::SOLVE_ORDER {
            contacts.set_mut(kind).accumulate(per_multiplier, self.workers, &mut touched);
        }
        substep.velocities(particles, self.workers);
        self.body_integrator.velocities(&mut self.state.bodies, h, self.workers);
        self.solve_target_rates();
        self.solve_contact_velocities();
        for kind in ContactKind::SOLVE_ORDER {
            self.state.contacts.set_mut(kind).accumulate_velocities(per_multiplier, self.workers);
        }
        self.state.for_each_custom_batch(h, |batch, nodes| batch.velocity_pass(nodes, h));
        let State { particles, settings, media, .. } = &mut *self.state;
        media.iter_mut().for_each(|medium| medium.velocities(particles, settings, h, self.workers));
    }

    /// Lets contacts rebound that will meet in the next substep, over and over so that an impulse passes through a row of
    /// them. Returns whether any may rebound.
    fn solve_impacts(&mut self) -> bool {
        let uniforms = self.state.uniforms(self.h);
        let State { particles, bodies, settings, contacts, .. } = &mut *self.state;
        if !ContactKind::SOLVE_ORDER.into_iter().any(|kind| contacts.set(kind).rebounds()) {
            return false;
        }
        let mut solve = Solve { workers: self.workers, omega: settings.schedule.omega, scratch: self.scratch };
        for sweep in 0..IMPACT_SWEEPS {
            let mut passes = ContactKind::SOLVE_ORDER.into_iter().filter_map(|kind| contacts.set(kind).pass());
            if sweep > 0 && !passes.any(TracedPass::has_hit) {
                break;
            }
            for (kind, programs) in ContactKind::SOLVE_ORDER.into_iter().zip(&self.programs.contacts) {
                if let (Some(pass), Some(programs)) = (contacts.set_mut(kind).pass_mut(), programs) {
                    solve.impacts(&NodeArrays::new(particles, bodies, uniforms), pass, programs);
                }
            }
        }
        true
    }

    /// Changes velocities where constraints ask for it.
    fn solve_target_rates(&mut self) {
        let uniforms = self.state.uniforms(self.h);
        let State { plan, particles, bodies, settings, .. } = &mut *self.state;
        let mut solve = Solve { workers: self.workers, omega: settings.schedule.omega, scratch: self.scratch };
        for (pass, programs) in plan.passes.iter_mut().zip(&self.programs.plan) {
            if let (Pass::Traced(pass), Some(programs)) = (pass, programs) {
                solve.velocities(&NodeArrays::new(particles, bodies, uniforms), pass, programs);
            }
        }
    }

    /// Changes velocities once where contacts ask for it.
    fn sweep_contact_velocities(&mut self) {
        let uniforms = self.state.uniforms(self.h);
        let State { particles, bodies, settings, contacts, .. } = &mut *self.state;
        let mut solve = Solve { workers: self.workers, omega: settings.schedule.omega, scratch: self.scratch };
        for (kind, programs) in ContactKind::SOLVE_ORDER.into_iter().zip(&self.programs.contacts) {
            if let (Some(pass), Some(programs)) = (contacts.set_mut(kind).pass_mut(), programs) {
                solve.velocities(&NodeArrays::new(particles, bodies, uniforms), pass, programs);
            }
        }
    }
}
