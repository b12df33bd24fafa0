//! Upload of the state that has changed since the last frame.

use bytemuck::cast_slice;
use glam::Vec4;
use xpbd_core::collide::particle_shape::MAX_CONTACT_PLANES;
use xpbd_core::collide::slowest_rebound;
use xpbd_core::world::State;

use super::{DeviceWorld, WorldBuffers};
use crate::layout::{SubstepUniform, flag, motion, start, uniform_table};
use crate::particle_pairs::ParticlePairs;
use crate::pipelines::Pipelines;
use crate::plan::DevicePlan;
use crate::scene::SceneTable;
use crate::upload::Upload;

/// Number of colliders that a particle is likely to be near at once.
const LIKELY_COLLIDERS: usize = 4;
/// Bytes of a contact with a collider; see `contact.wgsl`.
const CONTACT: u64 = 48;

impl DeviceWorld {
    /// Writes to a buffer before the frame.
    pub(super) fn write(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.device.queue.write_buffer(buffer, offset, bytes);
        }
    }

    /// Uploads all particles after an edit of any.
    pub(super) fn upload_particles(&mut self, state: &State) -> Result<(), String> {
        if self.uploaded.particle_revision == state.particle_revision {
            return Ok(());
        }
        let count = state.particles.len();
        let bytes = 16 * count as u64;
        let WorldBuffers { anchor, offset, start, motion, .. } = &mut self.buffers;
        let mut new = false;
        for (buffer, sections) in [(anchor, 1), (offset, 1), (start, start::SECTIONS), (motion, motion::SECTIONS)] {
            new |= buffer.reserve(&self.device, sections * bytes)?;
        }
        self.readbacks.objects = state.objects.keys().to_vec();
        self.capacity.events = self.capacity.events.max(count.max(1024));
        self.groups = self.groups.take().filter(|_| !new);
        self.counts.particles = count;
        let (buffers, particles) = (&self.buffers, &state.particles);
        self.write(&buffers.anchor.buffer, 0, cast_slice(&particles.anchor));
        self.write(&buffers.offset.buffer, 0, cast_slice(&particles.offset));
        self.write(&buffers.start.buffer, 0, cast_slice(&particles.start));
        for (section, vectors) in [
            (motion::VELOCITY, &particles.velocity),
            (motion::PREVIOUS_DISPLACEMENT, &particles.previous_displacement),
            (motion::PREVIOUS_VELOCITY, &particles.previous_velocity),
        ] {
            self.write(&buffers.motion.buffer, section * bytes, cast_slice(vectors));
        }
        self.uploaded.marks_are_stale = true;
        self.uploaded.particle_revision = state.particle_revision;
        Ok(())
    }

    /// Returns whether the device has the plan of the host.
    pub fn has_plan(&self, state: &State) -> bool {
        let known = &self.uploaded;
        known.plan_generation == state.plan_generation
            && known.method == Some((state.settings.iterations, state.settings.integrator))
            && state.plan.traced().map(|pass| pass.is_damped()).eq(known.damped.iter().copied())
    }

    pub(super) fn upload_plan(&mut self, state: &mut State, pipelines: &mut Pipelines) -> Result<(), String> {
        if self.has_plan(state) {
            return Ok(());
        }
        self.sync_batches(state)?;
        self.sync_direct_multipliers(state)?;
        let plan = DevicePlan::new(state, &self.device, pipelines)?;
        let uniform: &[u8] = plan.islands.as_ref().map_or(&[], |islands| cast_slice(&islands.ranges));
        self.buffers.islands.reserve(&self.device, uniform.len() as u64)?;
        let queue = &self.device.queue;
        let write = |buffer: &wgpu::Buffer, offset, bytes: &[u8]| queue.write_buffer(buffer, offset, bytes);
        let new = self.buffers.passes.hold(&plan.passes, &self.device, |bytes| bytes, write)?;
        // The bind group of islands is as long as their uniform.
        self.groups = self.groups.take().filter(|_| !new && plan.islands.is_none());
        self.write(&self.buffers.islands.buffer, 0, uniform);
        self.plan = plan;
        state.plan.traced_mut().for_each(|pass| pass.changed.fill(0..0));
        self.uploaded.damped = state.plan.traced().map(|pass| pass.is_damped()).collect();
        self.uploaded.plan_generation = state.plan_generation;
        self.uploaded.method = Some((state.settings.iterations, state.settings.integrator));
        Ok(())
    }

    /// Uploads the numbers of constraints that have changed since they were last uploaded.
    pub(super) fn upload_numbers(&mut self, state: &mut State, upload: &mut Upload) {
        let DevicePlan { passes, columns, custom, .. } = &mut self.plan;
        custom.iter_mut().for_each(|batch| batch.upload_inputs(state, upload));
        for ((pass, range), columns) in state.plan.traced_mut().zip(&passes.bases).zip(columns) {
            for (place, &column) in (pass.nodes.len()..).zip(columns.iter()) {
                let slots = std::mem::take(&mut pass.changed[usize::from(column)]);
                let first = u64::from(range.base) + place as u64 * u64::from(range.stride) + slots.start as u64;
                let numbers = cast_slice(&pass.columns[usize::from(column)][slots]);
                upload.write(&self.buffers.passes.data.buffer, 4 * first, numbers);
            }
        }
    }

    /// Copies to the host the buffers of hand-written batches, and the parameters of traced ones.
    pub(super) fn sync_batches(&mut self, state: &mut State) -> Result<(), String> {
        for batch in &self.plan.custom {
            batch.take_written(&self.read(&batch.written().collect::<Vec<_>>())?, state);
        }
        self.sync_parameters(state)
    }

    pub(super) fn upload_scene(&mut self, state: &State, dt: f32, upload: &mut Upload) -> Result<(), String> {
        let new = self.counts.colliders > 0 && self.shapes.update(state)?;
        if new && !self.shapes.words().is_empty() {
            let words = cast_slice(self.shapes.words());
            if self.buffers.geometry.reserve(&self.device, words.len() as u64)? {
                self.groups = None;
            }
            self.write(&self.buffers.geometry.buffer, 0, words);
        }
        let first_words = if self.counts.colliders > 0 { self.shapes.first_words() } else { &[] };
        let scene = SceneTable::new(state, first_words, dt);
        if scene != self.uploaded.scene {
            if self.buffers.scene.reserve(&self.device, 4 * scene.words.len() as u64)? {
                self.groups = None;
            }
            upload.write(&self.buffers.scene.buffer, 0, cast_slice(&scene.words));
            self.uploaded.scene = scene;
        }
        Ok(())
    }

    /// Uploads forces, targets and paths of bodies, where there are any.
    pub(super) fn upload_inputs(&mut self, state: &State, paths: &[Vec4], upload: &mut Upload) -> Result<(), String> {
        let mut targets: Vec<Vec4> = Vec::new();
        for (_, object) in state.objects.iter() {
            let world = |particle: u32| f32::from_bits((object.range.start as u32) + particle);
            targets.extend(object.pin_targets.iter().map(|&(particle, goal)| goal.extend(world(particle))));
        }
        self.counts.targets = targets.len();
        let forces = if state.has_forces { self.counts.particles } else { 0 };
        let first = 16 * self.counts.particles as u64;
        targets.extend(paths);
        if self.buffers.inputs.reserve(&self.device, first + 16 * targets.len() as u64)? {
            self.groups = None;
        }
        let padded: Vec<Vec4> = state.particles.force[..forces].iter().map(|force| force.extend(0.0)).collect();
        upload.write(&self.buffers.inputs.buffer, 0, cast_slice(&padded));
        upload.write(&self.buffers.inputs.buffer, first, cast_slice(&targets));
        self.uploaded.forces = forces;
        Ok(())
    }

    /// Makes room for contacts and for the results of the frame.
    pub(super) fn reserve_contacts(&mut self, state: &State) -> Result<(), String> {
        let room = self.sections().outcome;
        if self.buffers.outcome.reserve(&self.device, room.end - room.start)? {
            self.groups = None;
        }
        if std::mem::take(&mut self.uploaded.marks_are_stale) {
            self.write(&self.buffers.outcome.buffer, 0, &vec![0; 16 + 4 * self.readbacks.objects.len()]);
        }
        if self.counts.colliders == 0 {
            return Ok(());
        }
        // A collider gives a particle at most so many; few particles are near more than a few colliders.
        let likely = (MAX_CONTACT_PLANES * state.colliders.len().min(LIKELY_COLLIDERS)) as u32;
        let most = (self.device.max_buffer_size() / (CONTACT * (self.counts.particles as u64 + 2)))
            .clamp(1, u64::from(u32::MAX)) as u32;
        self.capacity.contacts = self.capacity.contacts.max(likely).min(most);
        let contacts = u64::from(self.capacity.contacts) * self.counts.particles as u64;
        let bytes = 64 + CONTACT * contacts;
        if self.buffers.contacts.reserve(&self.device, bytes)? {
            self.groups = None;
        }
        Ok(())
    }

    /// Prepares the search for pairs of particles, in a world that can have any.
    pub(super) fn update_pairs(&mut self, state: &State, dt: f32, pipelines: &mut Pipelines) -> Result<(), String> {
        if self.contacts.pairs.is_none() && !ParticlePairs::are_possible(state) {
            return Ok(());
        }
        let mut pairs = match self.contacts.pairs.take() {
            Some(pairs) => pairs,
            None => ParticlePairs::new(pipelines.pairs(&self.device)?, &self.device),
        };
        if pairs.update(state, dt, &self.device)? {
            self.groups = None;
        }
        self.capacity.events = self.capacity.events.max(4 * self.counts.particles);
        self.contacts.pairs = Some(pairs);
        Ok(())
    }

    /// Uploads two uniforms a substep: one for its inner iterations, and one for its last.
    pub(super) fn upload_substeps(&mut self, state: &State, dt: f32, upload: &mut Upload) -> Result<(), String> {
        let h = dt / self.counts.substeps as f32;
        self.counts.rescales_multipliers = state.multiplier_scale(h).is_some();
        let [_, compliance_scale, per_force] = state.uniforms(h);
        let settings = &state.settings;
        let flags = if state.restarts_integration(dt) { flag::RESTART_HISTORY } else { 0 };
        let all_or_none = |all: bool| if all { u32::MAX } else { 0 };
        let always_kept = settings.iterations > 1 || self.contacts.surfaces.is_active;
        let scene = &self.uploaded.scene;
        let common = SubstepUniform {
            h,
            two_thirds_h: h * (2.0 / 3.0),
            inverse_h: 1.0 / h,
            inverse_two_thirds_h: 1.5 / h,
            compliance_scale,
            per_force,
            omega: settings.schedule.omega,
            radius: settings.particle_radius,
            max_depenetration_speed: settings.max_depenetration_speed,
            dt,
            particles: self.counts.particles as u32,
            bodies: state.bodies.len() as u32,
            colliders: self.counts.colliders as u32,
            contact_capacity: self.capacity.contacts,
            targets: self.counts.targets as u32,
            event_capacity: self.capacity.events as u32,
            object_table: scene.objects,
            collider_table: scene.colliders,
            object_count: self.readbacks.objects.len() as u32,
            forces: self.uploaded.forces as u32,
            kinematic_bodies: self.counts.kinematic_bodies as u32,
            slowest_rebound: slowest_rebound(settings, h),
            multiplier_scale: state.multiplier_scale(h).unwrap_or(1.0),
            ..SubstepUniform::default()
        };
        let mut substeps = Vec::with_capacity(2 * self.counts.substeps as usize);
        for index in 0..self.counts.substeps {
            let is_last = index + 1 == self.counts.substeps;
            let flags = if index == 0 { flags | flag::FIRST_SUBSTEP } else { flags };
            let kept = all_or_none(always_kept);
            let common = SubstepUniform { substeps_left: (self.counts.substeps - index) as f32, ..common };
            substeps.push(SubstepUniform { index, flags, kept, ..common });
            let (flags, kept) = (flags | flag::LAST_ITERATION, all_or_none(always_kept || is_last));
            substeps.push(SubstepUniform { index, flags, kept, ..common });
        }
        if substeps != self.uploaded.substeps {
            let bytes = uniform_table(&substeps);
            if self.buffers.substeps.reserve(&self.device, bytes.len() as u64)? {
                self.groups = None;
            }
            upload.write(&self.buffers.substeps.buffer, 0, &bytes);
            self.uploaded.substeps = substeps;
        }
        Ok(())
    }
}
