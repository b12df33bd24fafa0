//! A frame: edits become a plan, targets become motion, the back end runs the substeps, and what
//! came out is checked and made known.

use std::mem;
use std::ops::ControlFlow;

use glam::{Vec3, Vec4, Vec4Swizzles};

use super::error::StepError;
use super::report::{StepPhase, StepReport};
use super::sleep::FrameStart;
use super::state::{Backend, State};
use super::{Integrator, World};
use crate::collide::{Contact, ContactImpulse};

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
        #[cfg(feature = "trace")]
        let _span = tracing::info_span!("xpbd/step").entered();
        let mut frame = match self.begin_frame(dt)? {
            ControlFlow::Continue(frame) => frame,
            ControlFlow::Break(report) => return Ok(report),
        };
        let result = backend.advance(frame.state, dt, &mut frame.report);
        frame.end(result)
    }

    /// Advances the world as [`World::step`] does, but awaits what that waits for, as a page demands of a back end that computes on
    /// a device. If the future is dropped before it ends, the world is that of the last frame that came back from the device.
    ///
    /// # Errors
    /// Those of [`World::step`].
    pub async fn step_async(&mut self, backend: &mut impl Backend, dt: f32) -> Result<StepReport, StepError> {
        let mut frame = match self.begin_frame(dt)? {
            ControlFlow::Continue(frame) => frame,
            ControlFlow::Break(report) => return Ok(report),
        };
        let result = backend.advance_async(frame.state, dt, &mut frame.report).await;
        frame.end(result)
    }

    /// Makes the plan and the motion of bodies of a frame, unless it is too short for anything to change.
    fn begin_frame(&mut self, dt: f32) -> Result<ControlFlow<StepReport, Frame<'_>>, StepError> {
        if !(dt.is_finite() && dt >= 0.0) {
            return Err(StepError::Dt(dt));
        }
        self.state.settings.validate()?;
        let mut report = StepReport { substeps: self.state.settings.substeps, ..StepReport::default() };
        if dt < SHORTEST_FRAME {
            return Ok(ControlFlow::Break(report));
        }
        let state = &mut *self.state;
        if state.plan_is_stale || state.has_sleepers() {
            state.prepare_plan();
        }
        let before = &mut self.frame_start;
        state.record_frame_start(before);
        state.bodies.begin_frame(state.settings.gravity, dt);
        state.wake_touched(dt);
        if mem::take(&mut state.plan_is_stale) {
            report.timed(StepPhase::Plan, || state.rebuild_plan());
        }
        report.constraints = state.plan.traced().map(|pass| pass.len()).sum();
        report.colours = state.plan.colour_count();
        Ok(ControlFlow::Continue(Frame { state, before, dt, report, has_ended: false }))
    }

    /// Brings all that queries read up to date with the last step. Only a back end that works on a
    /// device of its own leaves anything to do: it may let queries lag a frame or two behind.
    ///
    /// # Errors
    /// The device is lost; queries then tell of the last frame that came back from it.
    pub fn synchronize(&mut self) -> Result<(), StepError> {
        self.state.sync_from_device()
    }
}

/// A frame that has begun. Unless it ends well, it has not happened.
struct Frame<'a> {
    state: &'a mut State,
    before: &'a mut FrameStart,
    dt: f32,
    report: StepReport,
    has_ended: bool,
}

impl Frame<'_> {
    /// Ends the frame, if the back end has advanced it.
    fn end(mut self, result: Result<(), StepError>) -> Result<StepReport, StepError> {
        result?;
        self.has_ended = true;
        self.state.end_frame(self.dt, self.before, &mut self.report);
        Ok(mem::take(&mut self.report))
    }
}

impl Drop for Frame<'_> {
    fn drop(&mut self) {
        if !self.has_ended {
            self.state.bodies.undo_frame(&self.before.bodies);
        }
    }
}

/// What the start of a frame changes in the particles, to undo it when the frame does not happen.
pub(crate) struct ParticleFrameStart {
    velocities: Vec<(usize, Vec4)>,
    /// Where the particles were, for objects to be frozen at.
    anchors: Vec<Vec4>,
}

