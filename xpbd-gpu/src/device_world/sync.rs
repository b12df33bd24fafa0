//! Copies of the state for the host: of finished frames, and of everything on request.

use glam::Vec4;
use xpbd_core::schedule::TracedPass;
use xpbd_core::world::state::DeviceState;
use xpbd_core::world::{State, StepError};

use super::fetched::NOT_FETCHED;
use super::{DeviceWorld, WorldBuffers};
use crate::device::{MAY_BLOCK, wait_for};
use crate::host_copy::BufferPart;
use crate::layout::{BODY_RETURNED, motion};
use crate::memory::FRAMES_IN_FLIGHT;
use crate::readback::{ReadbackLayout, ReadbackSlot, copy};

impl DeviceWorld {
    /// Returns the layout of the readback.
    pub(super) fn sections(&self) -> ReadbackLayout {
        let counts = [self.counts.particles, self.counts.bodies, self.readbacks.objects.len(), self.media.len()];
        ReadbackLayout::new(
            counts,
            self.capacity.events,
            self.contacts.collisions.readback_sizes(),
            if self.host.reads_multipliers { self.plan.passes.lambda } else { 0 },
            self.timing.is_some(),
        )
    }

    /// Brings the state of the host up to date, if the device has the newer one.
    ///
    /// # Errors
    /// The device is lost.
    pub async fn synchronize(&mut self, state: &mut State) -> Result<(), String> {
        if !self.is_newer_than(state) {
            return Ok(());
        }
        if !MAY_BLOCK {
            self.fetch().await;
        }
        self.collect_frames(state, true).await?;
        self.sync_batches(state)?;
        self.read_remaining(state)
    }

    /// Returns a buffer to read the frame back with.
    pub fn readback_slot(&mut self) -> ReadbackSlot {
        self.readbacks.slot(self.sections(), &self.device)
    }

    /// Applies finished frames; with `all` it waits for the others. In a page any number of others may be on their way.
    ///
    /// # Errors
    /// The device is lost.
    pub async fn collect_frames(&mut self, state: &mut State, all: bool) -> Result<(), String> {
        let most = match all {
            true => 0,
            false if MAY_BLOCK => FRAMES_IN_FLIGHT - 1,
            false => usize::MAX,
        };
        loop {
            let blocks = self.readbacks.in_flight.len() > most && MAY_BLOCK;
            let poll = if blocks { wgpu::PollType::wait_indefinitely() } else { wgpu::PollType::Poll };
            self.device.device.poll(poll).map_err(|error| error.to_string())?;
            // A device reports that it is lost when it is polled; it can make no objects any more.
            if let Some(reason) = self.lost.get() {
                return Err(reason.clone());
            }
            while self.readbacks.in_flight.front().is_some_and(ReadbackSlot::is_ready) {
                self.apply_oldest_frame(state)?;
            }
            // Another thread may have polled the device, and be about to run the callback of this frame.
            match self.readbacks.in_flight.front().filter(|_| self.readbacks.in_flight.len() > most) {
                Some(slot) => slot.ownership().resolved().await,
                None => return Ok(()),
            }
        }
    }

    /// Applies the oldest frame on its way, which has come back.
    fn apply_oldest_frame(&mut self, state: &mut State) -> Result<(), String> {
        let Some(mut slot) = self.readbacks.in_flight.pop_front() else { return Ok(()) };
        let particles = &mut state.particles;
        let vectors = [&mut particles.anchor[..], &mut particles.offset, &mut particles.velocity];
        let returned = slot.take(vectors).ok_or_else(|| "the device is lost".to_string())?;
        self.sync_bodies(state, &returned.bodies, self.host.waits_for_frame);
        self.sync_multipliers(state, &returned.multipliers);
        let phases = std::mem::take(&mut slot.phases);
        if slot.layout == self.sections() {
            self.readbacks.idle.push(slot);
        }
        super::frame_result::apply(self, state, returned, &phases);
        Ok(())
    }

    /// Returns whether the device has seen all edits; otherwise the state of the host is the newer one.
    pub(super) fn is_newer_than(&self, state: &State) -> bool {
        self.uploaded.particle_revision == state.particle_revision && self.uploaded.body_revision == state.body_revision
    }

