//! The sort of the members of a medium by cells.

use crate::pair_search::layout::Layout;
use crate::pair_search::sort::{Build, DispatchExtent, Kernel, PLAIN_BOUNDS, Sorted};

const PARTICLE: &str = include_str!("particle.wgsl");

const SORTED: Sorted = Sorted {
    particle: PARTICLE,
    reach: include_str!("reach.wgsl"),
    entry: include_str!("entry.wgsl"),
    has_lists: false,
};

/// Kernels that sort, for any medium.
#[derive(Debug, Clone)]
pub struct SortKernels {
    kernels: Vec<Kernel>,
    /// Layout of bind group 1.
    pub bindings: wgpu::BindGroupLayout,
}

impl SortKernels {
    /// Compiles them for a state bound as group 0 with this layout.
    ///
    /// # Errors
    /// A kernel that the device refuses.
    pub fn new(device: &wgpu::Device, state: &wgpu::BindGroupLayout) -> Result<Self, String> {
        let build = Build::new(device, state);
        let mut kernels = build.sort(&SORTED)?;
        let order = [
            include_str!("../pair_search/largest.wgsl"),
            PLAIN_BOUNDS,
            PARTICLE,
            include_str!("sections.wgsl"),
            include_str!("order.wgsl"),
        ];
        kernels.push(build.kernel("order", DispatchExtent::Particles, &order)?);
        Ok(Self { kernels, bindings: build.bindings })
    }

    /// Records every dispatch, and says how many they are; the bind groups are set.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>, layout: &Layout) -> usize {
        Kernel::record(&self.kernels, pass, layout)
    }
}