impl State {
    /// Returns whether the history of the particles does not fit a frame of this length: the next substep
    /// then starts anew with first order.
    pub fn restarts_integration(&self, dt: f32) -> bool {
        let h = dt / self.settings.substeps as f32;
        h != self.last_substep || self.settings.integrator == Integrator::FirstOrder
    }

    /// Turns targets into velocities and forces into accelerations.
    pub(crate) fn begin_particle_frame(&mut self, dt: f32) -> ParticleFrameStart {
        let restarts = self.restarts_integration(dt);
        self.update_accelerations();
        let anchors = self.particles.anchor.clone();
        let before = ParticleFrameStart { velocities: self.apply_pin_targets(dt), anchors };
        if restarts {
            self.particles.previous_displacement.iter_mut().for_each(|history| history.w = 0.0);
        }
        before
    }

    /// Turns forces on particles into the accelerations of the frame that begins.
    pub fn update_accelerations(&mut self) {
        let Self { objects, particles, settings, .. } = self;
        for (_, object) in objects.iter() {
            for i in object.range.clone() {
                let w = particles.anchor[i].w;
                let push =
                    if w > 0.0 { settings.gravity * object.gravity_scale + particles.force[i] * w } else { Vec3::ZERO };
                particles.acceleration[i] = push.extend(object.linear_damping);
            }
        }
    }

    /// Takes back what the start of a frame has changed.
    pub(crate) fn undo_particle_frame(&mut self, before: ParticleFrameStart) {
        for (i, velocity) in before.velocities {
            self.particles.velocity[i] = velocity;
        }
    }

    /// Freezes what is not finite, folds offsets into anchors and makes the frame's events.
    pub(crate) fn end_particle_frame(&mut self, before: &ParticleFrameStart, report: &mut StepReport) {
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
                    particles.set_position(i, position, Vec3::ZERO);
                    particles.anchor[i].w = 0.0;
                }
            }
            for i in object.range.clone() {
                particles.fold_offset(i);
                if particles.anchor[i].w == 0.0 {
                    particles.velocity[i] = Vec4::ZERO;
                }
            }
        });
        let events = self.events(self.contacts.particle_impulses());
        self.replace_events(events);
    }

    /// Makes the events of a frame whose contacts a back end has found elsewhere, but for those of surfaces; the
    /// particles are those of its end.
    pub fn publish_contacts(&mut self, pushed: impl Iterator<Item = ContactImpulse>) {
        let surfaces: Vec<ContactImpulse> = self.contacts.surfaces.particle_impulses().collect();
        let events = self.events(pushed.chain(surfaces));
        self.replace_events(events);
    }

    /// Returns the events of a frame with these impulses.
    fn events(&self, pushed: impl Iterator<Item = ContactImpulse>) -> Vec<Contact> {
        let rests = |collider| self.is_at_rest(collider);
        self.contacts.merge_events(pushed, &self.objects, &self.colliders, &self.particles, &rests)
    }

    fn replace_events(&mut self, events: Vec<Contact>) {
        self.contacts.events = events;
        self.contacts.surfaces.record_crossed(&self.particles, &self.bodies);
    }

    /// Ends a frame that was stepped: its inputs are used up.
    fn end_frame(&mut self, dt: f32, before: &FrameStart, report: &mut StepReport) {
        for k in 0..self.bodies.len() {
            if self.bodies.freeze_if_invalid(k, &before.bodies) {
                self.plan_is_stale = true;
                report.frozen_bodies.extend(self.body_handles.keys().get(k));
            }
        }
        self.objects.for_each_mut(|_, object| object.pin_targets.clear());
        if mem::take(&mut self.has_forces) {
            self.particles.force.fill(Vec3::ZERO);
        }
        self.bodies.end_frame();
        let mut contacts = mem::take(&mut self.contacts);
        contacts.update_collisions(&self.bodies, &self.colliders, &|collider| self.is_at_rest(collider));
        self.contacts = contacts;
        self.update_sensor_overlaps();
        self.update_sleep(before, dt);
        self.contacts.bodies.end_frame();
        if self.contacts.bodies.has_frozen(&self.bodies) {
            self.settle_body_contacts();
        }
        self.frames += 1;
        self.last_substep = dt / self.settings.substeps as f32;
        self.break_overloaded();
    }
}
