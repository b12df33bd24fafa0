//! Contacts in which bodies move: bodies against bodies and the ground, and particles against bodies. The host finds them
//! at the start of a frame; kernels update them in every substep and solve them; their impulses come back at its end.

mod manifolds;
mod particle_bodies;

use glam::Vec3;
use xpbd_core::collide::{ContactKind, Contacts};
use xpbd_core::object::Supports;
use xpbd_core::world::Settings;

use crate::device::Device;
use crate::layout::PassRange;
use crate::memory::{GrowableBuffer, bind_group};
use crate::passes::{Dispatch, PassSteps};
use crate::pipelines::{Family, Pipelines};
use crate::transient_passes::TransientPasses;
use crate::upload::Upload;
use manifolds::ManifoldKernels;
use particle_bodies::ParticleBodyKernels;

pub use manifolds::text as manifolds_text;
pub use particle_bodies::{particle_body_pass_text, text as particle_bodies_text};

/// The contacts of a frame on the device.
#[derive(Debug)]
pub struct Collisions {
    /// The contacts as constraints.
    pub passes: TransientPasses,
    /// Record of each contact, as in `manifold_data.wgsl` and `particle_bodies.wgsl`.
    pub records: GrowableBuffer,
    words: Vec<[u32; 4]>,
    group: Option<wgpu::BindGroup>,
    particle_body_kernels: Option<ParticleBodyKernels>,
    /// Kernels of pairs and of the ground.
    manifold_kernels: [Option<ManifoldKernels>; 2],
    /// Dispatches that update manifolds where bodies are predicted.
    pub refresh_predicted: Vec<Dispatch>,
    /// Dispatches that update the other contacts before they are solved.
    pub refresh: Vec<Dispatch>,
    /// Dispatches that solve contacts of particles with bodies, cold and warm.
    pub particle_bodies: [Vec<Dispatch>; 2],
    /// Dispatches that take positions over from pairs of particles, and return them.
    pub pair_handover: Vec<Dispatch>,
    /// Dispatches that add up the impulses on particles, and find which bodies touch, at the end of a substep, before
    /// velocities.
    pub accumulate: Vec<Dispatch>,
    /// Dispatches that add up the impulses between bodies, after velocities.
    pub accumulate_bodies: Vec<Dispatch>,
    /// Dispatches that find the walls of bodies for media, and push the bodies back, if there are media.
    pub walls: Option<[Dispatch; 2]>,
    /// Indices of the passes of this frame: particles with bodies, pairs of bodies, bodies with the ground.
    pass_indices: [Option<usize>; 3],
    /// First record of each \[vectors\].
    record_starts: Vec<usize>,
    /// True if there ever were any contacts.
    was_used: bool,
}

/// Context of the contacts of a frame.
pub struct CollisionContext<'a> {
    /// Settings of the world.
    pub settings: &'a Settings,
    /// Particles of the world.
    pub particles: usize,
    /// Number of bodies.
    pub bodies: usize,
    /// Pins that hold particles.
    pub supports: &'a Supports,
    /// Number of walls for which a particle of a medium has room, if there is a medium.
    pub walls: Option<u64>,
    /// The device.
    pub device: &'a Device,
    /// Pipelines of the device.
    pub pipelines: &'a mut Pipelines,
    /// Upload of the frame.
    pub upload: &'a mut Upload,
}

impl Collisions {
    /// Returns an empty set.
    pub fn new(device: &Device) -> Self {
        Self {
            passes: TransientPasses::new(device),
            records: GrowableBuffer::storage(device, "records"),
            words: Vec::new(),
            group: None,
            particle_body_kernels: None,
            manifold_kernels: [None, None],
            refresh_predicted: Vec::new(),
            refresh: Vec::new(),
            particle_bodies: [Vec::new(), Vec::new()],
            pair_handover: Vec::new(),
            accumulate: Vec::new(),
            accumulate_bodies: Vec::new(),
            walls: None,
            pass_indices: [None; 3],
            record_starts: Vec::new(),
            was_used: false,
        }
    }

