//! A medium on the device: its members, what sorts and solves them, and the buffers that hold them.

use bytemuck::{Zeroable, bytes_of, cast_slice};
use xpbd_core::medium::kernel::MediumHook;
use xpbd_core::medium::{Medium, MediumState};
use xpbd_core::world::State;

use super::members::{Members, Uniform, numbers};
use super::sort::SortKernels;
use super::stages::Stages;
use super::walls;
use crate::device::Device;
use crate::memory::GrowableBuffer;
use crate::pair_search::layout::{self, Layout};
use crate::pipelines::{Family, Pipelines};

/// A medium of a world.
#[derive(Debug)]
pub struct DeviceMedium {
    /// Which.
    pub medium: &'static dyn Medium,
    members: Members,
    layout: Layout,
    sort: SortKernels,
    stages: Option<(u64, Stages)>,
    collider_walls: Option<[wgpu::ComputePipeline; 2]>,
    buffers: Buffers,
    search: layout::Uniform,
    uniform: Box<Uniform>,
}

/// The buffers of a medium.
#[derive(Debug)]
pub struct Buffers {
    /// The uniform of the sort.
    pub search: GrowableBuffer,
    /// The uniform of the stages.
    pub uniform: GrowableBuffer,
    /// Who takes part.
    pub setup: GrowableBuffer,
    /// What the sort works with, and the table of buckets.
    pub work: GrowableBuffer,
    /// The members.
    pub members: GrowableBuffer,
    /// The walls of particles.
    pub walls: GrowableBuffer,
}

/// What a medium follows besides the world.
pub struct MediumUpdate<'a> {
    /// The device.
    pub device: &'a Device,
    /// Its pipelines.
    pub pipelines: &'a mut Pipelines,
    /// Place of the medium among those of the world.
    pub place: usize,
    /// How many walls a particle has room for.
    pub most_walls: u64,
    /// Whether there are contacts with colliders in this frame, and with bodies that can be pushed.
    pub walls: [bool; 2],
}

impl DeviceMedium {
    /// Creates a medium without members.
    ///
    /// # Errors
    /// A kernel that the device refuses.
    pub fn new(medium: &'static dyn Medium, device: &Device, pipelines: &mut Pipelines) -> Result<Self, String> {
        let storage = |label| GrowableBuffer::storage(device, label);
        let buffers = Buffers {
            search: GrowableBuffer::uniforms(device, "media: search"),
            uniform: GrowableBuffer::uniforms(device, "media: uniform"),
            setup: storage("media: setup"),
            work: storage("media: work"),
            members: storage("media: members"),
            walls: storage("media: walls"),
        };
        Ok(Self {
            medium,
            members: Members::default(),
            layout: Layout::default(),
            sort: pipelines.sort(device)?,
            stages: None,
            collider_walls: None,
            buffers,
            search: layout::Uniform::zeroed(),
            uniform: Box::new(Uniform::zeroed()),
        })
    }

    /// Follows the edits of a world; says whether a buffer is a new one.
    ///
    /// # Errors
    /// A kernel that the device refuses, or a buffer that it cannot give.
    pub fn update(
        &mut self,
        resident: &MediumState,
        state: &State,
        follow: &mut MediumUpdate<'_>,
    ) -> Result<bool, String> {
        let (device, count) = (follow.device, state.particles.len());
        let changed = self.members.update(resident, state);
        self.layout = Layout::of_sort(count, self.members.count).map_err(|error| error.to_string())?;
        self.compile(resident, state.plan_generation, follow)?;
        let sections = self.stages.as_ref().map_or(0, |(_, stages)| stages.sections);
        let Self { buffers, members, layout, .. } = self;
        let mut new = buffers.uniform.reserve(device, size_of::<Uniform>() as u64)?;
        let is_new_setup = buffers.setup.reserve(device, 4 * count as u64)?;
        new |= is_new_setup;
        new |= buffers.work.reserve(device, 4 * u64::from(layout.work))?;
        new |= buffers.members.reserve(device, 16 * (sections * members.count) as u64)?;
        new |= buffers.walls.reserve(device, walls::bytes(count, follow.most_walls))?;
        if changed || is_new_setup {
            device.queue.write_buffer(&buffers.setup.buffer, 0, cast_slice(&members.words));
        }
        self.upload_uniforms(resident, state, follow)?;
        Ok(new)
    }

