//! A frame: edits become a plan, targets become motion, the back end runs the substeps, and what
//! came out is checked and made known.

use std::mem;

use glam::{Vec3, Vec4, Vec4Swizzles};

use super::error::StepError;
use super::report::{Phase, StepReport};
use super::state::{Backend, State};
use super::{Integrator, World};
use crate::bodies::Bodies;

/// The shortest frame that is stepped \[s\]: 1/h² must be a number.
pub const SHORTEST_FRAME: f32 = 1e-12;

impl World {
    /// Advances the world by `dt` \[s\]. `dt` = 0 changes nothing, not even a bit; neither does a
    /// frame shorter than [`SHORTEST_FRAME`].
    ///
    /// # Errors
    /// A `dt` that is negative or not finite, settings that no step could honour, or a back end
    /// that cannot go on; the world is then as it was.
    pub fn step(&mut self, backend: &mut impl Backend, dt: f32) -> Result<StepReport, StepError> {
        if !(dt.is_finite() && dt >= 0.0) {
            return Err(StepError::Dt(dt));
        }
        self.state.settings.validate()?;
        let mut report = StepReport { substeps: self.state.settings.substeps, ..StepReport::default() };
        if dt < SHORTEST_FRAME {
            return Ok(report);
        }
        let state = &mut self.state;
        if mem::take(&mut state.plan_is_stale) {
            report.timed(Phase::Plan, || state.rebuild_plan());
        }
        report.constraints = state.plan.traced().map(|pass| pass.len()).sum();
        report.colours = state.plan.colours();
        let before = state.begin_frame(dt);
        if let Err(error) = backend.advance(state, dt, &mut report) {
            state.undo_frame(before);
            return Err(error);
        }
        let mut finish = StepReport::default();
        finish.timed(Phase::Finish, || state.end_frame(&before, &mut report, dt));
        report.seconds[Phase::Finish as usize] += finish.time(Phase::Finish);
        Ok(report)
    }
}

/// What the start of a frame has consumed, to give it back when the frame does not happen.
struct Consumed {
    targets: Vec<Vec<(u32, Vec3)>>,
    bodies: Bodies,
    velocities: Vec<(usize, Vec4)>,
    /// Where the particles were, for objects to be frozen at.
    anchors: Vec<Vec4>,
}

impl State {
    /// Turns targets into velocities and forces into accelerations.
    fn begin_frame(&mut self, dt: f32) -> Consumed {
        let (bodies, anchors) = (self.bodies.clone(), self.particles.anchor.clone());
        let mut before = Consumed { targets: Vec::new(), bodies, velocities: Vec::new(), anchors };
        self.bodies.begin_frame();
        let Self { objects, particles, settings, .. } = self;
        objects.for_each_mut(|_, object| {
            let targets = mem::take(&mut object.targets);
            for i in object.range.clone() {
                let w = particles.anchor[i].w;
                let push =
                    if w > 0.0 { settings.gravity * object.gravity_scale + particles.force[i] * w } else { Vec3::ZERO };
                particles.acceleration[i] = push.extend(object.drag);
            }
            for &(particle, target) in &targets {
                let i = object.range.start + particle as usize;
                before.velocities.push((i, particles.velocity[i]));
                if particles.anchor[i].w == 0.0 && !object.frozen {
                    let way = (target - particles.anchor[i].xyz()) - particles.offset[i].xyz();
                    particles.velocity[i] = (way / dt).extend(0.0);
                }
            }
            before.targets.push(targets);
        });
        let h = dt / self.settings.substeps as f32;
        if h != self.last_substep || self.settings.integrator == Integrator::FirstOrder {
            self.particles.previous_move.iter_mut().for_each(|history| history.w = 0.0);
        }
        before
    }

    fn undo_frame(&mut self, before: Consumed) {
        self.bodies = before.bodies;
        for (i, velocity) in before.velocities {
            self.particles.velocity[i] = velocity;
        }
        let mut targets = before.targets.into_iter();
        self.objects.for_each_mut(|_, object| object.targets = targets.next().unwrap_or_default());
    }

    /// Freezes what is not finite, folds offsets into anchors and makes the frame's events.
    fn end_frame(&mut self, before: &Consumed, report: &mut StepReport, dt: f32) {
        let Self { objects, particles, plan_is_stale, .. } = self;
        objects.for_each_mut(|handle, object| {
            let finite =
                |i: usize| (particles.anchor[i] + particles.offset[i]).is_finite() && particles.velocity[i].is_finite();
            if !object.frozen && !object.range.clone().all(finite) {
                object.frozen = true;
                *plan_is_stale = true;
                report.frozen.push(handle);
                for i in object.range.clone() {
                    let position = before.anchors[i].xyz();
                    particles.place(i, position, Vec3::ZERO);
                    particles.anchor[i].w = 0.0;
                }
            }
            for i in object.range.clone() {
                particles.fold(i);
                particles.force[i] = Vec3::ZERO;
                if particles.anchor[i].w == 0.0 {
                    particles.velocity[i] = Vec4::ZERO;
                }
            }
        });
        self.bodies.end_frame();
        self.frames += 1;
        self.last_substep = dt / self.settings.substeps as f32;
        self.contacts.finish(&self.objects, &self.colliders, &self.particles);
    }
}
