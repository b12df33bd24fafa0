//! A frame recorded as one submission. Read [`record`] first: it is the algorithm of the paper
//! (\[SmallSteps19\] algorithm 1).

mod bodies;
mod collisions;
mod media;
mod readback;
mod recorder;
mod surfaces;

pub use readback::copy;

use xpbd_core::batch::kernel::KernelHook;
use xpbd_core::collide::ContactKind;
use xpbd_core::world::StepPhase;

use crate::device_world::{BindGroups, DeviceWorld};
use crate::island::MAX_LOOP_ITERATIONS;
use crate::layout::{WALL_COUNTERS, contact, outcome};
use crate::plan::Step;
use crate::timing::Timing;
use recorder::Frame;

/// A part of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The whole frame.
    Whole,
    /// From the end of the previous part to the point of this substep at which the host looks at surfaces.
    To(u32),
    /// The rest of the frame.
    End,
}

/// Records a part of a frame of `iterations`, and returns the number of dispatches.
pub fn record(
    world: &DeviceWorld,
    groups: &BindGroups,
    timing: Option<&mut Timing>,
    encoder: &mut wgpu::CommandEncoder,
    iterations: u32,
    part: Part,
) -> usize {
    if matches!(part, Part::Whole | Part::To(0)) {
        encoder.clear_buffer(&world.buffers.contacts.buffer, 0, Some(4 * contact::COUNTERS as u64));
        encoder.clear_buffer(&world.buffers.outcome.buffer, 0, Some(4 * outcome::FROZEN_MARKS as u64));
        for medium in world.media.iter() {
            encoder.clear_buffer(&medium.buffers().walls.buffer, 0, Some(WALL_COUNTERS));
        }
    }
    let mut frame = Frame::new(world, groups, timing, encoder);
    match part {
        Part::Whole => {
            frame.begin();
            let substeps = if frame.solve_islands() { 0 } else { world.counts.substeps };
            for substep in 0..substeps {
                frame.begin_substep(substep, iterations);
                frame.finish_substep(substep, iterations);
            }
            frame.finish();
        }
        Part::To(0) => {
            frame.begin();
            frame.begin_substep(0, iterations);
        }
        Part::To(substep) => {
            frame.finish_substep(substep - 1, iterations);
            frame.begin_substep(substep, iterations);
        }
        Part::End => {
            frame.finish_substep(world.counts.substeps - 1, iterations);
            frame.finish();
        }
    }
    frame.dispatches
}