    fn compile(&mut self, resident: &MediumState, plans: u64, follow: &mut MediumUpdate<'_>) -> Result<(), String> {
        let MediumUpdate { device, pipelines, place, most_walls, walls: [colliders, _] } = follow;
        if self.stages.as_ref().is_none_or(|(known, _)| *known != plans) {
            self.stages = Some((plans, Stages::new(self.medium, &resident.materials, device, pipelines)?));
        }
        let mut get = |text: &str, entry| pipelines.get(device, Family::Scene, text, entry);
        let find = get(&walls::collider_walls_text(*place, *most_walls, *colliders), "collider_walls")?;
        let tell = get(&walls::collider_pushes_text(*place, *most_walls, *colliders), "collider_pushes")?;
        self.collider_walls = Some([find, tell]);
        Ok(())
    }

    fn upload_uniforms(
        &mut self,
        resident: &MediumState,
        state: &State,
        follow: &MediumUpdate<'_>,
    ) -> Result<(), String> {
        let (queue, layout, stride) = (&follow.device.queue, &self.layout, self.members.count as u32);
        let reach = resident.reach(&state.settings);
        let search = layout::Uniform {
            particles: layout.particles,
            buckets: layout.buckets,
            capacity: stride,
            furthest: reach,
            table: layout.table,
            cells: layout.cells,
            sums: layout.sums,
            ..layout::Uniform::zeroed()
        };
        if search != self.search {
            queue.write_buffer(&self.buffers.search.buffer, 0, bytes_of(&search));
            self.search = search;
        }
        let (materials, width) = numbers(resident)?;
        let uniform = Uniform {
            stride,
            buckets: layout.buckets,
            table: layout.table,
            walls: u32::from(follow.walls != [false; 2]),
            solids: u32::from(self.members.has_solids),
            width,
            reach,
            padding: 0,
            materials,
        };
        if uniform != *self.uniform {
            queue.write_buffer(&self.buffers.uniform.buffer, 0, bytes_of(&uniform));
            *self.uniform = uniform;
        }
        Ok(())
    }

    /// Returns its buffers.
    pub fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    /// Layout of the bind group of its sort.
    pub fn bindings(&self) -> &wgpu::BindGroupLayout {
        &self.sort.bindings
    }

    /// Returns how many members there are.
    pub fn count(&self) -> usize {
        self.members.count
    }

    /// Returns whether there are walls in this frame.
    pub fn has_walls(&self) -> bool {
        self.uniform.walls != 0
    }

    /// Returns whether velocities are changed at the end of a substep.
    pub fn changes_velocities(&self) -> bool {
        self.stages.as_ref().is_some_and(|(_, stages)| stages.change_velocities())
    }

    /// Records the sort of the members, with its bind group set; says how many dispatches it has.
    pub fn sort(&self, pass: &mut wgpu::ComputePass<'_>) -> usize {
        self.sort.record(pass, &self.layout)
    }

    /// Returns what takes the walls of colliders, and what tells their contacts of what they have pushed.
    pub fn collider_walls(&self) -> Option<&[wgpu::ComputePipeline; 2]> {
        self.collider_walls.as_ref().filter(|_| self.has_walls())
    }

    /// Returns the stages of a hook in order, in the first iteration or the last or neither; those that project end
    /// with what moves the members, if that is read again, and those of velocities begin with what takes them.
    pub fn stages(&self, hook: MediumHook, first: bool, last: bool) -> impl Iterator<Item = &wgpu::ComputePipeline> {
        let stages = self.stages.as_ref().map(|(_, stages)| stages);
        let has_solids = self.members.has_solids;
        stages.into_iter().flat_map(move |stages| {
            let before = (hook == MediumHook::Velocities).then_some(&stages.take_velocity);
            let again = !last || stages.change_velocities();
            let after = (hook == MediumHook::Project && again).then_some(&stages.follow);
            before.into_iter().chain(stages.of(hook, has_solids, first)).chain(after)
        })
    }
}
