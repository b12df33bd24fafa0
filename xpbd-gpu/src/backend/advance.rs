//! The advance of a frame: update of the device world, submission, and readback.

use std::any::Any;
use std::sync::Arc;

use xpbd_core::collide::ContactSet;
use xpbd_core::collide::surface_contacts::SurfaceMemory;
use xpbd_core::particles::Particles;
use xpbd_core::schedule::TracedPass;
use xpbd_core::world::{Backend, State, StepError, StepPhase, StepReport};

use super::{GpuBackend, Readback};
use crate::device::{CheckedWork, MAY_BLOCK};
use crate::device_world::{BindGroups, DeviceWorld};
use crate::frame::{self, Part};
use crate::timing::Timing;

impl GpuBackend {
    /// Returns the device world of a world: the present one, or a new one.
    pub(super) fn device_world(&self, state: &mut State) -> Box<DeviceWorld> {
        // Devices of two instances may compare equal.
        let ours = |world: &DeviceWorld| Arc::ptr_eq(&world.lost, &self.lost);
        if let Some(device_state) = state.device_state.take() {
            let device_state: Box<dyn Any> = device_state;
            match device_state.downcast::<DeviceWorld>() {
                Ok(world) if ours(&world) => return world,
                Ok(world) => state.device_state = Some(world),
                Err(_) => {}
            }
            state.detach_from_device();
        }
        Box::new(DeviceWorld::new(&self.device, &self.lost, self.kernels.clone()))
    }

    /// Submits the upload, then the commands that `record` records.
    fn submit_recorded(&mut self, record: impl FnOnce(&mut Self, &mut wgpu::CommandEncoder)) -> Result<(), String> {
        let mut encoder = self.device.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let submitted = self.upload.record(&self.device, &self.lost, &mut encoder)?;
        record(self, &mut encoder);
        self.device.queue.submit([encoder.finish()]);
        self.submissions += 1;
        if let Some(submitted) = submitted {
            submitted();
        }
        Ok(())
    }

    /// Submits a frame, or its end where surfaces collide.
    fn submit(&mut self, world: &mut DeviceWorld, groups: &BindGroups, iterations: u32) -> Result<(), String> {
        let part = if world.contacts.surfaces.is_active { Part::End } else { Part::Whole };
        let mut slot =
            (self.readback == Readback::EveryFrame || world.host.waits_for_frame).then(|| world.readback_slot());
        let mut timing = world.timing.take();
        let sent = self.submit_recorded(|this, encoder| {
            let timed = timing.as_mut().filter(|_| part == Part::Whole);
            this.dispatches = frame::record(world, groups, timed, encoder, iterations, part);
            if let Some(slot) = &mut slot {
                slot.has_collisions = world.contacts.collisions.is_active();
                frame::copy(world, timing.as_ref(), encoder, slot);
                let timed = timing.as_ref().filter(|_| part == Part::Whole);
                slot.phases = timed.map(|timing| timing.phases.clone()).unwrap_or_default();
            }
        });
        world.timing = timing;
        sent?;
        world.discard_fetched();
        world.host.parameters_evolved |= world.plan.traced().any(|pass| pass.parameter_evolution.is_some());
        if let Some(slot) = slot {
            self.device.count_read(slot.buffer.size());
            slot.map();
            world.readbacks.in_flight.push_back(slot);
        }
        Ok(())
    }

    /// Submits a frame with surfaces up to the contacts of its last substep.
    async fn advance_surfaces(
        &mut self,
        world: &mut DeviceWorld,
        groups: &BindGroups,
        state: &mut State,
        dt: f32,
    ) -> Result<(), String> {
        let (h, iterations) = (dt / world.counts.substeps as f32, state.settings.iterations);
        for substep in 0..world.counts.substeps {
            self.submit_recorded(|_, encoder| {
                frame::record(world, groups, None, encoder, iterations, Part::To(substep));
            })?;
            world.update_surface_contacts(state, substep, h, &mut self.pipelines, &mut self.upload).await?;
        }
        Ok(())
    }

    /// Advances a world by a frame of `dt` \[s\], and solves `passes` of this frame alone after those of the plan. The frame waits
    /// for the device where it has to, or is refused if it may not. A frame that is dropped halfway has not happened.
    pub(super) async fn advance_frame(
        &mut self,
        state: &mut State,
        passes: &[&TracedPass],
        dt: f32,
        report: &mut StepReport,
        may_wait: bool,
    ) -> Result<(), StepError> {
        let work = CheckedWork::begin(&self.device.device);
        let mut world = self.device_world(state);
        world.host.may_wait = may_wait;
        let mut frame = UnfinishedFrame { state: &mut *state, before: None };
        let result = self.work_through(&mut world, &mut frame, passes, dt, report).await;
        let result = work.end(result);
        if result.is_ok() {
            frame.before = None;
        }
        drop(frame);
        // An aborted frame leaves no valid device state.
        if result.is_ok() || !world.contacts.surfaces.is_active {
            state.device_state = Some(world);
        }
        result.map_err(|reason| {
            state.detach_from_device();
            StepError::Backend { name: self.name(), reason }
        })
    }

