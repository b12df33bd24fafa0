//! The advance of a frame: update of the device world, submission, and readback.

use std::any::Any;
use std::sync::Arc;

use xpbd_core::collide::ContactSet;
use xpbd_core::schedule::TracedPass;
use xpbd_core::world::{State, StepPhase, StepReport};

use super::{GpuBackend, Readback};
use crate::device::Device;
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
    fn advance_surfaces(
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
            world.update_surface_contacts(state, substep, h, &mut self.pipelines, &mut self.upload)?;
        }
        Ok(())
    }

    /// Advances a world by a frame of `dt` \[s\].
    pub(super) fn advance_frame(
        &mut self,
        world: &mut DeviceWorld,
        state: &mut State,
        passes: &[&TracedPass],
        dt: f32,
        report: &mut StepReport,
    ) -> Result<(), String> {
        world.collect_frames(state, false)?;
        report.timed(StepPhase::Detect, || world.find_mutual_contacts(state, dt))?;
        let tangled = state.contacts.surfaces.tangled;
        report.timed(StepPhase::Detect, || world.find_surface_pairs(state, dt))?;
        // The host reads the state in the course of a frame with surfaces.
        let is_active = world.contacts.surfaces.is_active;
        let before = is_active.then(|| (state.particles.clone(), state.contacts.surfaces.crossed.clone()));
        let (found, dropped) = (state.contacts.surfaces.len(), state.contacts.surfaces.dropped());
        let device = self.device.device.clone();
        let result = Device::checked(&device, || self.finish_frame(world, state, passes, dt, report));
        let Some((particles, crossed)) = before else { return result };
        report.surface_contacts = found;
        report.dropped_contacts += dropped;
        if result.is_err() {
            state.particles = particles;
            state.contacts.surfaces.clear();
            (state.contacts.surfaces.crossed, state.contacts.surfaces.tangled) = (crossed, tangled);
        }
        result
    }

    /// Finishes a frame whose contacts the host has found, as far as it does.
    fn finish_frame(
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
            report.timed(StepPhase::Contacts, || self.advance_surfaces(world, &groups, state, dt))?;
        }
        report.timed(StepPhase::Plan, || self.submit(world, &groups, state.settings.iterations))?;
        world.groups = Some(groups);
        if world.contacts.surfaces.is_active {
            world.sync_surfaces(state, dt / world.counts.substeps as f32, false)?;
        }
        world.collect_frames(state, world.host.waits_for_frame)?;
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
