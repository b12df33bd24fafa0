//! What lives on the device of one world: its buffers, and how they follow the world's edits.

use bytemuck::cast_slice;
use glam::Vec4;
use xpbd_core::schedule::TracedPass;
use xpbd_core::world::state::Residence;
use xpbd_core::world::{Integrator, ObjectHandle, State, StepError, StepReport};

use crate::device::Device;
use crate::geometry::Shapes;
use crate::kernels::Kernels;
use crate::layout::{BODY_SECTIONS, Substep, flag, motion, table};
use crate::memory::{Growing, make};
use crate::particles::ParticlePairs;
use crate::pipelines::Pipelines;
use crate::plan::DevicePlan;
use crate::readback::{RING, Sections, Slot};
use crate::scene::SceneTable;
use crate::timing::Timing;
use crate::upload::Upload;

/// The buffers of a world.
#[derive(Debug)]
pub struct Buffers {
    /// Uniforms of the substeps.
    pub substeps: Growing,
    /// Position \[m\] and inverse mass \[1/kg\] of each particle.
    pub anchor: Growing,
    /// What the anchor lacks to the position \[m\].
    pub offset: Growing,
    /// Position at the start of the substep.
    pub start: Growing,
    /// Velocities and history; see [`motion`].
    pub motion: Growing,
    /// Poses and paths of bodies.
    pub bodies: Growing,
    /// Objects and colliders.
    pub scene: Growing,
    /// Forces and targets.
    pub inputs: Growing,
    /// Contacts with colliders.
    pub contacts: Growing,
    /// Shapes of colliders.
    pub geometry: Growing,
    /// What the host learns of a frame.
    pub outcome: Growing,
    /// Uniforms of the dispatches over passes.
    pub ranges: Growing,
    /// Uniform of small islands.
    pub islands: Growing,
    /// Constraint data.
    pub data: Growing,
    /// Multipliers.
    pub lambda: Growing,
    /// Corrections of Jacobi passes.
    pub corrections: Growing,
}

impl Buffers {
    fn new(device: &Device) -> Self {
        let storage = |label| Growing::storage(device, label);
        Self {
            substeps: Growing::uniforms(device, "substeps"),
            anchor: Growing::vertices(device, "anchor"),
            offset: Growing::vertices(device, "offset"),
            start: storage("start"),
            motion: Growing::vertices(device, "motion"),
            bodies: storage("bodies"),
            scene: storage("scene"),
            inputs: storage("inputs"),
            contacts: storage("contacts"),
            geometry: storage("geometry"),
            outcome: storage("outcome"),
            ranges: Growing::uniforms(device, "ranges"),
            islands: Growing::uniforms(device, "islands"),
            data: storage("data"),
            lambda: storage("lambda"),
            corrections: storage("corrections"),
        }
    }
}

/// Bind groups over the buffers as they are.
#[derive(Debug)]
pub struct Groups {
    /// The state of the world.
    pub state: wgpu::BindGroup,
    /// A pass.
    pub pass: wgpu::BindGroup,
    /// The scene with contacts and inputs.
    pub inputs: wgpu::BindGroup,
    /// The scene with contacts and geometry.
    pub geometry: wgpu::BindGroup,
    /// The scene with contacts and outcome.
    pub outcome: wgpu::BindGroup,
    /// The scene with pairs, and what the host learns of them, if there can be any.
    pub pairs: Option<[wgpu::BindGroup; 2]>,
    /// All passes of small islands.
    pub islands: Option<wgpu::BindGroup>,
}

/// What was uploaded last, to leave out what has not changed.
#[derive(Debug, Default)]
struct Uploaded {
    particle_edits: u64,
    plans: u64,
    warm: bool,
    scene: SceneTable,
    substeps: Vec<Substep>,
    forces: bool,
}

/// A world on the device.
#[derive(Debug)]
pub struct Home {
    /// The device.
    pub device: Device,
    /// Its buffers.
    pub buffers: Buffers,
    /// Bind groups over them; none after a buffer was replaced.
    pub groups: Option<Groups>,
    /// The plan, and its dispatches.
    pub plan: DevicePlan,
    /// Pipelines of everything else.
    pub kernels: Kernels,
    /// Particles.
    pub particles: usize,
    /// Substeps of the frame.
    pub substeps: u32,
    /// Contacts with colliders that a particle may have.
    pub ranks: u32,
    /// Contacts that may push in a frame.
    pub events: usize,
    /// Colliders.
    pub colliders: usize,
    /// Bodies.
    pub bodies: usize,
    /// Targets of the frame.
    pub targets: usize,
    /// Frames on their way to the host, the oldest first.
    pub ring: std::collections::VecDeque<Slot>,
    /// Buffers that wait for the next frame.
    pub idle: Vec<Slot>,
    /// Objects in the order in which their marks lie in the copies on their way.
    pub objects: Vec<ObjectHandle>,
    /// Reports of frames that came back since the last step.
    pub returned: StepReport,
    /// Times of phases, if they are taken.
    pub timing: Option<Timing>,
    /// Pairs of particles, if there ever were any.
    pub pairs: Option<ParticlePairs>,
    shapes: Shapes,
    uploaded: Uploaded,
    clear_marks: bool,
}