impl Frame<'_> {
    /// Starts a frame: forces become accelerations, targets become velocities, and contacts are found.
    fn begin(&mut self) {
        let Self { world, groups, .. } = *self;
        self.bind_substep(0, false);
        self.run(&world.kernels.begin, &groups.inputs, world.counts.particles);
        if world.counts.targets > 0 {
            self.run(&world.kernels.follow_targets, &groups.inputs, world.counts.targets);
        }
        if let Some(direct) = world.plan.direct.as_ref().filter(|_| world.counts.rescales_multipliers) {
            self.solve(&direct.rescale, &groups.pass);
        }
        self.detect();
    }

    /// Records a substep up to the first solution of its constraints.
    fn begin_substep(&mut self, substep: u32, iterations: u32) {
        self.predict(substep);
        self.project(substep, 0, iterations == 1);
    }

    /// Records the rest of a substep. Contacts are solved as often in an iteration as those of surfaces ask for.
    fn finish_substep(&mut self, substep: u32, iterations: u32) {
        if self.world.counts.colliders > 0 {
            self.enter_phase(StepPhase::Contacts);
            self.bind_substep(substep, iterations == 1);
            self.detect_collider_contacts();
        }
        for iteration in 0..iterations {
            if iteration > 0 {
                self.project(substep, iteration, iteration + 1 == iterations);
            }
            let sweeps = self.world.contacts.surfaces.sweeps as u32;
            for sweep in 0..sweeps {
                let last = iteration + 1 == iterations && sweep + 1 == sweeps;
                if self.world.contacts.surfaces.is_active {
                    self.bind_substep(substep, last);
                }
                self.contacts(iteration + sweep);
                if self.world.plan.finishes_after_contacts() {
                    self.end_sweep(iteration + sweep);
                    if sweep + 1 == sweeps {
                        self.finish_iteration(substep, iteration, last);
                    }
                } else {
                    self.end_iteration(substep, iteration + sweep, last);
                }
            }
        }
    }

    /// Finds the contacts with colliders of the frame that begins, and later those of particles that have strayed.
    fn detect_collider_contacts(&mut self) {
        let Self { world, groups, .. } = *self;
        if let Some(detect) = world.kernels.detect.as_ref().filter(|_| world.counts.colliders > 0) {
            self.run(detect, &groups.geometry, world.counts.particles);
        }
    }

    /// Finds the contacts of the frame.
    fn detect(&mut self) {
        let Self { world, groups, .. } = *self;
        self.detect_collider_contacts();
        if let (Some(pairs), Some(_)) = (&world.contacts.pairs, self.pair_groups()) {
            self.dispatches += pairs.search(self.pass(), &groups.state);
        }
        self.run_hook(KernelHook::BeginFrame);
    }

    /// Moves bodies, and particles as if there were no constraints, unless the substep before has
    /// done that already.
    fn predict(&mut self, substep: u32) {
        let Self { world, groups, .. } = *self;
        self.enter_phase(StepPhase::Predict);
        self.bind_substep(substep, false);
        if substep == 0 {
            self.keep_velocities();
            self.solve_impacts();
        }
        self.predict_bodies(substep);
        if substep == 0 || !self.fused {
            self.run(&world.kernels.substep.predict, &groups.outcome, world.counts.particles);
        }
        self.run_hook(KernelHook::BeginSubstep);
        self.warm_start_collisions();
        self.sort_media();
    }

    /// Solves every pass before contacts once.
    fn project(&mut self, substep: u32, iteration: u32, last: bool) {
        let Self { world, groups, .. } = *self;
        let warm = usize::from(iteration > 0);
        self.enter_phase(StepPhase::Project);
        self.bind_substep(substep, last);
        if let Some(direct) = &world.plan.direct {
            self.solve(if iteration == 0 { &direct.cold } else { &direct.warm }, &groups.pass);
        }
        let (before, _) = world.plan.around_contacts();
        for step in before {
            match step {
                Step::Traced(pass) => self.solve(&pass.solve[warm], &groups.pass),
                Step::Custom(number) => {
                    self.dispatches += world.plan.custom[*number].record(KernelHook::Project, self.pass());
                }
                &Step::Medium(place) => self.project_medium(place, iteration == 0, last),
            }
        }
        for pass in &world.contacts.transient.steps {
            world.contacts.transient.group().into_iter().for_each(|group| self.solve(&pass.solve[warm], group));
        }
    }

    /// Solves the contacts between particles, then those of surfaces, then those in which bodies move. Those with colliders
    /// come after them, so that no particle ends inside a wall.
    fn contacts(&mut self, iteration: u32) {
        let (pairs, warm) = (self.pair_groups(), usize::from(iteration > 0));
        if pairs.is_none() && !self.world.contacts.collisions.is_active() && self.world.contacts.surfaces.is_empty() {
            return;
        }
        let DeviceWorld { kernels, counts, .. } = self.world;
        let particles = counts.particles;
        self.enter_phase(StepPhase::Contacts);
        if iteration == 0 {
            self.update_collisions();
            if self.begins_with_walls() {
                self.solve_walls();
            }
        }
        let walls_warm = warm.max(usize::from(self.begins_with_walls()));
        for kind in ContactKind::SOLVE_ORDER {
            match kind {
                ContactKind::Particles => {
                    let Some([pairs, _]) = pairs else { continue };
                    if iteration == 0 {
                        self.run(&kernels.pairs.mark_touching, pairs, particles);
                    }
                    self.run(&kernels.pairs.solve[warm], pairs, particles);
                }
                ContactKind::Surfaces => self.solve_surfaces(0, warm),
                ContactKind::SurfaceBodies => self.solve_surfaces(1, warm),
                ContactKind::SurfaceShapes => self.solve_surfaces(2, walls_warm),
                ContactKind::ParticleBodies => self.solve_particle_bodies(warm),
                ContactKind::Bodies => self.solve_manifolds(warm),
                // Manifolds with the ground are solved with those of bodies, in the order in which they were laid out;
                // contacts with colliders are solved for each particle when an iteration is concluded.
                ContactKind::Ground | ContactKind::Shapes => {}
            }
        }
    }

    /// Solves contacts with colliders; in the last iteration velocities too, and the prediction of the next substep where
    /// nothing happens in between.
    fn end_iteration(&mut self, substep: u32, iteration: u32, last: bool) {
        let Self { world, groups, .. } = *self;
        if !last && world.counts.colliders == 0 && self.pair_groups().is_none() {
            return;
        }
        let (kernels, warm) = (&world.kernels, usize::from(iteration > 0 || self.begins_with_walls()));
        let kernel = match (last, substep + 1 == world.counts.substeps) {
            (false, _) => &kernels.substep.solve_contacts[warm],
            (true, false) if self.fused => &kernels.substep.end_and_predict[warm],
            (true, _) => &kernels.substep.end[warm],
        };
        if last {
            return self.end_substep(substep, kernel);
        }
        self.enter_phase(StepPhase::Contacts);
        self.run(kernel, &groups.outcome, world.counts.particles);
    }

    /// Solves contacts with colliders as [`Frame::end_iteration`] does.
    fn end_sweep(&mut self, sweep: u32) {
        let Self { world, groups, .. } = *self;
        self.enter_phase(StepPhase::Contacts);
        if world.counts.colliders > 0 || self.pair_groups().is_some() {
            let warm = usize::from(sweep > 0 || self.begins_with_walls());
            let kernel = &world.kernels.substep.solve_contacts[warm];
            self.run(kernel, &groups.outcome, world.counts.particles);
        }
    }

    /// Solves what comes after contacts, and the direct systems again; in the last iteration velocities too.
    fn finish_iteration(&mut self, substep: u32, iteration: u32, last: bool) {
        let Self { world, groups, .. } = *self;
        self.enter_phase(StepPhase::Project);
        let (_, after) = world.plan.around_contacts();
        for step in after {
            if let Step::Traced(pass) = step {
                self.solve(&pass.solve[usize::from(iteration > 0)], &groups.pass);
            }
        }
        if let Some(direct) = &world.plan.direct {
            let holds = world.counts.colliders > 0 && !direct.friction.is_empty();
            if holds {
                self.run(&world.kernels.substep.hold, &groups.outcome, world.counts.particles);
            }
            self.solve(&direct.warm, &groups.pass);
            if holds {
                self.solve(&direct.friction, &groups.pass);
            }
        }
        if last {
            if let Some(direct) = &world.plan.direct {
                self.solve(&direct.sums, &groups.pass);
            }
            self.end_substep(substep, &world.kernels.substep.take_velocities);
        }
    }

    /// Takes the impulses of contacts and, by this kernel, velocities, and then changes these.
    fn end_substep(&mut self, substep: u32, kernel: &wgpu::ComputePipeline) {
        let Self { world, groups, .. } = *self;
        self.enter_phase(StepPhase::Velocities);
        self.accumulate_collisions();
        self.mark_surfaces();
        self.run(kernel, &groups.outcome, world.counts.particles);
        self.solve_velocities(substep);
        self.run_hook(KernelHook::VelocityPass);
        self.solve_medium_velocities();
    }

    /// Solves the velocities of bodies, unless the next substep does, then the changes of velocities by constraints.
    fn solve_velocities(&mut self, substep: u32) {
        let Self { world, groups, .. } = *self;
        self.end_body_substep(substep);
        for pass in world.plan.traced() {
            self.solve(&pass.rates, &groups.pass);
        }
        for pass in &world.contacts.transient.steps {
            world.contacts.transient.group().into_iter().for_each(|group| self.solve(&pass.rates, group));
        }
        self.solve_collision_velocities();
    }

    /// Solves all substeps of small islands in one dispatch if that is possible, and returns whether it is.
    fn solve_islands(&mut self) -> bool {
        let Self { world, groups, .. } = *self;
        let (Some(islands), Some(group), None) = (&world.plan.islands, &groups.islands, self.pair_groups()) else {
            return false;
        };
        // Bodies and colliders may have come without a new plan.
        let plain =
            world.counts.bodies == 0 && world.counts.colliders == 0 && world.contacts.transient.steps.is_empty();
        if !plain || islands.loop_iterations * world.counts.substeps as usize > MAX_LOOP_ITERATIONS {
            return false;
        }
        self.enter_phase(StepPhase::Project);
        self.bind_substep(world.counts.substeps - 1, true);
        let pass = self.pass();
        pass.set_pipeline(&islands.pipeline);
        pass.set_bind_group(1, group, &[]);
        pass.dispatch_workgroups(islands.count, 1, 1);
        self.dispatches += 1;
        true
    }

    /// Lists the events for the host, freezes objects and folds offsets.
    fn finish(&mut self) {
        let Self { world, groups, .. } = *self;
        self.enter_phase(StepPhase::Finish);
        self.run_hook(KernelHook::EndFrame);
        if world.counts.colliders > 0 {
            self.run(&world.kernels.list_contacts, &groups.outcome, world.counts.particles);
        }
        if let Some([_, events]) = self.pair_groups() {
            self.run(&world.kernels.pairs.list, events, world.counts.particles);
        }
        self.run(&world.kernels.mark_non_finite, &groups.outcome, world.counts.particles);
        self.run(&world.kernels.fold_offsets, &groups.outcome, world.counts.particles);
        for flow in world.plan.traced().filter_map(|pass| pass.parameter_evolution.as_ref()) {
            self.solve(std::slice::from_ref(&flow.dispatch), &groups.parameter_evolution);
        }
        self.fold_bodies();
        self.pass = None;
        if let Some(timing) = &self.timing {
            timing.resolve(self.encoder);
        }
    }
}
