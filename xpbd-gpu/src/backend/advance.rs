//! How a frame is advanced: its home brought up to date, submitted, and what has come back taken.

use std::any::Any;
use std::sync::Arc;

use xpbd_core::schedule::TracedPass;
use xpbd_core::world::{State, StepPhase, StepReport};

use super::{GpuBackend, Readback};
use crate::device_world::{DeviceWorld, Groups};
use crate::frame::{self, Part};
use crate::timing::Timing;

impl GpuBackend {
    /// Returns the home of a world: the one that it has, or a new one.
    pub(super) fn device_world(&self, state: &mut State) -> Box<DeviceWorld> {
        // Devices of two instances may compare equal.
        let ours = |home: &DeviceWorld| Arc::ptr_eq(&home.lost, &self.lost);
        if let Some(residence) = state.device_state.take() {
            let residence: Box<dyn Any> = residence;
            match residence.downcast::<DeviceWorld>() {
                Ok(home) if ours(&home) => return home,
                Ok(home) => state.device_state = Some(home),
                Err(_) => {}
            }
            state.detach_from_device();
        }
        Box::new(DeviceWorld::new(&self.device, &self.lost, self.kernels.clone()))
    }

    /// Submits what is to be uploaded, and what `record` records after it.
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

    /// Submits a frame, or with surfaces its end.
    fn submit(&mut self, home: &mut DeviceWorld, groups: &Groups, iterations: u32) -> Result<(), String> {
        let part = if home.surfaces.are_there { Part::End } else { Part::Whole };
        let mut slot = (self.readback == Readback::EveryFrame || home.waits).then(|| home.slot());
        let mut timing = home.timing.take();
        let sent = self.submit_recorded(|this, encoder| {
            let timed = timing.as_mut().filter(|_| part == Part::Whole);
            this.dispatches = frame::record(home, groups, timed, encoder, iterations, part);
            if let Some(slot) = &mut slot {
                slot.collides = home.collisions.is_active();
                frame::copy(home, timing.as_ref(), encoder, slot);
                let timed = timing.as_ref().filter(|_| part == Part::Whole);
                slot.phases = timed.map(|timing| timing.phases.clone()).unwrap_or_default();
            }
        });
        home.timing = timing;
        sent?;
        home.unread |= slot.is_none();
        home.flowed |= home.plan.traced().any(|pass| pass.flow.is_some());
        if let Some(slot) = slot {
            self.device.count_read(slot.buffer.size());
            slot.map();
            home.ring.push_back(slot);
        }
        Ok(())
    }

    /// Submits a frame with surfaces to where their contacts of the last substep are known.
    fn advance_surfaces(
        &mut self,
        home: &mut DeviceWorld,
        groups: &Groups,
        state: &mut State,
        dt: f32,
    ) -> Result<(), String> {
        let (h, iterations) = (dt / home.substeps as f32, state.settings.iterations);
        for substep in 0..home.substeps {
            self.submit_recorded(|_, encoder| {
                frame::record(home, groups, None, encoder, iterations, Part::To(substep));
            })?;
            home.touch_surfaces(state, substep, h, &mut self.pipelines, &mut self.upload)?;
        }
        Ok(())
    }

    /// Advances a world by a frame of `dt` \[s\].
    pub(super) fn advance_frame(
        &mut self,
        home: &mut DeviceWorld,
        state: &mut State,
        passes: &[&TracedPass],
        dt: f32,
        report: &mut StepReport,
    ) -> Result<(), String> {
        home.collect(state, false)?;
        report.timed(StepPhase::Detect, || home.find_mutual(state, dt))?;
        report.timed(StepPhase::Detect, || home.find_surfaces(state, dt))?;
        if !home.surfaces.are_there {
            return self.finish_frame(home, state, passes, dt, report);
        }
        // The host learns of the state in the course of the frame.
        let (particles, crossed) = (state.particles.clone(), state.contacts.surfaces.crossed.clone());
        let (found, dropped) = (state.contacts.surfaces.len(), state.contacts.surfaces.dropped());
        let result = self.finish_frame(home, state, passes, dt, report);
        report.surface_contacts = found;
        report.dropped_contacts += dropped;
        if result.is_err() {
            state.particles = particles;
            state.contacts.surfaces.clear();
            state.contacts.surfaces.crossed = crossed;
        }
        result
    }

    /// The rest of a frame whose contacts the host has found, as far as it does.
    fn finish_frame(
        &mut self,
        home: &mut DeviceWorld,
        state: &mut State,
        passes: &[&TracedPass],
        dt: f32,
        report: &mut StepReport,
    ) -> Result<(), String> {
        self.upload.clear();
        if self.timed != home.timing.is_some() {
            home.timing = Timing::new(&self.device).filter(|_| self.timed);
        }
        report.timed(StepPhase::Plan, || home.update(state, passes, dt, &mut self.pipelines, &mut self.upload))?;
        let groups = home.groups.take().ok_or("no bind groups")?;
        if home.surfaces.are_there {
            report.timed(StepPhase::Contacts, || self.advance_surfaces(home, &groups, state, dt))?;
        }
        report.timed(StepPhase::Plan, || self.submit(home, &groups, state.settings.iterations))?;
        home.groups = Some(groups);
        if home.surfaces.are_there {
            home.take_surfaces(state, dt / home.substeps as f32, false)?;
        }
        home.collect(state, home.waits)?;
        home.is_behind = !home.waits;
        // Counts stand until another frame comes back; what has happened is told once.
        let StepReport { shape_contacts, particle_contacts, particle_contacts_active, .. } = home.returned;
        let kept = StepReport { shape_contacts, particle_contacts, particle_contacts_active, ..StepReport::default() };
        let returned = std::mem::replace(&mut home.returned, kept);
        report.surface_contacts_active = state.contacts.surfaces.active();
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
