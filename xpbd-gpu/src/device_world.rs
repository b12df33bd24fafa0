//! What lives on the device of one world: its buffers, which [`follow`] the world's edits and from
//! which its state comes back ([`settle`]).

mod bodies;
mod follow;
mod parameters;
mod surfaces;
mod sync;

pub use sync::read;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use glam::Vec4;
use xpbd_core::schedule::TracedPass;
use xpbd_core::world::{Integrator, ObjectHandle, Settings, State, StepReport};

use crate::collider_shapes::Shapes;
use crate::collisions::{CollisionContext, Collisions};
use crate::device::Device;
use crate::layout::Substep;
use crate::media::{Media, MediumGroups, walls};
use crate::memory::GrowableBuffer;
use crate::particle_pairs::ParticlePairs;
use crate::passes::PassBuffers;
use crate::pipelines::Pipelines;
use crate::plan::DevicePlan;
use crate::readback::Slot;
use crate::scene::SceneTable;
use crate::surface_contacts::Surfaces;
use crate::timing::Timing;
use crate::transient_passes::TransientPasses;
use crate::upload::Upload;
use crate::world_kernels::{KernelOptions, Kernels};

/// The buffers of a world.
#[derive(Debug)]
pub struct Buffers {
    /// Uniforms of the substeps.
    pub substeps: GrowableBuffer,
    /// Position \[m\] and inverse mass \[1/kg\] of each particle.
    pub anchor: GrowableBuffer,
    /// What the anchor lacks to the position \[m\].
    pub offset: GrowableBuffer,
    /// Position at the start of the substep.
    pub start: GrowableBuffer,
    /// Velocities and history; see [`motion`].
    pub motion: GrowableBuffer,
    /// State of bodies, and what pushes them.
    pub bodies: GrowableBuffer,
    /// Objects and colliders.
    pub scene: GrowableBuffer,
    /// Forces, targets, paths of bodies.
    pub inputs: GrowableBuffer,
    /// Contacts with colliders.
    pub contacts: GrowableBuffer,
    /// Shapes of colliders.
    pub geometry: GrowableBuffer,
    /// What the host learns of a frame.
    pub outcome: GrowableBuffer,
    /// Uniform of small islands.
    pub islands: GrowableBuffer,
    /// The passes of the plan.
    pub passes: PassBuffers,
}