/// Contacts with colliders that a particle may have at first.
const RANKS: u32 = 4;

impl Home {
    /// An empty home.
    pub fn new(device: &Device, kernels: Kernels) -> Self {
        Self {
            device: device.clone(),
            buffers: Buffers::new(device),
            groups: None,
            plan: DevicePlan::default(),
            kernels,
            particles: 0,
            substeps: 1,
            ranks: RANKS,
            events: 0,
            colliders: 0,
            bodies: 0,
            targets: 0,
            ring: std::collections::VecDeque::new(),
            idle: Vec::new(),
            objects: Vec::new(),
            returned: StepReport::default(),
            timing: None,
            pairs: None,
            shapes: Shapes::default(),
            clear_marks: true,
            // No revision of a world is this one.
            uploaded: Uploaded { particle_edits: u64::MAX, plans: u64::MAX, ..Uploaded::default() },
        }
    }

    /// Brings the device up to date with the edits of the host, for a frame of `dt` \[s\].
    ///
    /// # Errors
    /// A buffer that the device cannot give, a kernel that it refuses, or a shape without a kernel.
    pub fn update(
        &mut self,
        state: &mut State,
        dt: f32,
        pipelines: &mut Pipelines,
        upload: &mut Upload,
    ) -> Result<(), String> {
        self.substeps = state.settings.substeps;
        self.upload_particles(state)?;
        self.upload_plan(state, pipelines)?;
        if !state.colliders.is_empty() {
            self.kernels.need_detect(&self.device, pipelines)?;
        }
        self.colliders = state.colliders.len();
        self.upload_scene(state, dt, upload)?;
        self.upload_bodies(state, upload)?;
        self.upload_inputs(state, upload)?;
        self.update_pairs(state, dt, pipelines)?;
        self.reserve_contacts(state)?;
        self.upload_substeps(state, dt, upload)?;
        if self.groups.is_none() {
            self.groups = Some(self.bind(pipelines));
        }
        Ok(())
    }

