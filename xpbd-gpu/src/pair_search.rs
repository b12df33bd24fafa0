//! The pairs of particles that may touch in a frame, found on the GPU: the same ones as on the CPU.
//!
//! A uniform grid, hashed into a table, and a counting sort: bounds of the motion, a histogram of the
//! buckets, a scan, a scatter; then for each particle a count of its partners, a scan, and the
//! lists. For every particle there is the list of **all** its partners, of lower and of higher index,
//! sorted: going through the list of a particle meets its pairs in the order of the CPU, and a solver
//! that gathers needs no atomics.
//!
//! **Invariant**: the lists depend on the state and the scene alone. Cells, hashes and the order of
//! threads decide where something is found, never what; the operations that decide whether a pair is
//! kept are those of `xpbd-core/src/collide/particle_contacts.rs`, in the same order.
//!
//! # Bindings
//!
//! Group 0 is the state of N particles: binding 1 `anchor`, 2 `offset`, 4 `motion`, whose first two
//! sections of N vectors are velocity \[m/s\] and acceleration \[m/s²\]. Group 1 is the search: a
//! uniform and the buffers `setup`, `work` and `lists`. The buffer `lists` is what a solver reads;
//! [`PairSearch::first`] and [`PairSearch::partners`] say where its sections begin, in words:
//!
//! | words | content |
//! |---|---|
//! | 0 | partners that there are, also those without room |
//! | 1 | pairs dropped because a particle had more than 48 partners of higher index (modulo 2³²) |
//! | 2, 3 | for the search |
//! | `first` … + N + 1 | `first[i]..first[i + 1]` are the places of the partners of particle i |
//! | … | for the search |
//! | `partners` … | world indices of particles |
//!
//! If there are more partners than room, lists are cut at the end of the buffer, the last ones to
//! nothing; a pair may then stand in one list only. [`PairSearch::reserve`] makes room for the next frame.
//! Where hardware fuses operations, differently in two kernels, a pair at the very limit may also stand
//! in one list only, and a place may stay free: the particle itself then stands there, and is no partner.

mod buffers;
mod kernels;
mod scene;

pub use kernels::PairSearchKernels;
pub use scene::{PairSearchObject, PairSearchScene};

use crate::cell_sort::{FIRST, REMEMBERED, SearchError, SearchLayout, SearchUniform};
use buffers::{Lengths, SearchBuffers};
use scene::SearchSetup;

/// Room for partners of each particle at first; in a dense heap it has about 16.
const PARTNERS: u32 = 24;

/// A search for pairs of particles. SearchBuffers are made anew only when they are too short.
#[derive(Debug)]
pub struct PairSearch {
    kernels: PairSearchKernels,
    setup: SearchSetup,
    layout: SearchLayout,
    buffers: Option<SearchBuffers>,
    uniform: Option<SearchUniform>,
    /// Partners for which there is to be room, and the most for which there is.
    wanted: u32,
    most: u32,
    generation: u64,
}

impl PairSearch {
    /// Returns a search with kernels that others may share.
    pub fn new(kernels: PairSearchKernels) -> Self {
        Self {
            kernels,
            setup: SearchSetup::default(),
            layout: SearchLayout::default(),
            buffers: None,
            uniform: None,
            wanted: 0,
            most: u32::MAX,
            generation: 0,
        }
    }

    /// Finds at most this many partners, from the next [`PairSearch::prepare`] on.
    pub fn limit(&mut self, partners: u32) {
        self.most = partners;
    }

    /// Makes room for this many partners, from the next [`PairSearch::prepare`] on.
    pub fn reserve(&mut self, partners: u32) {
        self.wanted = self.wanted.max(partners);
    }

    /// Uploads the changes of a scene; a scene like the last one writes nothing.
    ///
    /// # Errors
    /// There are more particles than the device can hold. The search is then unchanged.
    pub fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        scene: &PairSearchScene<'_>,
    ) -> Result<(), SearchError> {
        let (layout, lengths) = self.lay_out(device, scene, REMEMBERED).or_else(|_| self.lay_out(device, scene, 0))?;
        self.layout = layout;
        let mut changed = self.setup.update(scene);
        let buffers = match self.buffers.take() {
            Some(buffers) if buffers.hold(lengths) => buffers,
            _ => {
                changed = true;
                self.uniform = None;
                self.generation += 1;
                SearchBuffers::new(device, &self.kernels.bindings, lengths)
            }
        };
        if changed {
            queue.write_buffer(&buffers.setup, 0, bytemuck::cast_slice(&self.setup.words));
        }
        let mut uniform = uniform(scene, &layout, &buffers);
        uniform.capacity = uniform.capacity.min(self.most);
        if self.uniform != Some(uniform) {
            queue.write_buffer(&buffers.search, 0, bytemuck::bytes_of(&uniform));
            self.uniform = Some(uniform);
        }
        self.buffers = Some(buffers);
        Ok(())
    }

    /// Sections and lengths of buffers for a scene.
    fn lay_out(
        &self,
        device: &wgpu::Device,
        scene: &PairSearchScene<'_>,
        remembered: u32,
    ) -> Result<(SearchLayout, Lengths), SearchError> {
        let layout = SearchLayout::new(scene.rest.len(), remembered)?;
        let setup = 4 * (scene.rest.len() + scene.objects.len());
        let partners = self.wanted.max(PARTNERS.saturating_mul(layout.particles)).min(self.most);
        Ok((layout, Lengths::new(device, &layout, setup, partners)?))
    }

    /// Records the search with the state as bind group 0, and returns the number of dispatches. Does nothing before
    /// [`PairSearch::prepare`].
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>, state: &wgpu::BindGroup, offsets: &[u32]) -> usize {
        let Some(buffers) = &self.buffers else { return 0 };
        pass.set_bind_group(0, state, offsets);
        pass.set_bind_group(1, &buffers.group, &[]);
        self.kernels.record(pass, &self.layout)
    }

    /// Returns whether any particle takes part.
    pub fn is_needed(&self) -> bool {
        self.setup.is_needed()
    }

    /// Returns the counters and lists, which are another buffer whenever [`PairSearch::generation`] changes.
    pub fn lists(&self) -> Option<&wgpu::Buffer> {
        self.buffers.as_ref().map(|buffers| &buffers.lists)
    }

    /// Returns how often the buffers have been made.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the first word of the starts of the lists.
    pub fn first(&self) -> u32 {
        FIRST
    }

    /// Returns the first word of the partners, which changes with the number of particles.
    pub fn partners(&self) -> u32 {
        self.layout.partners
    }

    /// Returns the number of partners for which there is room.
    pub fn capacity(&self) -> u32 {
        self.uniform.map_or(0, |uniform| uniform.capacity)
    }
}

/// Returns the uniform of a frame. Distances are computed by the operations of the CPU.
fn uniform(scene: &PairSearchScene<'_>, layout: &SearchLayout, buffers: &SearchBuffers) -> SearchUniform {
    let diameter = 2.0 * scene.radius;
    let touching = diameter + scene.margin;
    SearchUniform {
        particles: layout.particles,
        buckets: layout.buckets,
        capacity: (buffers.lists.size() / 4) as u32 - layout.partners,
        dt: scene.dt,
        touching,
        diameter,
        furthest: touching + 2.0 * diameter,
        table: layout.table,
        cells: layout.cells,
        sums: layout.sums,
        near: layout.near,
        memory: layout.memory,
        remembered: layout.remembered,
        cutoffs: layout.cutoffs,
        partners: layout.partners,
    }
}