impl Buffers {
    fn new(device: &Device) -> Self {
        let storage = |label| GrowableBuffer::storage(device, label);
        Self {
            substeps: GrowableBuffer::uniforms(device, "substeps"),
            anchor: GrowableBuffer::vertices(device, "anchor"),
            offset: GrowableBuffer::vertices(device, "offset"),
            start: storage("start"),
            motion: GrowableBuffer::vertices(device, "motion"),
            bodies: storage("bodies"),
            scene: storage("scene"),
            inputs: storage("inputs"),
            contacts: storage("contacts"),
            geometry: storage("geometry"),
            outcome: storage("outcome"),
            islands: GrowableBuffer::uniforms(device, "islands"),
            passes: PassBuffers::new(device),
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
    /// A pass whose parameters change.
    pub flow: wgpu::BindGroup,
    /// The scene with contacts and inputs.
    pub inputs: wgpu::BindGroup,
    /// The scene with contacts and geometry.
    pub geometry: wgpu::BindGroup,
    /// The scene with contacts and outcome.
    pub outcome: wgpu::BindGroup,
    /// The scene with pairs, and what the host learns of them, if there can be any.
    pub pairs: Option<[wgpu::BindGroup; 2]>,
    /// Those of media, in the order of the plan.
    pub media: Vec<MediumGroups>,
    /// All passes of small islands.
    pub islands: Option<wgpu::BindGroup>,
}

/// What was uploaded last, to leave out what has not changed.
#[derive(Debug, Default)]
struct Uploaded {
    particle_edits: u64,
    body_edits: u64,
    /// Accelerations and torques of bodies.
    pushes: Vec<Vec4>,
    /// Anchor, offset and rotation of the bodies that do not move, for those which the device has there.
    resting: Vec<Option<[Vec4; 3]>>,
    plans: u64,
    method: Option<(u32, Integrator)>,
    scene: SceneTable,
    substeps: Vec<Substep>,
    forces: bool,
}

/// A world on the device.
#[derive(Debug)]
pub struct DeviceWorld {
    /// The device.
    pub device: Device,
    /// Whether it is lost; shared with the back end whose home this is, and no other.
    pub lost: Arc<AtomicBool>,
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
    /// True if constraints and forces move any.
    pub bodies_move: bool,
    /// Those that follow a path in this frame.
    pub followers: usize,
    /// True if constraints have changed their parameters since these were taken back.
    pub flowed: bool,
    /// True if a frame was not read back.
    pub unread: bool,
    /// Targets of the frame.
    pub targets: usize,
    /// Frames on their way to the host, the oldest first.
    pub ring: VecDeque<Slot>,
    /// Buffers that wait for the next frame.
    pub idle: Vec<Slot>,
    /// Objects in the order in which their marks lie in the copies on their way.
    pub objects: Vec<ObjectHandle>,
    /// Reports of frames that came back since the last step.
    pub returned: StepReport,
    /// Times of phases, if they are taken.
    pub timing: Option<Timing>,
    /// Passes that are made anew every frame.
    pub remade: TransientPasses,
    /// Contacts in which bodies move.
    pub collisions: Collisions,
    /// Contacts of surfaces.
    pub surfaces: Surfaces,
    /// True if the host waits for the end of the frame, to know how bodies are before the next.
    pub waits: bool,
    /// True if the host may not know how they are now.
    pub is_behind: bool,
    /// Media.
    pub media: Media,
    /// Pairs of particles, if there ever were any.
    pub pairs: Option<ParticlePairs>,
    shapes: Shapes,
    uploaded: Uploaded,
    clear_marks: bool,
}

impl DeviceWorld {
    /// Creates an empty home.
    pub fn new(device: &Device, lost: &Arc<AtomicBool>, kernels: Kernels) -> Self {
        Self {
            device: device.clone(),
            lost: lost.clone(),
            buffers: Buffers::new(device),
            groups: None,
            plan: DevicePlan::default(),
            kernels,
            particles: 0,
            substeps: 1,
            ranks: 0,
            events: 0,
            colliders: 0,
            bodies: 0,
            bodies_move: false,
            followers: 0,
            flowed: false,
            unread: false,
            targets: 0,
            ring: VecDeque::new(),
            idle: Vec::new(),
            objects: Vec::new(),
            returned: StepReport::default(),
            timing: None,
            remade: TransientPasses::new(device),
            collisions: Collisions::new(device),
            surfaces: Surfaces::new(device),
            waits: false,
            is_behind: false,
            media: Media::default(),
            pairs: None,
            shapes: Shapes::default(),
            clear_marks: true,
            // No revision of a world is this one.
            uploaded: Uploaded {
                particle_edits: u64::MAX,
                body_edits: u64::MAX,
                plans: u64::MAX,
                ..Uploaded::default()
            },
        }
    }

    /// Brings the device up to date with the edits of the host, for a frame of `dt` \[s\] in which
    /// `passes` are solved after those of the plan.
    ///
    /// # Errors
    /// A buffer that the device cannot give, a kernel that it refuses, or a shape without a kernel.
    pub fn update(
        &mut self,
        state: &mut State,
        passes: &[&TracedPass],
        dt: f32,
        pipelines: &mut Pipelines,
        upload: &mut Upload,
    ) -> Result<(), String> {
        self.substeps = state.settings.substeps;
        self.upload_particles(state)?;
        self.upload_plan(state, pipelines)?;
        self.upload_params(state, upload);
        self.remade.make(passes, state.settings.iterations, &self.device, pipelines, upload)?;
        // Contacts are swept again as in a further iteration.
        let least = if self.surfaces.are_there { 2 } else { 1 };
        let settings = &Settings { iterations: state.settings.iterations.max(least), ..state.settings.clone() };
        let (particles, device) = (self.particles, &self.device);
        let walls = (!state.media.is_empty()).then(|| walls::most(particles, device));
        let bodies = state.bodies.len();
        let maker = &mut CollisionContext { settings, particles, bodies, walls, device, pipelines, upload };
        let new_contacts = self.collisions.make(&state.contacts, maker)?;
        self.colliders = if self.particles > 0 { state.colliders.len() } else { 0 };
        if self.colliders > 0 {
            self.kernels.need_detect(&self.device, pipelines)?;
        }
        self.upload_scene(state, dt, upload)?;
        let paths = self.upload_bodies(state, pipelines, upload)?;
        self.upload_inputs(state, &paths, upload)?;
        self.update_pairs(state, dt, pipelines)?;
        let needs = KernelOptions {
            second_order: state.settings.integrator == Integrator::SecondOrder,
            colliders: self.colliders > 0,
            pairs: self.has_pairs(),
        };
        self.kernels.serve(needs, &self.device, pipelines)?;
        self.reserve_contacts(state)?;
        let walls = [self.colliders > 0, self.collisions.touches()];
        let new_media = self.media.update(state, walls, &self.device, pipelines)?;
        // Media see contacts of particles with bodies.
        if new_media || (new_contacts && !self.media.is_empty()) {
            self.groups = None;
        }
        self.upload_substeps(state, dt, upload)?;
        if self.groups.is_none() {
            self.groups = Some(self.bind(pipelines));
        }
        Ok(())
    }

    /// Returns whether particles may touch each other.
    pub fn has_pairs(&self) -> bool {
        self.pairs.as_ref().is_some_and(ParticlePairs::is_needed)
    }

    fn bind(&self, pipelines: &Pipelines) -> Groups {
        let b = &self.buffers;
        let group = |layout: &wgpu::BindGroupLayout,
                     uniform: Option<(&GrowableBuffer, usize)>,
                     storage: &[&GrowableBuffer]| {
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
            group(&pipelines.islands, Some((&b.islands, size)), &b.passes.storage())
        });
        let scene = |third| group(&pipelines.scene, None, &[&b.scene, &b.contacts, third]);
        Groups {
            state: group(&pipelines.state, Some((&b.substeps, size_of::<Substep>())), &state),
            pass: b.passes.bind(&self.device, pipelines),
            flow: b.passes.bind_to_change(&self.device, pipelines),
            inputs: scene(&b.inputs),
            geometry: scene(&b.geometry),
            outcome: scene(&b.outcome),
            islands,
            media: self.media.bind(self, pipelines),
            pairs: self.pairs.as_ref().and_then(|pairs| pairs.bind(self, pipelines)),
        }
    }
}