    /// Uploads after an edit.
    fn write(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.device.queue.write_buffer(buffer, offset, bytes);
        }
    }

    /// Uploads all particles after an edit of any.
    fn upload_particles(&mut self, state: &State) -> Result<(), String> {
        if self.uploaded.particle_edits == state.particle_edits {
            return Ok(());
        }
        let count = state.particles.len();
        let bytes = 16 * count as u64;
        let Buffers { anchor, offset, start, motion, .. } = &mut self.buffers;
        let mut new = false;
        for buffer in [anchor, offset, start] {
            new |= buffer.reserve(&self.device, bytes)?;
        }
        new |= motion.reserve(&self.device, motion::SECTIONS * bytes)?;
        self.objects = state.objects.keys().to_vec();
        self.events = self.events.max(count.max(1024));
        self.groups = self.groups.take().filter(|_| !new);
        self.particles = count;
        let (buffers, particles) = (&self.buffers, &state.particles);
        self.write(&buffers.anchor.buffer, 0, cast_slice(&particles.anchor));
        self.write(&buffers.offset.buffer, 0, cast_slice(&particles.offset));
        self.write(&buffers.start.buffer, 0, cast_slice(&particles.start));
        for (section, vectors) in [
            (motion::VELOCITY, &particles.velocity),
            (motion::PREVIOUS_MOVE, &particles.previous_move),
            (motion::PREVIOUS_VELOCITY, &particles.previous_velocity),
        ] {
            self.write(&buffers.motion.buffer, section * bytes, cast_slice(vectors));
        }
        self.clear_marks = true;
        self.uploaded.particle_edits = state.particle_edits;
        Ok(())
    }

    fn upload_plan(&mut self, state: &mut State, pipelines: &mut Pipelines) -> Result<(), String> {
        let warm = state.settings.iterations > 1;
        if self.uploaded.plans == state.plans && self.uploaded.warm == warm {
            return Ok(());
        }
        self.give_back(state)?;
        let plan = DevicePlan::new(state, &self.device, pipelines)?;
        let Buffers { ranges, islands, data, lambda, corrections, .. } = &mut self.buffers;
        let uniform: &[u8] = plan.islands.as_ref().map_or(&[], |islands| cast_slice(&islands.ranges));
        islands.reserve(&self.device, uniform.len() as u64)?;
        let mut new = ranges.reserve(&self.device, table(&plan.ranges).len() as u64)?;
        new |= data.reserve(&self.device, 4 * plan.data.len() as u64)?;
        new |= lambda.reserve(&self.device, 4 * plan.lambda as u64)?;
        new |= corrections.reserve(&self.device, 16 * plan.corrections as u64)?;
        // The bind group of islands is as long as their uniform.
        self.groups = self.groups.take().filter(|_| !new && plan.islands.is_none());
        self.write(&self.buffers.islands.buffer, 0, uniform);
        self.write(&self.buffers.ranges.buffer, 0, &table(&plan.ranges));
        self.write(&self.buffers.data.buffer, 0, cast_slice(&plan.data));
        self.plan = plan;
        self.uploaded.plans = state.plans;
        self.uploaded.warm = warm;
        Ok(())
    }

    /// Gives hand-written batches what their kernels have written.
    fn give_back(&self, state: &mut State) -> Result<(), String> {
        self.plan.custom.iter().try_for_each(|batch| batch.give_back(state, &self.device))
    }

    fn upload_scene(&mut self, state: &State, dt: f32, upload: &mut Upload) -> Result<(), String> {
        let new = self.shapes.update(state)?;
        if new && !self.shapes.words().is_empty() {
            let words = cast_slice(self.shapes.words());
            if self.buffers.geometry.reserve(&self.device, words.len() as u64)? {
                self.groups = None;
            }
            self.write(&self.buffers.geometry.buffer, 0, words);
        }
        let scene = SceneTable::new(state, self.shapes.places(), dt);
        if scene != self.uploaded.scene {
            if self.buffers.scene.reserve(&self.device, 4 * scene.words.len() as u64)? {
                self.groups = None;
            }
            upload.write(&self.buffers.scene.buffer, 0, cast_slice(&scene.words));
            self.uploaded.scene = scene;
        }
        Ok(())
    }

    /// Uploads the bodies and where each of them is at the end of every substep, which moves them
    /// on the host.
    fn upload_bodies(&mut self, state: &mut State, upload: &mut Upload) -> Result<(), String> {
        let bodies = &mut state.bodies;
        self.bodies = bodies.len();
        if bodies.is_empty() {
            return Ok(());
        }
        let mut vectors: Vec<Vec4> = Vec::new();
        for section in [&bodies.anchor, &bodies.offset, &bodies.start] {
            vectors.extend(section);
        }
        for section in [&bodies.rotation, &bodies.start_rotation] {
            vectors.extend(section.iter().map(|&rotation| Vec4::from(rotation)));
        }
        vectors.extend(&bodies.inverse_inertia);
        debug_assert_eq!(vectors.len(), BODY_SECTIONS * bodies.len());
        let substeps = self.substeps as f32;
        for substep in 0..self.substeps {
            bodies.advance(1.0 / substeps, (substep + 1) as f32 / substeps);
            vectors.extend(&bodies.offset);
            vectors.extend(bodies.rotation.iter().map(|&rotation| Vec4::from(rotation)));
        }
        if self.buffers.bodies.reserve(&self.device, 16 * vectors.len() as u64)? {
            self.groups = None;
        }
        upload.write(&self.buffers.bodies.buffer, 0, cast_slice(&vectors));
        Ok(())
    }

    /// Uploads forces and targets, where there are any.
    fn upload_inputs(&mut self, state: &State, upload: &mut Upload) -> Result<(), String> {
        let mut targets: Vec<Vec4> = Vec::new();
        for (_, object) in state.objects.iter() {
            let world = |particle: u32| f32::from_bits((object.range.start as u32) + particle);
            targets.extend(object.targets.iter().map(|&(particle, goal)| goal.extend(world(particle))));
        }
        self.targets = targets.len();
        let forces = if state.forces_act { self.particles } else { 0 };
        let first = 16 * self.particles as u64;
        if self.buffers.inputs.reserve(&self.device, first + 16 * targets.len() as u64)? {
            self.groups = None;
        }
        let padded: Vec<Vec4> = state.particles.force[..forces].iter().map(|force| force.extend(0.0)).collect();
        upload.write(&self.buffers.inputs.buffer, 0, cast_slice(&padded));
        upload.write(&self.buffers.inputs.buffer, first, cast_slice(&targets));
        self.uploaded.forces = forces > 0;
        Ok(())
    }

    /// Makes room for contacts and for what the host learns of them.
    fn reserve_contacts(&mut self, state: &State) -> Result<(), String> {
        let room = self.sections().outcome;
        if self.buffers.outcome.reserve(&self.device, room.end - room.start)? {
            self.groups = None;
        }
        if std::mem::take(&mut self.clear_marks) {
            self.write(&self.buffers.outcome.buffer, 0, &vec![0; 16 + 4 * self.objects.len()]);
        }
        if state.colliders.is_empty() {
            return Ok(());
        }
        let particles = self.particles as u64;
        let vectors = particles.div_ceil(4) + u64::from(self.ranks) * particles * 3;
        if self.buffers.contacts.reserve(&self.device, 64 + 16 * vectors)? {
            self.groups = None;
        }
        Ok(())
    }

    /// Prepares the search for pairs of particles, in a world that can have any.
    fn update_pairs(&mut self, state: &State, dt: f32, pipelines: &mut Pipelines) -> Result<(), String> {
        if self.pairs.is_none() && !ParticlePairs::are_possible(state) {
            return Ok(());
        }
        let mut pairs = match self.pairs.take() {
            Some(pairs) => pairs,
            None => ParticlePairs::new(pipelines.pairs(&self.device)?, &self.device),
        };
        if pairs.update(state, dt, &self.device)? {
            self.groups = None;
        }
        self.events = self.events.max(4 * self.particles);
        self.pairs = Some(pairs);
        Ok(())
    }

    /// Two uniforms a substep: for its inner iterations, and for its last.
    fn upload_substeps(&mut self, state: &State, dt: f32, upload: &mut Upload) -> Result<(), String> {
        let h = dt / self.substeps as f32;
        let [_, compliance_scale] = state.uniforms(h);
        let settings = &state.settings;
        let mut flags = 0;
        for (is_set, flag) in [
            (settings.integrator == Integrator::SecondOrder, flag::SECOND_ORDER),
            (settings.iterations > 1, flag::KEEP),
            (state.restarts(dt), flag::RESTART),
            (self.uploaded.forces, flag::FORCES),
            (self.has_pairs(), flag::PAIRS),
        ] {
            flags |= if is_set { flag } else { 0 };
        }
        let scene = &self.uploaded.scene;
        let common = Substep {
            h,
            two_thirds_h: h * (2.0 / 3.0),
            rate: 1.0 / h,
            second_rate: 1.5 / h,
            compliance_scale,
            omega: settings.schedule.omega,
            radius: settings.radius,
            margin: settings.margin,
            depenetration: settings.max_depenetration_speed,
            dt,
            particles: self.particles as u32,
            bodies: state.bodies.len() as u32,
            colliders: state.colliders.len() as u32,
            ranks: self.ranks,
            targets: self.targets as u32,
            events: self.events as u32,
            owners: 0,
            objects: scene.objects,
            collider_table: scene.colliders,
            object_count: self.objects.len() as u32,
            target_table: self.particles as u32,
            ..Substep::default()
        };
        let mut substeps = Vec::with_capacity(2 * self.substeps as usize);
        for index in 0..self.substeps {
            let keep = if index + 1 == self.substeps { flag::KEEP } else { 0 };
            substeps.push(Substep { index, flags, ..common });
            substeps.push(Substep { index, flags: flags | keep | flag::LAST, ..common });
        }
        if substeps != self.uploaded.substeps {
            let bytes = table(&substeps);
            if self.buffers.substeps.reserve(&self.device, bytes.len() as u64)? {
                self.groups = None;
            }
            upload.write(&self.buffers.substeps.buffer, 0, &bytes);
            self.uploaded.substeps = substeps;
        }
        Ok(())
    }

    /// Whether particles may touch each other.
    pub fn has_pairs(&self) -> bool {
        self.pairs.as_ref().is_some_and(ParticlePairs::is_needed)
    }

    fn bind(&self, pipelines: &Pipelines) -> Groups {
        let b = &self.buffers;
        let group = |layout: &wgpu::BindGroupLayout, uniform: Option<(&Growing, usize)>, storage: &[&Growing]| {
            let table = uniform.map(|(table, size)| {
                let size = wgpu::BufferSize::new(size as u64);
                wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: &table.buffer, offset: 0, size })
            });
            let rest = storage.iter().map(|buffer| buffer.buffer.as_entire_binding());
            let entries = table.into_iter().chain(rest).zip(0..);
            let entries: Vec<_> =
                entries.map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource }).collect();
            self.device.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
        };
        let state = [&b.anchor, &b.offset, &b.start, &b.motion, &b.bodies];
        let islands = self.plan.islands.as_ref().map(|islands| {
            let size = islands.ranges.len() * size_of::<crate::layout::Range>();
            group(&pipelines.islands, Some((&b.islands, size)), &[&b.data, &b.lambda, &b.corrections])
        });
        let scene = |third| group(&pipelines.scene, None, &[&b.scene, &b.contacts, third]);
        Groups {
            state: group(&pipelines.state, Some((&b.substeps, size_of::<Substep>())), &state),
            pass: group(
                &pipelines.pass,
                Some((&b.ranges, size_of::<crate::layout::Range>())),
                &[&b.data, &b.lambda, &b.corrections],
            ),
            inputs: scene(&b.inputs),
            geometry: scene(&b.geometry),
            outcome: scene(&b.outcome),
            islands,
            pairs: self.pairs.as_ref().and_then(|pairs| pairs.bind(self, pipelines)),
        }
    }

    /// The layout of what is read back.
    fn sections(&self) -> Sections {
        Sections::new(self.particles, self.objects.len(), self.events, self.timing.is_some())
    }

    /// A buffer to read the frame back with, and where everything is in it.
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
        let wait = all || self.ring.len() >= RING;
        let poll = if wait && !self.ring.is_empty() {
            self.device.device.poll(wgpu::PollType::wait_indefinitely())
        } else {
            self.device.device.poll(wgpu::PollType::Poll)
        };
        poll.map_err(|error| error.to_string())?;
        while self.ring.front().is_some_and(Slot::is_ready) {
            let Some(mut slot) = self.ring.pop_front() else { break };
            let returned = slot.take().ok_or_else(|| "the device is lost".to_string())?;
            let phases = std::mem::take(&mut slot.phases);
            if slot.sections == self.sections() {
                self.idle.push(slot);
            }
            crate::returned::apply(self, state, returned, &phases);
        }
        Ok(())
    }

    /// Reads everything that is not read back every frame: history and multipliers.
    fn read_rest(&mut self, state: &mut State) -> Result<(), String> {
        let vectors = 16 * self.particles as u64;
        let lambda = 4 * self.plan.lambda as u64;
        let parts = [
            (&self.buffers.anchor, 0, vectors),
            (&self.buffers.offset, 0, vectors),
            (&self.buffers.start, 0, vectors),
            (&self.buffers.motion, motion::VELOCITY * vectors, vectors),
            (&self.buffers.motion, motion::PREVIOUS_MOVE * vectors, vectors),
            (&self.buffers.motion, motion::PREVIOUS_VELOCITY * vectors, vectors),
            (&self.buffers.lambda, 0, lambda),
        ];
        let bytes = read(&self.device, &parts)?;
        let particles = &mut state.particles;
        let lists = [
            &mut particles.anchor,
            &mut particles.offset,
            &mut particles.start,
            &mut particles.velocity,
            &mut particles.previous_move,
            &mut particles.previous_velocity,
        ];
        for (list, bytes) in lists.into_iter().zip(bytes.chunks_exact(vectors.max(1) as usize)) {
            list.copy_from_slice(&bytemuck::pod_collect_to_vec::<u8, Vec4>(bytes));
        }
        let numbers = bytemuck::pod_collect_to_vec::<u8, f32>(&bytes[6 * vectors as usize..]);
        if self.uploaded.plans == state.plans {
            let passes = state.plan.passes.iter_mut().filter_map(|pass| match pass {
                xpbd_core::schedule::Pass::Traced(pass) => Some(pass.as_mut()),
                xpbd_core::schedule::Pass::Custom(_) => None,
            });
            passes
                .zip(&self.plan.bases)
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
pub fn read(device: &Device, parts: &[(&Growing, u64, u64)]) -> Result<Vec<u8>, String> {
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
    let (sender, receiver) = std::sync::mpsc::channel();
    target.slice(..).map_async(wgpu::MapMode::Read, move |result| {
        // Nobody listens when waiting has failed.
        let _ = sender.send(result);
    });
    device.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| error.to_string())?;
    match receiver.try_recv() {
        Ok(Ok(())) => Ok(target.slice(..).get_mapped_range().to_vec()),
        _ => Err("the device is lost".into()),
    }
}

impl Residence for Home {
    fn settle(&mut self, state: &mut State) -> Result<(), StepError> {
        let lost = |reason| StepError::Backend { name: "gpu".into(), reason };
        self.collect(state, true).map_err(lost)?;
        self.give_back(state).and_then(|()| self.read_rest(state)).map_err(lost)
    }
}