    /// Finds the contacts that the host finds, and computes the frame.
    async fn work_through(
        &mut self,
        world: &mut DeviceWorld,
        frame: &mut UnfinishedFrame<'_>,
        passes: &[&TracedPass],
        dt: f32,
        report: &mut StepReport,
    ) -> Result<(), String> {
        let state = &mut *frame.state;
        if !MAY_BLOCK && world.host.may_wait && !world.has_plan(state) {
            // A new plan takes over what the device has of the old one.
            world.fetch().await;
        }
        world.collect_frames(state, false).await?;
        report.timed_async(StepPhase::Detect, world.find_mutual_contacts(state, dt)).await?;
        let memory = state.contacts.surfaces.memory();
        report.timed(StepPhase::Detect, || world.find_surface_pairs(state, dt))?;
        let surfaces = &state.contacts.surfaces;
        let (found, dropped) = (surfaces.len(), surfaces.dropped());
        if world.contacts.surfaces.is_active {
            // The host reads the state in the course of the frame.
            frame.before = Some((state.particles.clone(), memory));
        }
        let result = self.compute(world, frame.state, passes, dt, report).await;
        if frame.before.is_some() {
            report.surface_contacts = found;
            report.dropped_contacts += dropped;
        }
        result
    }

    /// Computes a frame whose contacts the host has found, as far as it does.
    async fn compute(
        &mut self,
        world: &mut DeviceWorld,
        state: &mut State,
        passes: &[&TracedPass],
        dt: f32,
        report: &mut StepReport,
    ) -> Result<(), String> {
        self.upload.clear();
        if self.timed != world.timing.is_some() {
            world.timing = Timing::new(&self.device).filter(|_| self.timed);
        }
        report.timed(StepPhase::Plan, || world.update(state, passes, dt, &mut self.pipelines, &mut self.upload))?;
        let groups = world.groups.take().ok_or("no bind groups")?;
        if world.contacts.surfaces.is_active {
            report.timed_async(StepPhase::Contacts, self.advance_surfaces(world, &groups, state, dt)).await?;
        }
        report.timed(StepPhase::Plan, || self.submit(world, &groups, state.settings.iterations))?;
        world.groups = Some(groups);
        if world.contacts.surfaces.is_active {
            world.sync_surfaces(state, dt / world.counts.substeps as f32, false).await?;
        }
        let waits = world.host.waits_for_frame && world.host.may_wait;
        if waits && !MAY_BLOCK {
            // At its end the frame may edit the world.
            world.fetch().await;
        }
        world.collect_frames(state, waits).await?;
        world.host.is_behind = !world.host.waits_for_frame || !world.readbacks.in_flight.is_empty();
        // Counts stand until another frame comes back; events are reported once.
        let StepReport { shape_contacts, particle_contacts, particle_contacts_active, .. } = world.readbacks.report;
        let kept = StepReport { shape_contacts, particle_contacts, particle_contacts_active, ..StepReport::default() };
        let returned = std::mem::replace(&mut world.readbacks.report, kept);
        report.surface_contacts_active = state.contacts.surfaces.active();
        report.surface_crossings = state.contacts.surfaces.crossings();
        report.body_contacts = state.contacts.bodies.len();
        report.shape_contacts = returned.shape_contacts + state.contacts.particle_bodies.len();
        report.particle_contacts = returned.particle_contacts;
        report.particle_contacts_active = returned.particle_contacts_active;
        report.dropped_contacts = returned.dropped_contacts;
        report.frozen = returned.frozen;
        report.frozen_bodies = returned.frozen_bodies;
        report.seconds.iter_mut().zip(returned.seconds).for_each(|(sum, seconds)| *sum += seconds);
        Ok(())
    }
}

/// A frame in which the host may have changed what it has to take back if the frame does not happen.
struct UnfinishedFrame<'a> {
    state: &'a mut State,
    /// The state before a frame with surfaces.
    before: Option<(Particles, SurfaceMemory)>,
}

impl Drop for UnfinishedFrame<'_> {
    fn drop(&mut self) {
        if let Some((particles, memory)) = self.before.take() {
            self.state.particles = particles;
            self.state.contacts.surfaces.undo_frame(memory);
        }
    }
}
