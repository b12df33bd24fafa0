//! Media on the device: what particles do to all particles near them.
//!
//! Once a substep the members of a medium are sorted by cells with the kernels that pairs begin with
//! ([`pairs`](crate::pairs)), and in a bucket by index, so that nothing depends on which thread comes first. What
//! the stages of a medium read is copied into that order. A thread a member goes through the cells around its own:
//! there are no lists, and so no most neighbours.
//!
//! Walls come from the contacts of the frame, at the positions that particles have when a medium is solved:
//! those with colliders by a thread a particle, those with bodies that can be pushed by a thread a contact that is
//! the first of its particle. A particle keeps the nearest few; a frame reports the others as dropped.
//!
//! Devices that leave a loop after 65,535 turns do not see all of more particles than that within reach.

mod device_medium;
mod members;
mod sort;
pub mod stages;
pub mod walls;

pub use device_medium::{Buffers, DeviceMedium};
pub use sort::SortKernels;

use xpbd_core::world::State;

use crate::collisions::Collisions;
use crate::device::Device;
use crate::device_world::DeviceWorld;
use crate::layout::Range;
use crate::memory::GrowableBuffer;
use crate::pipelines::{Family, Pipelines};
use device_medium::MediumUpdate;

/// The media of a world, in the order of its plan.
#[derive(Debug, Default)]
pub struct Media {
    all: Vec<DeviceMedium>,
}

/// Bind groups of a medium.
#[derive(Debug)]
pub struct MediumGroups {
    /// Of its sort.
    pub sort: wgpu::BindGroup,
    /// Of its stages.
    pub stages: wgpu::BindGroup,
    /// Of what takes the walls of colliders.
    pub collider_walls: wgpu::BindGroup,
    /// Of what takes those of bodies.
    pub body_walls: wgpu::BindGroup,
}

impl Media {
    /// Follows the edits of a world in which there are contacts with colliders and with bodies that can be pushed, or
    /// not; says whether a buffer is a new one.
    ///
    /// # Errors
    /// A medium without a kernel, one that the device refuses, or a buffer that it cannot give.
    pub fn update(
        &mut self,
        state: &State,
        walls: [bool; 2],
        device: &Device,
        pipelines: &mut Pipelines,
    ) -> Result<bool, String> {
        let mut new = self.all.len() != state.media.len();
        self.all.truncate(state.media.len());
        let most_walls = walls::most(state.particles.len(), device);
        for (place, resident) in state.media.iter().enumerate() {
            if self.all.get(place).is_none_or(|known| known.medium != resident.medium) {
                self.all.truncate(place);
                self.all.push(DeviceMedium::new(resident.medium, device, pipelines)?);
                new = true;
            }
            let follow = &mut MediumUpdate { device, pipelines, place, most_walls, walls };
            new |= self.all[place].update(resident, state, follow)?;
        }
        Ok(new)
    }

    /// Returns all of them in order.
    pub fn iter(&self) -> impl Iterator<Item = &DeviceMedium> {
        self.all.iter()
    }

    /// Returns one of them, by its place.
    pub fn get(&self, place: usize) -> Option<&DeviceMedium> {
        self.all.get(place)
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Bind groups over the buffers as they are.
    pub fn bind(&self, home: &DeviceWorld, pipelines: &Pipelines) -> Vec<MediumGroups> {
        self.all.iter().map(|medium| bind(medium, home, pipelines)).collect()
    }
}

fn whole(buffer: &GrowableBuffer) -> Option<wgpu::BindingResource<'_>> {
    Some(buffer.buffer.as_entire_binding())
}

fn bind(medium: &DeviceMedium, home: &DeviceWorld, pipelines: &Pipelines) -> MediumGroups {
    let group = |layout: &wgpu::BindGroupLayout,
                 first: Option<wgpu::BindingResource<'_>>,
                 storage: &[&GrowableBuffer]| {
        let rest = storage.iter().map(|buffer| buffer.buffer.as_entire_binding());
        let entries = first.into_iter().chain(rest).zip(0..);
        let entries: Vec<_> = entries.map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource }).collect();
        let label = Some(medium.medium.name());
        home.device.device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries: &entries })
    };
    let Buffers { search, uniform, setup, work, members, walls } = medium.buffers();
    let (scene, contacts) = (&home.buffers.scene, &home.buffers.contacts);
    let Collisions { passes, records, .. } = &home.collisions;
    let range = wgpu::BufferBinding {
        buffer: &passes.buffers.ranges.buffer,
        offset: 0,
        size: wgpu::BufferSize::new(size_of::<Range>() as u64),
    };
    MediumGroups {
        sort: group(medium.bindings(), whole(search), &[setup, work, members]),
        stages: group(pipelines.layout(Family::Medium), whole(uniform), &[work, members, walls]),
        collider_walls: group(pipelines.layout(Family::Scene), None, &[scene, contacts, walls]),
        body_walls: group(
            pipelines.layout(Family::Pass),
            Some(wgpu::BindingResource::Buffer(range)),
            &[&passes.buffers.data, records, walls],
        ),
    }
}
