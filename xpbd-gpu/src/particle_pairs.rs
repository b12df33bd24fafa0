//! Contacts between the particles of a world: the search once a frame, and the state of the pairs found.

use xpbd_core::world::State;

use crate::device::Device;
use crate::memory::{GrowableBuffer, bind_group};
use crate::pair_search::{PairSearch, PairSearchKernels, PairSearchObject, PairSearchScene};
use crate::pipelines::Pipelines;

/// Bytes of the state of a particle, and of an entry of its list; its multipliers, which a further iteration reads, take as
/// many.
const PAIR_STATE: u64 = 8;

/// The search for pairs, and the state of those found.
#[derive(Debug)]
pub struct ParticlePairs {
    search: PairSearch,
    state: GrowableBuffer,
    generation: u64,
}

impl ParticlePairs {
    /// Returns a search without pairs.
    pub fn new(kernels: PairSearchKernels, device: &Device) -> Self {
        Self { search: PairSearch::new(kernels), state: GrowableBuffer::storage(device, "pair state"), generation: 0 }
    }

    /// Returns whether layers let any two particles of a world touch.
    pub fn are_possible(state: &State) -> bool {
        let objects: Vec<_> = state.objects.iter().map(|(_, object)| object).enumerate().collect();
        let balls: Vec<_> = objects.into_iter().filter(|(_, object)| object.surface.is_none()).collect();
        let meet = |j: usize, k: usize| {
            let ([one, other], place) = ([j, k].map(|k| balls[k].1.collision_layers), |k: usize| balls[k].0);
            one.interacts_with(other) && !state.object_media.share_medium(place(j), place(k))
        };
        let meets = |k: usize| (0..k).any(|j| meet(j, k));
        (0..balls.len()).any(|k| balls[k].1.collision_layers.self_collision || meets(k))
    }

    /// Returns whether particles may touch in this frame.
    pub fn is_needed(&self) -> bool {
        self.search.is_needed()
    }

    /// Returns the counters and lists of the search.
    pub fn lists(&self) -> Option<&wgpu::Buffer> {
        self.search.lists()
    }

    /// Uploads the edits of a world, and returns whether a buffer is new.
    ///
    /// # Errors
    /// There are more particles than the device has room for.
    pub fn update(&mut self, state: &State, dt: f32, device: &Device) -> Result<bool, String> {
        let objects: Vec<_> = state
            .objects
            .iter()
            .enumerate()
            .map(|(place, (_, object))| PairSearchObject {
                range: object.range.clone(),
                groups: object.collision_layers.memberships,
                mask: object.collision_layers.filters,
                self_collision: object.collision_layers.self_collision,
                excluded: object.frozen || object.surface.is_some(),
                medium: state.object_media.of(place),
            })
            .collect();
        let (radius, margin) = (state.settings.particle_radius, state.settings.contact_margin);
        let (rest, absent) = (&state.particles.rest_positions, &state.particles.inactive);
        let scene = PairSearchScene { objects: &objects, rest, absent, radius, margin, dt };
        let particles = state.particles.len() as u64;
        let [kept, entries] =
            [PAIR_STATE * particles, if state.settings.iterations > 1 { 2 * PAIR_STATE } else { PAIR_STATE }];
        let room = device.max_buffer_size().saturating_sub(kept) / entries;
        self.search.limit(u32::try_from(room).unwrap_or(u32::MAX));
        self.search.prepare(&device.device, &device.queue, &scene).map_err(|error| error.to_string())?;
        let new = self.state.reserve(device, kept + entries * u64::from(self.search.capacity()))?;
        let generation = std::mem::replace(&mut self.generation, self.search.generation());
        Ok(new || generation != self.generation)
    }

    /// Makes bind groups of the scene with pairs, and of pairs with the outcome.
    pub fn bind(
        &self,
        scene: &GrowableBuffer,
        outcome: &GrowableBuffer,
        device: &Device,
        pipelines: &Pipelines,
    ) -> Option<[wgpu::BindGroup; 2]> {
        let lists = self.search.lists()?;
        let group = |resources: [wgpu::BindingResource<'_>; 3]| bind_group(device, None, &pipelines.scene, resources);
        let (list, state) = (lists.as_entire_binding(), self.state.whole());
        Some([group([scene.whole(), list.clone(), state.clone()]), group([list, state, outcome.whole()])])
    }

    /// Records the search with the state bound for the first substep, and returns the number of dispatches.
    pub fn search(&self, pass: &mut wgpu::ComputePass<'_>, state: &wgpu::BindGroup) -> usize {
        self.search.record(pass, state, &[0])
    }

    /// Makes room for this many partners, and returns for how many there was none.
    pub fn grow(&mut self, partners: usize) -> usize {
        let missing = partners.saturating_sub(self.search.capacity() as usize);
        if missing > 0 {
            self.search.reserve(u32::try_from(partners.next_power_of_two()).unwrap_or(u32::MAX));
        }
        missing
    }
}