    /// Returns where the whole state of particles, constraints and bodies is: more than comes back every frame.
    pub(super) fn state_parts(&self) -> Vec<BufferPart<'_>> {
        let WorldBuffers { anchor, offset, start, motion, bodies, .. } = &self.buffers;
        let vectors = 16 * self.counts.particles as u64;
        vec![
            (&anchor.buffer, 0, vectors),
            (&offset.buffer, 0, vectors),
            (&start.buffer, 0, vectors),
            (&motion.buffer, motion::VELOCITY * vectors, vectors),
            (&motion.buffer, motion::PREVIOUS_DISPLACEMENT * vectors, vectors),
            (&motion.buffer, motion::PREVIOUS_VELOCITY * vectors, vectors),
            self.multipliers(),
            (&bodies.buffer, 0, 16 * BODY_RETURNED * self.counts.bodies as u64),
        ]
    }

    fn multipliers(&self) -> BufferPart<'_> {
        (&self.buffers.passes.lambda.buffer, 0, 4 * self.plan.passes.lambda as u64)
    }

    /// Copies the state that is not read back every frame: history and multipliers.
    fn read_remaining(&mut self, state: &mut State) -> Result<(), String> {
        let bytes = self.read(&self.state_parts())?;
        let (vectors, lambda) = (16 * self.counts.particles, 4 * self.plan.passes.lambda);
        let particles = &mut state.particles;
        let lists = [
            &mut particles.anchor,
            &mut particles.offset,
            &mut particles.start,
            &mut particles.velocity,
            &mut particles.previous_displacement,
            &mut particles.previous_velocity,
        ];
        for (list, bytes) in lists.into_iter().zip(bytes.chunks_exact(vectors.max(1))) {
            copy(bytes, list);
        }
        let (lambda, bodies) = bytes[6 * vectors..].split_at(lambda);
        self.sync_bodies(state, &bytemuck::pod_collect_to_vec::<u8, Vec4>(bodies), false);
        self.sync_multipliers(state, &bytemuck::pod_collect_to_vec::<u8, f32>(lambda));
        Ok(())
    }

    /// Copies the multipliers with which direct solves of the next substep begin, if the device has them of this plan.
    ///
    /// # Errors
    /// The device is lost.
    pub(super) fn sync_direct_multipliers(&self, state: &mut State) -> Result<(), String> {
        if self.plan.direct.is_none() || self.uploaded.plan_generation != state.plan_generation {
            return Ok(());
        }
        let bytes = self.read(&[self.multipliers()])?;
        self.sync_multipliers(state, &bytemuck::pod_collect_to_vec::<u8, f32>(&bytes));
        Ok(())
    }

    /// Gives the plan its multipliers of the last substep and their means, if they are of this plan.
    fn sync_multipliers(&self, state: &mut State, multipliers: &[f32]) {
        if self.uploaded.plan_generation != state.plan_generation || multipliers.len() != self.plan.passes.lambda {
            return;
        }
        for (pass, base) in state.plan.traced_mut().zip(&self.plan.passes.bases) {
            take_multipliers(pass, &multipliers[base.lambda as usize..]);
            pass.average_multipliers(self.counts.substeps);
        }
    }
}

/// Copies the multipliers of a pass and their sums, row by row.
fn take_multipliers(pass: &mut TracedPass, numbers: &[f32]) {
    let count = pass.len();
    if count == 0 {
        return;
    }
    let rows = pass.lambda.iter_mut().chain(&mut pass.mean_lambda);
    for (row, numbers) in rows.zip(numbers.chunks_exact(count)) {
        row[..count].copy_from_slice(numbers);
    }
}

impl DeviceState for DeviceWorld {
    fn sync_from_device(&mut self, state: &mut State) -> Result<(), StepError> {
        let result = wait_for(self.synchronize(state)).unwrap_or_else(|| Err(NOT_FETCHED.into()));
        result.map_err(|reason| StepError::Backend { name: "gpu".into(), reason })
    }
}
