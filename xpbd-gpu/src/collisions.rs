//! Contacts in which both sides move: bodies against bodies and the ground, and particles against bodies. The
//! host finds them at the start of a frame; kernels bring them up to date every substep and solve them; what
//! they did comes back at its end.

mod manifolds;
mod particle_bodies;

use glam::Vec3;
use xpbd_core::collide::Contacts;
use xpbd_core::world::Settings;

use crate::device::Device;
use crate::layout::Range;
use crate::memory::GrowableBuffer;
use crate::passes::{Dispatch, PassSteps};
use crate::pipelines::{Family, Pipelines};
use crate::transient_passes::TransientPasses;
use crate::upload::Upload;
use manifolds::ManifoldKernels;
use particle_bodies::ParticleBodyKernels;

/// Kernels that lead from pairs of particles to the contacts that follow them, and back.
pub const PAIR_HANDOVER: &str = include_str!("wgsl/pair_handover.wgsl");

pub use manifolds::text as manifolds_text;
pub use particle_bodies::{particle_body_pass_text, text as touches_text};

/// The contacts of a frame on the device.
#[derive(Debug)]
pub struct Collisions {
    /// The contacts as constraints.
    pub passes: TransientPasses,
    /// What kernels know of each contact, as in `manifold_data.wgsl` and `touches.wgsl`.
    pub records: GrowableBuffer,
    words: Vec<[u32; 4]>,
    group: Option<wgpu::BindGroup>,
    touch_kernels: Option<ParticleBodyKernels>,
    /// Of pairs and of the ground.
    manifold_kernels: [Option<ManifoldKernels>; 2],
    /// What brings contacts up to date at the start of a substep.
    pub refresh: Vec<Dispatch>,
    /// What solves contacts of particles with bodies, cold and warm.
    pub touch: [Vec<Dispatch>; 2],
    /// What lets them begin where pairs of particles have ended, and the other way round.
    pub beside_pairs: Vec<Dispatch>,
    /// What adds up the impulses on particles at the end of a substep, before velocities.
    pub accumulate: Vec<Dispatch>,
    /// What adds up the impulses between bodies, after velocities.
    pub tally: Vec<Dispatch>,
    /// What takes the walls that bodies are to media, and what pushes bodies back, if there are media.
    pub walls: Option<[Dispatch; 2]>,
    /// What of the passes is there: touches, pairs, ground.
    made: [Option<usize>; 3],
    /// First record of each \[vectors\].
    firsts: Vec<usize>,
    /// True if there ever were any.
    used: bool,
}

/// What making a frame's contacts needs.
pub struct CollisionContext<'a> {
    /// How the world is stepped.
    pub settings: &'a Settings,
    /// Particles of the world.
    pub particles: usize,
    /// How many bodies there are.
    pub bodies: usize,
    /// How many walls a particle of a medium has room for, or none where there is no medium.
    pub walls: Option<u64>,
    /// The device.
    pub device: &'a Device,
    /// Its pipelines.
    pub pipelines: &'a mut Pipelines,
    /// What is uploaded with the frame.
    pub upload: &'a mut Upload,
}

impl Collisions {
    /// None yet.
    pub fn new(device: &Device) -> Self {
        Self {
            passes: TransientPasses::new(device),
            records: GrowableBuffer::storage(device, "records"),
            words: Vec::new(),
            group: None,
            touch_kernels: None,
            manifold_kernels: [None, None],
            refresh: Vec::new(),
            touch: [Vec::new(), Vec::new()],
            beside_pairs: Vec::new(),
            accumulate: Vec::new(),
            tally: Vec::new(),
            walls: None,
            made: [None; 3],
            firsts: Vec::new(),
            used: false,
        }
    }

    /// Takes the contacts of the frame that begins; says whether a buffer is a new one.
    ///
    /// # Errors
    /// A kernel that the device refuses, or a buffer that it cannot give.
    pub fn make(&mut self, contacts: &Contacts, maker: &mut CollisionContext<'_>) -> Result<bool, String> {
        self.passes.clear();
        self.words.clear();
        self.made = [None; 3];
        self.walls = None;
        self.firsts.clear();
        let [cold, warm] = &mut self.touch;
        for list in [&mut self.refresh, cold, warm, &mut self.beside_pairs, &mut self.accumulate, &mut self.tally] {
            list.clear();
        }
        self.add_touches(&contacts.particle_bodies, maker)?;
        for (place, set) in [&contacts.bodies.pairs, &contacts.bodies.ground].into_iter().enumerate() {
            self.add_manifolds(place, set, maker)?;
        }
        if !self.is_active() {
            return Ok(false);
        }
        self.used = true;
        let mut new = self.passes.upload(maker.device, maker.pipelines, maker.upload)?;
        let bytes = bytemuck::cast_slice(&self.words);
        new |= self.records.reserve(maker.device, (bytes.len() as u64).next_power_of_two())?;
        maker.upload.write(&self.records.buffer, 0, bytes);
        if new || self.group.is_none() {
            self.group = Some(self.bind(maker.device, maker.pipelines));
        }
        Ok(new)
    }

    /// Returns whether there are any in this frame.
    pub fn is_active(&self) -> bool {
        self.made.iter().any(Option::is_some)
    }

    /// Returns whether particles touch bodies in this frame, or may.
    pub fn touches(&self) -> bool {
        self.made[0].is_some()
    }

    /// Returns the bind groups of the dispatches, if there are any: of those that solve, and of the others.
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

    /// Returns their sizes \[bytes\], or none if there never were any contacts.
    pub fn room(&self) -> [u64; 3] {
        if self.used { self.buffers().map(wgpu::Buffer::size) } else { [0; 3] }
    }

    /// Takes over what came back of the frame whose contacts these are.
    pub fn take(&self, contacts: &mut Contacts, [data, lambda, records]: &[Vec<u32>; 3]) {
        let Contacts { particle_bodies: touches, bodies, .. } = contacts;
        if let Some(place) = self.made[0] {
            particle_bodies::take(touches, &records[4 * self.firsts[place]..]);
        }
        for (made, set) in self.made[1..].iter().zip([&mut bodies.pairs, &mut bodies.ground]) {
            if let &Some(place) = made {
                let (range, columns) = (self.passes.table.bases[place], &self.passes.columns[place]);
                manifolds::take(set, range, columns, [data, lambda, &records[4 * self.firsts[place]..]]);
            }
        }
    }

    fn bind(&self, device: &Device, pipelines: &Pipelines) -> wgpu::BindGroup {
        let range = wgpu::BufferBinding {
            buffer: &self.passes.buffers.ranges.buffer,
            offset: 0,
            size: wgpu::BufferSize::new(size_of::<Range>() as u64),
        };
        let storage = self.buffers().map(wgpu::Buffer::as_entire_binding);
        let resources = [wgpu::BindingResource::Buffer(range)].into_iter().chain(storage).zip(0..);
        let entries: Vec<_> = resources.map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource }).collect();
        let layout = pipelines.layout(Family::Collisions);
        device.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
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

/// Returns where some columns that follow each other are among the words of a pass.
fn column(columns: &[u16], width: usize, first: usize, count: usize) -> Result<usize, String> {
    let found = columns.windows(count).position(|run| run.iter().zip(first..).all(|(&c, k)| usize::from(c) == k));
    found.map(|place| width + place).ok_or_else(|| format!("the kernel of contacts does not read column {first}"))
}
