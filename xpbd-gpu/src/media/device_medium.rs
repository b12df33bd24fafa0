//! A medium on the device: its members, the kernels that sort and solve them, and the buffers that hold them.

use bytemuck::{Zeroable, bytes_of, cast_slice};
use xpbd_core::media::MediumState;
use xpbd_core::medium::Medium;
use xpbd_core::medium::kernel::MediumHook;
use xpbd_core::world::State;

use super::members::{MediumUniform, Members, numbers};
use super::stages::Stages;
use super::walls;
use crate::cell_sort::{MemberSort, SearchLayout, SearchUniform};
use crate::device::Device;
use crate::memory::GrowableBuffer;
use crate::pipelines::{Family, Pipelines};

/// A medium of a world.
#[derive(Debug)]
pub struct DeviceMedium {
    /// The medium of the core.
    pub medium: &'static dyn Medium,
    members: Members,
    layout: SearchLayout,
    sort: MemberSort,
    stages: Option<(u64, Stages)>,
    collider_walls: Option<[wgpu::ComputePipeline; 2]>,
    buffers: MediumBuffers,
    search: SearchUniform,
    uniform: Box<MediumUniform>,
}

/// The buffers of a medium.
#[derive(Debug)]
pub struct MediumBuffers {
    /// The uniform of the sort.
    pub search: GrowableBuffer,
    /// The uniform of the stages.
    pub uniform: GrowableBuffer,
    /// Material of each particle that takes part.
    pub setup: GrowableBuffer,
    /// Working memory of the sort, and the table of buckets.
    pub work: GrowableBuffer,
    /// Indices of the particles of the medium.
    pub members: GrowableBuffer,
    /// The walls of particles.
    pub walls: GrowableBuffer,
}

/// Context of an update of a medium.
pub struct MediumUpdate<'a> {
    /// The device.
    pub device: &'a Device,
    /// Pipelines of the device.
    pub pipelines: &'a mut Pipelines,
    /// Place of the medium among those of the world.
    pub place: usize,
    /// Number of walls for which a particle has room.
    pub most_walls: u64,
    /// True if there are contacts with colliders in this frame, and true if there are contacts with bodies that can be pushed.
    pub walls: [bool; 2],
}

impl DeviceMedium {
    /// Returns a medium without members.
    ///
    /// # Errors
    /// The device refuses a kernel.
    pub fn new(medium: &'static dyn Medium, device: &Device, pipelines: &mut Pipelines) -> Result<Self, String> {
        let storage = |label| GrowableBuffer::storage(device, label);
        let buffers = MediumBuffers {
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
            layout: SearchLayout::default(),
            sort: pipelines.sort(device)?,
            stages: None,
            collider_walls: None,
            buffers,
            search: SearchUniform::zeroed(),
            uniform: Box::new(MediumUniform::zeroed()),
        })
    }

    /// Uploads the edits of a world, and returns whether a buffer is new.
    ///
    /// # Errors
    /// The device refuses a kernel or a buffer.
    pub fn update(
        &mut self,
        resident: &MediumState,
        state: &State,
        follow: &mut MediumUpdate<'_>,
    ) -> Result<bool, String> {
        let (device, count) = (follow.device, state.particles.len());
        let changed = self.members.update(resident, state);
        self.layout = SearchLayout::of_sort(count, self.members.count).map_err(|error| error.to_string())?;
        self.compile(resident, state.plan_generation, follow)?;
        let sections = self.stages.as_ref().map_or(0, |(_, stages)| stages.sections);
        let Self { buffers, members, layout, .. } = self;
        let mut new = buffers.uniform.reserve(device, size_of::<MediumUniform>() as u64)?;
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
        let search = SearchUniform {
            particles: layout.particles,
            buckets: layout.buckets,
            capacity: stride,
            furthest: reach,
            table: layout.table,
            cells: layout.cells,
            sums: layout.sums,
            near: layout.near,
            ..SearchUniform::zeroed()
        };
        if search != self.search {
            queue.write_buffer(&self.buffers.search.buffer, 0, bytes_of(&search));
            self.search = search;
        }
        let (materials, width) = numbers(resident)?;
        let uniform = MediumUniform {
            stride,
            buckets: layout.buckets,
            table: layout.table,
            walls: u32::from(follow.walls != [false; 2]),
            solids: u32::from(self.members.has_solids),
            width,
            reach,
            near: layout.near,
            materials,
        };
        if uniform != *self.uniform {
            queue.write_buffer(&self.buffers.uniform.buffer, 0, bytes_of(&uniform));
            *self.uniform = uniform;
        }
        Ok(())
    }

    /// Returns the buffers.
    pub fn buffers(&self) -> &MediumBuffers {
        &self.buffers
    }

    /// Returns the layout of the bind group of the sort.
    pub fn bindings(&self) -> &wgpu::BindGroupLayout {
        &self.sort.bindings
    }

    /// Returns the number of members.
    pub fn count(&self) -> usize {
        self.members.count
    }

    /// Returns whether there are walls in this frame.
    pub fn has_walls(&self) -> bool {
        self.uniform.walls != 0
    }

    /// Returns whether stages change velocities at the end of a substep.
    pub fn changes_velocities(&self) -> bool {
        self.stages.as_ref().is_some_and(|(_, stages)| stages.changes_velocities())
    }

    /// Records the sort of the members with its bind group set, and returns the number of dispatches.
    pub fn sort(&self, pass: &mut wgpu::ComputePass<'_>) -> usize {
        self.sort.record(pass, &self.layout)
    }

    /// Records the search for who is near whom with the bind group of the sort set, and returns the number of dispatches.
    pub fn find_near(&self, pass: &mut wgpu::ComputePass<'_>) -> usize {
        self.sort.find_near(pass, &self.layout)
    }

    /// Returns the kernels that find the walls of colliders, and report their impulses to the contacts.
    pub fn collider_walls(&self) -> Option<&[wgpu::ComputePipeline; 2]> {
        self.collider_walls.as_ref().filter(|_| self.has_walls())
    }

    /// Returns the stages of a hook in order, in the first iteration or the last or neither. Those that project end with the
    /// kernel that applies displacements, if positions are read again; those of velocities begin with the one that copies
    /// velocities.
    pub fn stages(&self, hook: MediumHook, first: bool, last: bool) -> impl Iterator<Item = &wgpu::ComputePipeline> {
        let stages = self.stages.as_ref().map(|(_, stages)| stages);
        let has_solids = self.members.has_solids;
        stages.into_iter().flat_map(move |stages| {
            let before = (hook == MediumHook::Velocities).then_some(&stages.copy_velocity);
            let again = !last || stages.changes_velocities();
            let after = (hook == MediumHook::Project && again).then_some(&stages.apply_displacement);
            before.into_iter().chain(stages.of(hook, has_solids, first)).chain(after)
        })
    }
}