    /// Lays out the contacts of the frame that begins, and returns whether a buffer is new.
    ///
    /// # Errors
    /// The device refuses a kernel or a buffer.
    pub fn update(&mut self, contacts: &Contacts, context: &mut CollisionContext<'_>) -> Result<bool, String> {
        self.passes.clear();
        self.words.clear();
        self.pass_indices = [None; 3];
        self.walls = None;
        self.record_starts.clear();
        let Self { particle_bodies: [cold, warm], .. } = self;
        let Self { refresh_predicted, refresh, pair_handover, accumulate, accumulate_bodies, .. } = self;
        for list in [refresh_predicted, refresh, cold, warm, pair_handover, accumulate, accumulate_bodies] {
            list.clear();
        }
        for kind in ContactKind::SOLVE_ORDER {
            match kind {
                ContactKind::ParticleBodies => self.add_particle_bodies(&contacts.particle_bodies, context)?,
                ContactKind::Bodies => self.add_manifolds(0, &contacts.bodies.pairs, context)?,
                ContactKind::Ground => self.add_manifolds(1, &contacts.bodies.ground, context)?,
                ContactKind::Particles
                | ContactKind::Surfaces
                | ContactKind::SurfaceBodies
                | ContactKind::SurfaceShapes
                | ContactKind::Shapes => {}
            }
        }
        if !self.is_active() {
            return Ok(false);
        }
        self.was_used = true;
        let mut new = self.passes.upload(context.device, context.pipelines, context.upload)?;
        let bytes = bytemuck::cast_slice(&self.words);
        new |= self.records.reserve(context.device, (bytes.len() as u64).next_power_of_two())?;
        context.upload.write(&self.records.buffer, 0, bytes);
        if new || self.group.is_none() {
            self.group = Some(self.bind(context.device, context.pipelines));
        }
        Ok(new)
    }

    /// Returns whether there are contacts in this frame.
    pub fn is_active(&self) -> bool {
        self.pass_indices.iter().any(Option::is_some)
    }

    /// Returns whether particles may touch bodies in this frame.
    pub fn has_particle_bodies(&self) -> bool {
        self.pass_indices[0].is_some()
    }

    /// Returns the bind groups of the dispatches that solve and of the others, if there are any.
    pub fn groups(&self) -> Option<[&wgpu::BindGroup; 2]> {
        Some([self.passes.group()?, self.group.as_ref()?])
    }

    /// Returns the dispatches of manifolds.
    pub fn steps(&self) -> &[PassSteps] {
        &self.passes.steps
    }

    /// Returns the buffers from which contacts come back.
    pub fn buffers(&self) -> [&wgpu::Buffer; 3] {
        let passes = &self.passes.buffers;
        [&passes.data.buffer, &passes.lambda.buffer, &self.records.buffer]
    }

    /// Returns the sizes of these buffers \[bytes\], 0 if there never were any contacts.
    pub fn readback_sizes(&self) -> [u64; 3] {
        if self.was_used { self.buffers().map(wgpu::Buffer::size) } else { [0; 3] }
    }

    /// Applies the readback of the frame to its contacts.
    pub fn apply_readback(&self, contacts: &mut Contacts, [data, lambda, records]: &[Vec<u32>; 3]) {
        let Contacts { particle_bodies: touches, bodies, .. } = contacts;
        if let Some(place) = self.pass_indices[0] {
            particle_bodies::take(touches, &records[4 * self.record_starts[place]..]);
        }
        for (made, set) in self.pass_indices[1..].iter().zip([&mut bodies.pairs, &mut bodies.ground]) {
            if let &Some(place) = made {
                let (range, columns) = (self.passes.table.bases[place], &self.passes.columns[place]);
                manifolds::take(set, range, columns, [data, lambda, &records[4 * self.record_starts[place]..]]);
            }
        }
    }

    fn bind(&self, device: &Device, pipelines: &Pipelines) -> wgpu::BindGroup {
        let passes = &self.passes.buffers;
        let range = passes.ranges.first_bytes(size_of::<PassRange>() as u64);
        let storage = [&passes.data, &passes.lambda, &self.records].map(GrowableBuffer::whole);
        bind_group(device, None, pipelines.layout(Family::Collisions), [range].into_iter().chain(storage))
    }
}

fn vector(v: Vec3, last: u32) -> [u32; 4] {
    [v.x.to_bits(), v.y.to_bits(), v.z.to_bits(), last]
}

/// Returns the vector and the last word of a record.
fn read(words: &[u32], vector: usize) -> (Vec3, f32) {
    let number = |k: usize| f32::from_bits(words[4 * vector + k]);
    (Vec3::new(number(0), number(1), number(2)), number(3))
}

/// Returns the index of consecutive columns among the words of a pass.
fn column(columns: &[u16], width: usize, first: usize, count: usize) -> Result<usize, String> {
    let found = columns.windows(count).position(|run| run.iter().zip(first..).all(|(&c, k)| usize::from(c) == k));
    found.map(|place| width + place).ok_or_else(|| format!("the kernel of contacts does not read column {first}"))
}
