//! The sort of the members of a medium by cells.

use super::{BoundsAccess, DispatchExtent, KernelBuilder, ROWS, SearchKernel, SearchLayout, SortFunctions};
use crate::device::Device;
use crate::layout::{sections, wgsl_constants};
use crate::wgsl::VECTOR;

/// Word of a particle that takes no part.
pub const NONE: u32 = u32::MAX;
/// Material of a member that is a solid.
pub const SOLID: u32 = u32::MAX - 1;

sections! {
    /// Sections of the buffer `members`, one vector a member each; the fields of the stages follow.
    section, "MEMBER_":
    /// Position from the middle of all members \[m\], and inverse mass \[1/kg\].
    POSITION,
    /// Particle, material and bucket.
    INFO,
    /// Displacement by the stages since the position was copied \[m\].
    DISPLACEMENT,
}

const FUNCTIONS: SortFunctions = SortFunctions { source: include_str!("members.wgsl"), has_lists: false };

/// Kernels that sort the members of any medium.
#[derive(Debug, Clone)]
pub struct MemberSort {
    kernels: Vec<SearchKernel>,
    near: SearchKernel,
    /// Layout of bind group 1.
    pub bindings: wgpu::BindGroupLayout,
}

impl MemberSort {
    /// Compiles the kernels for a state bound as group 0 with this layout.
    ///
    /// # Errors
    /// The device refuses a kernel.
    pub fn new(device: &Device, state: &wgpu::BindGroupLayout) -> Result<Self, String> {
        let build = KernelBuilder::new(device, state, section::wgsl() + &wgsl_constants!(NONE = NONE));
        let mut kernels = build.sort(&FUNCTIONS)?;
        let order = [BoundsAccess::Plain.text(), FUNCTIONS.source, include_str!("order.wgsl")];
        kernels.push(build.kernel("order", DispatchExtent::Particles, &order)?);
        let near = [VECTOR, ROWS, include_str!("near.wgsl")];
        let near = build.kernel("near", DispatchExtent::Particles, &near)?;
        Ok(Self { kernels, near, bindings: build.bindings })
    }

    /// Records every dispatch with the bind groups set, and returns their number.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>, layout: &SearchLayout) -> usize {
        SearchKernel::record(&self.kernels, pass, layout)
    }

    /// Records the search for who is near whom, at the present positions of the members and in the cells of the sort, and
    /// returns the number of dispatches.
    pub fn find_near(&self, pass: &mut wgpu::ComputePass<'_>, layout: &SearchLayout) -> usize {
        SearchKernel::record(std::slice::from_ref(&self.near), pass, layout)
    }
}
