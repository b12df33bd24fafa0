//! The buffers of a world, and the bind groups over them.

use crate::device::Device;
use crate::layout::{PassRange, SubstepUniform};
use crate::media::{MediumGroups, MediumSources};
use crate::memory::{GrowableBuffer, bind_group};
use crate::passes::PassBuffers;
use crate::pipelines::Pipelines;

use super::DeviceWorld;

/// The buffers of a world.
#[derive(Debug)]
pub struct WorldBuffers {
    /// Uniforms of the substeps.
    pub substeps: GrowableBuffer,
    /// Position \[m\] and inverse mass \[1/kg\] of each particle.
    pub anchor: GrowableBuffer,
    /// Position minus anchor \[m\].
    pub offset: GrowableBuffer,
    /// Position at the start of the substep, relative to the anchor \[m\].
    pub start: GrowableBuffer,
    /// Velocities and history of particles, by the sections of [`motion`](crate::layout::motion).
    pub motion: GrowableBuffer,
    /// State, acceleration and torque of bodies, by the sections of [`body`](crate::layout::body).
    pub bodies: GrowableBuffer,
    /// Records of objects and colliders.
    pub scene: GrowableBuffer,
    /// Forces, targets, paths of bodies.
    pub inputs: GrowableBuffer,
    /// Contacts of particles with colliders.
    pub contacts: GrowableBuffer,
    /// Shapes of colliders.
    pub geometry: GrowableBuffer,
    /// Results of a frame for the host.
    pub outcome: GrowableBuffer,
    /// Uniform of small islands.
    pub islands: GrowableBuffer,
    /// The passes of the plan.
    pub passes: PassBuffers,
}

impl WorldBuffers {
    /// Makes buffers with room for one vector each.
    pub fn new(device: &Device) -> Self {
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

/// Bind groups over the present buffers.
#[derive(Debug)]
pub struct BindGroups {
    /// The state of the world.
    pub state: wgpu::BindGroup,
    /// Buffers of a pass.
    pub pass: wgpu::BindGroup,
    /// A pass whose parameters change.
    pub parameter_evolution: wgpu::BindGroup,
    /// The scene with contacts and inputs.
    pub inputs: wgpu::BindGroup,
    /// The scene with contacts and geometry.
    pub geometry: wgpu::BindGroup,
    /// The scene with contacts and outcome.
    pub outcome: wgpu::BindGroup,
    /// The scene with pairs, and pairs with the outcome, if there can be any pairs.
    pub pairs: Option<[wgpu::BindGroup; 2]>,
    /// The media, in the order of the plan.
    pub media: Vec<MediumGroups>,
    /// All passes of small islands.
    pub islands: Option<wgpu::BindGroup>,
}

impl DeviceWorld {
    /// Makes bind groups over the present buffers.
    pub(super) fn bind(&self, pipelines: &Pipelines) -> BindGroups {
        let (b, device) = (&self.buffers, &self.device);
        let scene = |third: &GrowableBuffer| {
            bind_group(device, None, &pipelines.scene, [b.scene.whole(), b.contacts.whole(), third.whole()])
        };
        let islands = self.plan.islands.as_ref().map(|islands| {
            let ranges = b.islands.first_bytes((islands.ranges.len() * size_of::<PassRange>()) as u64);
            let storage = b.passes.storage().map(GrowableBuffer::whole);
            bind_group(device, None, &pipelines.islands, [ranges].into_iter().chain(storage))
        });
        let substep = b.substeps.first_bytes(size_of::<SubstepUniform>() as u64);
        let state = [&b.anchor, &b.offset, &b.start, &b.motion, &b.bodies].map(GrowableBuffer::whole);
        let collisions = &self.contacts.collisions;
        let (passes, records) = (&collisions.passes.buffers, &collisions.records);
        let medium = MediumSources { device, scene: &b.scene, contacts: &b.contacts, passes, records };
        let pairs = self.contacts.pairs.as_ref();
        BindGroups {
            state: bind_group(device, None, &pipelines.state, [substep].into_iter().chain(state)),
            pass: b.passes.bind(device, pipelines),
            parameter_evolution: b.passes.bind_writable(device, pipelines),
            inputs: scene(&b.inputs),
            geometry: scene(&b.geometry),
            outcome: scene(&b.outcome),
            islands,
            media: self.media.bind(&medium, pipelines),
            pairs: pairs.and_then(|pairs| pairs.bind(&b.scene, &b.outcome, device, pipelines)),
        }
    }
}
