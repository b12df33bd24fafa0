//! The kernels of the search, in the order in which they run.

use super::layout::Layout;
use super::sort::{BUCKET, Build, DispatchExtent, Kernel, Sorted};

const SORT: Sorted = Sorted {
    particle: include_str!("particle.wgsl"),
    reach: include_str!("reach.wgsl"),
    entry: include_str!("entry.wgsl"),
    has_lists: true,
};
const AROUND: &str = concat!(include_str!("around.wgsl"), include_str!("touch.wgsl"));
const KEPT: &str = include_str!("kept.wgsl");

/// All kernels, and the layout of their own bind group.
#[derive(Debug, Clone)]
pub struct Kernels {
    kernels: Vec<Kernel>,
    /// Layout of bind group 1.
    pub bindings: wgpu::BindGroupLayout,
}

impl Kernels {
    /// Compiles them for a state bound as group 0 with this layout.
    ///
    /// # Errors
    /// A kernel that the device refuses.
    pub fn new(device: &wgpu::Device, state: &wgpu::BindGroupLayout) -> Result<Self, String> {
        let build = Build::new(device, state);
        let each =
            |name, parts: &[&str]| build.kernel(name, DispatchExtent::Particles, &[&[BUCKET, AROUND], parts].concat());
        let mut kernels = build.sort(&SORT)?;
        kernels.extend([
            each("count", &[include_str!("count.wgsl")])?,
            each("cap", &[include_str!("cap.wgsl")])?,
            each("recount", &[KEPT, include_str!("recount.wgsl")])?,
        ]);
        kernels.extend(build.scans(true)?);
        kernels.push(each("fill", &[KEPT, include_str!("fill.wgsl")])?);
        Ok(Self { kernels, bindings: build.bindings })
    }

    /// Records every dispatch, and says how many they are; the bind groups are set.
    pub(super) fn record(&self, pass: &mut wgpu::ComputePass<'_>, layout: &Layout) -> usize {
        Kernel::record(&self.kernels, pass, layout)
    }
}
