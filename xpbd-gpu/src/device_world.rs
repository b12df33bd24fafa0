//! A world on the device: its buffers, which [`follow`] the edits of the world, and from which its state comes back
//! ([`sync`]).

mod bodies;
mod buffers;
mod counts;
mod fetched;
mod follow;
mod frame_result;
mod parameters;
mod readbacks;
mod surfaces;
mod sync;

pub use buffers::{BindGroups, WorldBuffers};
pub use counts::{Capacity, Counts};
pub use fetched::NOT_FETCHED;
pub use readbacks::Readbacks;

use std::sync::{Arc, OnceLock};

use fetched::FetchedCopy;
use glam::Vec4;
use xpbd_core::schedule::TracedPass;
use xpbd_core::world::{Integrator, Settings, State};

use crate::collider_shapes::ColliderShapes;
use crate::collisions::{CollisionContext, Collisions};
use crate::device::Device;
use crate::layout::SubstepUniform;
use crate::media::{Media, max_walls};
use crate::particle_pairs::ParticlePairs;
use crate::pipelines::Pipelines;
use crate::plan::DevicePlan;
use crate::scene::SceneTable;
use crate::surface_contacts::SurfaceContacts;
use crate::timing::Timing;
use crate::transient_passes::TransientPasses;
use crate::upload::Upload;
use crate::wgsl::KernelOptions;
use crate::world_kernels::WorldKernels;

/// Data of the last upload, to leave out what has not changed.
#[derive(Debug, Default)]
struct Uploaded {
    particle_revision: u64,
    body_revision: u64,
    /// Accelerations and torques of bodies.
    body_forces: Vec<Vec4>,
    /// Anchor, offset and rotation of the bodies that do not move, for those which the device has there.
    resting_poses: Vec<Option<[Vec4; 3]>>,
    plan_generation: u64,
    method: Option<(u32, Integrator)>,
    /// Whether each traced pass is damped, which decides its kernels.
    damped: Vec<bool>,
    scene: SceneTable,
    substeps: Vec<SubstepUniform>,
    forces: usize,
    /// True if the marks of frozen objects are to be cleared.
    marks_are_stale: bool,
}

/// A world on the device.
#[derive(Debug)]
pub struct DeviceWorld {
    /// The device.
    pub device: Device,
    /// Why the device can no longer be used, if so; it belongs to one back end, which is recognised by it.
    pub lost: Arc<OnceLock<String>>,
    /// Buffers of the world.
    pub buffers: WorldBuffers,
    /// Bind groups over them; none after a buffer was replaced.
    pub groups: Option<BindGroups>,
    /// The plan, and its dispatches.
    pub plan: DevicePlan,
    /// Pipelines of everything else.
    pub kernels: WorldKernels,
    /// Numbers of the frame.
    pub counts: Counts,
    /// Rooms for contacts and events.
    pub capacity: Capacity,
    /// Contacts that the host finds, and pairs of particles.
    pub contacts: ContactSets,
    /// Media of the particles.
    pub media: Media,
    /// Frames on their way to the host, and their reports.
    pub readbacks: Readbacks,
    /// Differences between the host's state and the device's.
    pub host: HostState,
    /// Times of phases, if they are taken.
    pub timing: Option<Timing>,
    fetched: FetchedCopy,
    shapes: ColliderShapes,
    uploaded: Uploaded,
}

/// Contacts that are found for one frame.
#[derive(Debug)]
pub struct ContactSets {
    /// Passes that the caller gives for the frame.
    pub transient: TransientPasses,
    /// Contacts in which bodies move.
    pub collisions: Collisions,
    /// Contacts of surfaces.
    pub surfaces: SurfaceContacts,
    /// Pairs of particles, if there ever were any.
    pub pairs: Option<ParticlePairs>,
}

/// Differences between the host's state and the device's.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostState {
    /// True if the host may wait for the device in the course of a frame.
    pub may_wait: bool,
    /// True if the host waits for the end of the frame, to know the bodies before the next.
    pub waits_for_frame: bool,
    /// True if the bodies on the device may differ from those of the host, which has not waited for them.
    pub is_behind: bool,
    /// True if multipliers come back with the frame, to know what breaks.
    pub reads_multipliers: bool,
    /// True if constraints have changed their parameters since the host took them.
    pub parameters_evolved: bool,
}

impl DeviceWorld {
    /// Returns an empty device world.
    pub fn new(device: &Device, lost: &Arc<OnceLock<String>>, kernels: WorldKernels) -> Self {
        Self {
            device: device.clone(),
            lost: lost.clone(),
            buffers: WorldBuffers::new(device),
            groups: None,
            plan: DevicePlan::default(),
            kernels,
            counts: Counts { substeps: 1, ..Counts::default() },
            capacity: Capacity::default(),
            contacts: ContactSets {
                transient: TransientPasses::new(device),
                collisions: Collisions::new(device),
                surfaces: SurfaceContacts::new(device),
                pairs: None,
            },
            media: Media::default(),
            readbacks: Readbacks::default(),
            host: HostState::default(),
            timing: None,
            fetched: FetchedCopy::default(),
            shapes: ColliderShapes::default(),
            // No revision of a world is this one.
            uploaded: Uploaded {
                particle_revision: u64::MAX,
                body_revision: u64::MAX,
                plan_generation: u64::MAX,
                marks_are_stale: true,
                ..Uploaded::default()
            },
        }
    }

    /// Brings the device up to date with the edits of the host, for a frame of `dt` \[s\] in which
    /// `passes` are solved after those of the plan.
    ///
    /// # Errors
    /// The device refuses a buffer or a kernel, or a shape has no kernel.
    pub fn update(
        &mut self,
        state: &mut State,
        passes: &[&TracedPass],
        dt: f32,
        pipelines: &mut Pipelines,
        upload: &mut Upload,
    ) -> Result<(), String> {
        self.counts.substeps = state.settings.substeps;
        self.upload_particles(state)?;
        self.upload_plan(state, pipelines)?;
        self.upload_numbers(state, upload);
        self.contacts.transient.replace(passes, state.settings.iterations, &self.device, pipelines, upload)?;
        // Contacts are swept again as in a further iteration.
        let least = if self.contacts.surfaces.is_active { 2 } else { 1 };
        let settings = &Settings { iterations: state.settings.iterations.max(least), ..state.settings.clone() };
        let (particles, device) = (self.counts.particles, &self.device);
        let walls = (!state.media.is_empty()).then(|| max_walls(particles, device));
        let bodies = state.bodies.len();
        let supports = &state.supports;
        let context = &mut CollisionContext { settings, particles, bodies, supports, walls, device, pipelines, upload };
        let new_contacts = self.contacts.collisions.update(&state.contacts, context)?;
        self.counts.colliders = if self.counts.particles > 0 { state.colliders.len() } else { 0 };
        if self.counts.colliders > 0 {
            self.kernels.ensure_detect(&self.device, pipelines)?;
        }
        self.upload_scene(state, dt, upload)?;
        let paths = self.upload_bodies(state, pipelines, upload)?;
        self.upload_inputs(state, &paths, upload)?;
        self.update_pairs(state, dt, pipelines)?;
        let needs = KernelOptions {
            second_order: state.settings.integrator == Integrator::SecondOrder,
            colliders: self.counts.colliders > 0,
            pairs: self.has_pairs(),
        };
        self.kernels.select_options(needs, &self.device, pipelines)?;
        self.reserve_contacts(state)?;
        let walls = [self.counts.colliders > 0, self.contacts.collisions.has_particle_bodies()];
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
        self.contacts.pairs.as_ref().is_some_and(ParticlePairs::is_needed)
    }
}
