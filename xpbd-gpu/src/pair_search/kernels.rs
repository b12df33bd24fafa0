//! The kernels of the search, in the order in which they run.

use xpbd_core::collide::MAX_PARTNERS;

use super::scene::{AMONG_ITSELF, NONE};
use crate::cell_sort::{CELL, DispatchExtent, KernelBuilder, SearchKernel, SearchLayout, SortFunctions};
use crate::device::Device;
use crate::layout::wgsl_constants;

const FUNCTIONS: SortFunctions = SortFunctions { source: include_str!("particle.wgsl"), has_lists: true };
const AROUND: &str = concat!(include_str!("around.wgsl"), include_str!("touch.wgsl"));

/// All kernels, and the layout of their own bind group.
#[derive(Debug, Clone)]
pub struct PairSearchKernels {
    kernels: Vec<SearchKernel>,
    /// SearchLayout of bind group 1.
    pub bindings: wgpu::BindGroupLayout,
}

impl PairSearchKernels {
    /// Compiles the kernels for a state bound as group 0 with this layout.
    ///
    /// # Errors
    /// The device refuses a kernel.
    pub fn new(device: &Device, state: &wgpu::BindGroupLayout) -> Result<Self, String> {
        let build = KernelBuilder::new(
            device,
            state,
            wgsl_constants!(NONE = NONE, AMONG_ITSELF = AMONG_ITSELF, MAX_PARTNERS = MAX_PARTNERS),
        );
        let each = |name, own| build.kernel(name, DispatchExtent::Particles, &[CELL, AROUND, own]);
        let mut kernels = build.sort(&FUNCTIONS)?;
        kernels.extend([
            each("count", include_str!("count.wgsl"))?,
            each("cap", include_str!("cap.wgsl"))?,
            each("recount", include_str!("recount.wgsl"))?,
        ]);
        kernels.extend(build.scans(true)?);
        kernels.push(each("fill", include_str!("fill.wgsl"))?);
        Ok(Self { kernels, bindings: build.bindings })
    }

    /// Records every dispatch with the bind groups set, and returns their number.
    pub(super) fn record(&self, pass: &mut wgpu::ComputePass<'_>, layout: &SearchLayout) -> usize {
        SearchKernel::record(&self.kernels, pass, layout)
    }
}
