//! How the state comes back: frames that have finished, and everything at once on request.

use std::sync::atomic::Ordering;

use glam::Vec4;
use xpbd_core::schedule::{Pass, TracedPass};
use xpbd_core::world::state::DeviceState;
use xpbd_core::world::{State, StepError};

use super::DeviceWorld;
use crate::device::Device;
use crate::layout::{body, motion};
use crate::memory::{GrowableBuffer, make};
use crate::readback::{RING, ReadbackLayout, Slot, copy};

impl DeviceWorld {
    /// Returns the layout of what is read back.
    pub(super) fn sections(&self) -> ReadbackLayout {
        let counts = [self.particles, self.bodies, self.objects.len(), self.media.len()];
        ReadbackLayout::new(counts, self.events, self.collisions.room(), self.timing.is_some())
    }

    /// Returns a buffer to read the frame back with, and where everything is in it.
    pub fn slot(&mut self) -> Slot {
        let sections = self.sections();
        if self.idle.first().is_none_or(|slot| slot.sections != sections) {
            self.idle = (0..RING).map(|_| Slot::new(&self.device, sections.clone())).collect();
        }
        // There is one: as many as there may be on their way were made at once.
        self.idle.pop().unwrap_or_else(|| Slot::new(&self.device, sections))
    }

    /// Takes over finished frames; with `all` it waits for those that are not.
    ///
    /// # Errors
    /// The device is lost.
    pub fn collect(&mut self, state: &mut State, all: bool) -> Result<(), String> {
        let most = if all { 0 } else { RING - 1 };
        loop {
            let wait = self.ring.len() > most;
            let poll = if wait { wgpu::PollType::wait_indefinitely() } else { wgpu::PollType::Poll };
            self.device.device.poll(poll).map_err(|error| error.to_string())?;
            // A device tells that it is lost when it is polled; nothing can be made of it any more.
            if self.lost.load(Ordering::Acquire) {
                return Err("the device is lost".into());
            }
            while self.ring.front().is_some_and(Slot::is_ready) {
                self.take_first(state)?;
            }
            // On the web nothing may wait: what is on its way comes with a later frame.
            if self.ring.len() <= most || cfg!(target_arch = "wasm32") {
                return Ok(());
            }
            // Another thread has polled the device, and is about to tell of this frame.
            std::thread::yield_now();
        }
    }

    /// Takes over the oldest frame on its way, which has come.
    fn take_first(&mut self, state: &mut State) -> Result<(), String> {
        let Some(mut slot) = self.ring.pop_front() else { return Ok(()) };
        let particles = &mut state.particles;
        let vectors = [&mut particles.anchor[..], &mut particles.offset, &mut particles.velocity];
        let returned = slot.take(vectors).ok_or_else(|| "the device is lost".to_string())?;
        self.take_bodies(state, &returned.bodies, self.waits);
        let phases = std::mem::take(&mut slot.phases);
        if slot.sections == self.sections() {
            self.idle.push(slot);
        }
        crate::frame_result::apply(self, state, returned, &phases);
        Ok(())
    }

    /// Returns whether the device has seen all edits: otherwise the state of the host is the newer one.
    pub(super) fn is_newer_than(&self, state: &State) -> bool {
        self.uploaded.particle_edits == state.particle_revision && self.uploaded.body_edits == state.body_revision
    }

    /// Reads everything that is not read back every frame: history and multipliers.
    fn read_rest(&mut self, state: &mut State) -> Result<(), String> {
        let vectors = 16 * self.particles as u64;
        let lambda = 4 * self.plan.passes.lambda as u64;
        let parts = [
            (&self.buffers.anchor, 0, vectors),
            (&self.buffers.offset, 0, vectors),
            (&self.buffers.start, 0, vectors),
            (&self.buffers.motion, motion::VELOCITY * vectors, vectors),
            (&self.buffers.motion, motion::PREVIOUS_MOVE * vectors, vectors),
            (&self.buffers.motion, motion::PREVIOUS_VELOCITY * vectors, vectors),
            (&self.buffers.passes.lambda, 0, lambda),
            (&self.buffers.bodies, 0, 16 * body::STATE * self.bodies as u64),
        ];
        let bytes = read(&self.device, &parts)?;
        let particles = &mut state.particles;
        let lists = [
            &mut particles.anchor,
            &mut particles.offset,
            &mut particles.start,
            &mut particles.velocity,
            &mut particles.previous_displacement,
            &mut particles.previous_velocity,
        ];
        for (list, bytes) in lists.into_iter().zip(bytes.chunks_exact(vectors.max(1) as usize)) {
            copy(bytes, list);
        }
        let (lambda, bodies) = bytes[6 * vectors as usize..].split_at(lambda as usize);
        self.take_bodies(state, &bytemuck::pod_collect_to_vec::<u8, Vec4>(bodies), false);
        self.unread = false;
        let numbers = bytemuck::pod_collect_to_vec::<u8, f32>(lambda);
        if self.uploaded.plans == state.plan_generation {
            let passes = state.plan.passes.iter_mut().filter_map(|pass| match pass {
                Pass::Traced(pass) => Some(pass.as_mut()),
                Pass::Custom(_) | Pass::Medium(_) => None,
            });
            passes
                .zip(&self.plan.passes.bases)
                .for_each(|(pass, base)| take_multipliers(pass, &numbers[base.lambda as usize..]));
        }
        Ok(())
    }
}

/// Takes the multipliers of a pass, row after row.
fn take_multipliers(pass: &mut TracedPass, numbers: &[f32]) {
    let count = pass.len();
    for (row, numbers) in pass.lambda.iter_mut().zip(numbers.chunks_exact(count.max(1))) {
        row[..count].copy_from_slice(numbers);
    }
}

/// Reads parts of buffers, waiting for the device: (buffer, first byte, bytes).
pub fn read(device: &Device, parts: &[(&GrowableBuffer, u64, u64)]) -> Result<Vec<u8>, String> {
    let size: u64 = parts.iter().map(|part| part.2).sum();
    if size == 0 {
        return Ok(Vec::new());
    }
    let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
    let target = make(device, "synchronize", size, usage, false);
    let mut encoder = device.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut end = 0;
    for (source, offset, bytes) in parts.iter().filter(|part| part.2 > 0) {
        encoder.copy_buffer_to_buffer(&source.buffer, *offset, &target, end, *bytes);
        end += bytes;
    }
    device.queue.submit([encoder.finish()]);
    device.count_read(size);
    let (sender, receiver) = std::sync::mpsc::channel();
    target.slice(..).map_async(wgpu::MapMode::Read, move |result| {
        // Nobody listens when waiting has failed.
        let _ = sender.send(result);
    });
    device.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| error.to_string())?;
    // The one who tells may be another thread that polls the device; on the web nobody can wait.
    let told = if cfg!(target_arch = "wasm32") { receiver.try_recv().ok() } else { receiver.recv().ok() };
    match told {
        Some(Ok(())) => Ok(target.slice(..).get_mapped_range().to_vec()),
        _ => Err("the device is lost".into()),
    }
}

impl DeviceState for DeviceWorld {
    fn sync_from_device(&mut self, state: &mut State) -> Result<(), StepError> {
        if !self.is_newer_than(state) {
            return Ok(());
        }
        let lost = |reason| StepError::Backend { name: "gpu".into(), reason };
        self.collect(state, true).map_err(lost)?;
        self.give_back(state).and_then(|()| self.read_rest(state)).map_err(lost)
    }
}
