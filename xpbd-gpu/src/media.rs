//! Media on the device: interactions of particles with all particles near them.
//!
//! Once a substep the members of a medium are sorted by cells with the kernels that pairs begin with
//! ([`pairs`](crate::pair_search)), and in a bucket by index, so that nothing depends on which thread comes first. What
//! the stages of a medium read is copied into that order. Who is near whom is then found once for all stages that read the
//! same positions: a thread a member goes through the cells around its own and keeps a bit for each of the first 32 members
//! of a row of cells. Stages test those behind them again, so that there are no most neighbours.
//!
//! Walls come from the contacts of the frame, at the positions that particles have when a medium is solved:
//! those with colliders by a thread a particle, those with bodies that can be pushed by a thread a contact that is
//! the first of its particle. A particle keeps the nearest few; a frame reports the others as dropped.
//! Devices that leave a loop after 65,535 iterations miss particles where there are more than that in a row of cells.

mod device_medium;
mod members;
mod stages;
mod walls;

pub use device_medium::{DeviceMedium, MediumBuffers};
pub use stages::{copy_texts, stage_text};
pub use walls::{body_pushes_text, body_walls_text, collider_pushes_text, collider_walls_text, max_walls};

use xpbd_core::world::State;

use crate::device::Device;
use crate::layout::PassRange;
use crate::memory::{GrowableBuffer, bind_group};
use crate::passes::PassBuffers;
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
    /// Bind group of the sort.
    pub sort: wgpu::BindGroup,
    /// Bind group of the stages.
    pub stages: wgpu::BindGroup,
    /// Bind group of the kernels that find the walls of colliders.
    pub collider_walls: wgpu::BindGroup,
    /// Bind group of the kernels that find the walls of bodies.
    pub body_walls: wgpu::BindGroup,
}

/// Buffers outside of a medium that its bind groups hold.
#[derive(Debug)]
pub struct MediumSources<'a> {
    /// The device.
    pub device: &'a Device,
    /// Records of objects and colliders.
    pub scene: &'a GrowableBuffer,
    /// Contacts of particles with colliders.
    pub contacts: &'a GrowableBuffer,
    /// The passes of contacts in which bodies move.
    pub passes: &'a PassBuffers,
    /// The records of these contacts.
    pub records: &'a GrowableBuffer,
}

impl Media {
    /// Uploads the edits of a world; `walls` says whether there are contacts with colliders, and with bodies that can be pushed.
    /// Returns whether a buffer is new.
    ///
    /// # Errors
    /// A medium has no kernel, or the device refuses a kernel or a buffer.
    pub fn update(
        &mut self,
        state: &State,
        walls: [bool; 2],
        device: &Device,
        pipelines: &mut Pipelines,
    ) -> Result<bool, String> {
        let mut new = self.all.len() != state.media.len();
        self.all.truncate(state.media.len());
        let most_walls = max_walls(state.particles.len(), device);
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

    /// Returns all media in order.
    pub fn iter(&self) -> impl Iterator<Item = &DeviceMedium> {
        self.all.iter()
    }

    /// Returns a medium by its index.
    pub fn get(&self, place: usize) -> Option<&DeviceMedium> {
        self.all.get(place)
    }

    /// Returns the number of media.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether there are no media.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Makes bind groups over the present buffers.
    pub fn bind(&self, sources: &MediumSources<'_>, pipelines: &Pipelines) -> Vec<MediumGroups> {
        self.all.iter().map(|medium| bind(medium, sources, pipelines)).collect()
    }
}

fn bind(medium: &DeviceMedium, sources: &MediumSources<'_>, pipelines: &Pipelines) -> MediumGroups {
    let &MediumSources { device, scene, contacts, passes, records } = sources;
    let MediumBuffers { search, uniform, setup, work, members, walls } = medium.buffers();
    let group = |layout: &wgpu::BindGroupLayout, resources: &[wgpu::BindingResource<'_>]| {
        bind_group(device, Some(medium.medium.name()), layout, resources.iter().cloned())
    };
    let range = passes.ranges.first_bytes(size_of::<PassRange>() as u64);
    let (work, members, walls, records) = (work.whole(), members.whole(), walls.whole(), records.whole());
    MediumGroups {
        sort: group(medium.bindings(), &[search.whole(), setup.whole(), work.clone(), members.clone()]),
        stages: group(pipelines.layout(Family::Medium), &[uniform.whole(), work, members, walls.clone()]),
        collider_walls: group(pipelines.layout(Family::Scene), &[scene.whole(), contacts.whole(), walls.clone()]),
        body_walls: group(pipelines.layout(Family::Pass), &[range, passes.data.whole(), records, walls]),
    }
}
