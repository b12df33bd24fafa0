//! A counting sort of particles by cells, with which every search begins.

mod layout;
mod members;

pub use layout::{FIRST, REMEMBERED, SearchError, SearchLayout, SearchUniform};
pub use members::{MemberSort, NONE, SOLID, section};

use std::sync::LazyLock;

use crate::device::Device;
use crate::layout::{MAX_WORKGROUPS, buffer_entry, wgsl_constants};
use layout::SCAN_BLOCK;

/// Threads of a workgroup of the flat kernels.
const FLAT_GROUP: u32 = 128;
/// Threads of a workgroup of the scan.
const SCAN_GROUP: u32 = 256;
/// Largest number of workgroups of the bounds: fewer threads with more particles each need fewer atomics.
const BOUND_GROUPS: u32 = 256;

/// Distance in the table of neighbouring buckets along y, modulo the length of the table. Around any cell the nine rows
/// of three buckets have none in common if the table has at least 64 buckets.
const BUCKET_STEP_Y: u32 = 0x9e37_79b1;
/// Distance in the table of neighbouring buckets along z.
const BUCKET_STEP_Z: u32 = 0x85eb_ca75;

const BINDINGS: &str = include_str!("cell_sort/bindings.wgsl");
/// The rows of buckets around a cell.
pub const ROWS: &str = include_str!("cell_sort/rows.wgsl");
/// Cells of a hashed grid and their buckets.
pub const CELL: &str = include_str!("cell_sort/cell.wgsl");

/// Returns the distances of neighbouring buckets as constants of WGSL.
pub fn bucket_steps() -> &'static str {
    static TEXT: LazyLock<String> =
        LazyLock::new(|| wgsl_constants!(BUCKET_STEP_Y = BUCKET_STEP_Y, BUCKET_STEP_Z = BUCKET_STEP_Z));
    &TEXT
}

/// Access of a kernel to the bounds.
#[derive(Debug, Clone, Copy)]
pub enum BoundsAccess {
    /// Atomic words.
    Atomic,
    /// Plain words.
    Plain,
}

impl BoundsAccess {
    /// Returns the function `bound_at`.
    pub fn text(self) -> &'static str {
        match self {
            Self::Atomic => "fn bound_at(k: u32) -> f32 { return from_ordered(atomicLoad(&work_atomic[k])); }\n",
            Self::Plain => "fn bound_at(k: u32) -> f32 { return from_ordered(work[k]); }\n",
        }
    }
}

/// Workgroups of a kernel.
#[derive(Debug, Clone, Copy)]
pub enum DispatchExtent {
    /// A thread for each particle and each bucket.
    All,
    /// One thread for each particle.
    Particles,
    /// A thread for each particle, in few workgroups.
    Bounds,
    /// A workgroup for each block of the scan.
    Blocks,
    /// A single workgroup.
    One,
    /// A thread of the scan for each value.
    Values,
}

impl DispatchExtent {
    /// Workgroups for the table of buckets or, for the scan of the lists, for the particles.
    fn groups(self, layout: &SearchLayout, of_lists: bool) -> u32 {
        let values = 1 + if of_lists { layout.particles } else { layout.buckets };
        let groups = match self {
            Self::All => (1 + layout.particles.max(layout.buckets)).div_ceil(FLAT_GROUP),
            Self::Particles => layout.particles.div_ceil(FLAT_GROUP),
            Self::Bounds => layout.particles.div_ceil(FLAT_GROUP).min(BOUND_GROUPS),
            Self::Blocks => values.div_ceil(SCAN_BLOCK),
            Self::One => 1,
            Self::Values => values.div_ceil(SCAN_GROUP),
        };
        groups.min(MAX_WORKGROUPS as u32)
    }
}

/// One dispatch of a search.
#[derive(Debug, Clone)]
pub struct SearchKernel {
    pipeline: wgpu::ComputePipeline,
    extent: DispatchExtent,
    of_lists: bool,
}

impl SearchKernel {
    /// Records kernels one after the other with the bind groups set, and returns their number.
    pub fn record(kernels: &[Self], pass: &mut wgpu::ComputePass<'_>, layout: &SearchLayout) -> usize {
        for kernel in kernels {
            pass.set_pipeline(&kernel.pipeline);
            pass.dispatch_workgroups(kernel.extent.groups(layout, kernel.of_lists), 1, 1);
        }
        kernels.len()
    }
}

/// Functions that a sort calls.
#[derive(Debug, Clone, Copy)]
pub struct SortFunctions {
    /// Source of `takes_part`, `position`, `bounded`, `reach` and `write_entry`.
    pub source: &'static str,
    /// True if lists are made from the sorted particles.
    pub has_lists: bool,
}

/// Compiles the kernels of a search.
pub struct KernelBuilder<'a> {
    device: &'a Device,
    layout: wgpu::PipelineLayout,
    /// Constants and bindings before the text of every kernel.
    head: String,
    /// Layout of bind group 1.
    pub bindings: wgpu::BindGroupLayout,
}

impl<'a> KernelBuilder<'a> {
    /// Returns a builder for a state bound as group 0 with this layout, and for these constants.
    pub fn new(device: &'a Device, state: &wgpu::BindGroupLayout, constants: String) -> Self {
        let bindings = bindings(&device.device);
        let layout = device.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("search"),
            bind_group_layouts: &[Some(state), Some(&bindings)],
            immediate_size: 0,
        });
        let head = constants + &layout::wgsl() + bucket_steps() + BINDINGS;
        Self { device, layout, head, bindings }
    }

    /// Compiles the kernels of a sort.
    ///
    /// # Errors
    /// The device refuses a kernel.
    pub fn sort(&self, functions: &SortFunctions) -> Result<Vec<SearchKernel>, String> {
        let &SortFunctions { source, has_lists } = functions;
        let choice = of_lists(has_lists);
        let sort = |access: BoundsAccess, own| [access.text(), &choice, source, CELL, own];
        let plain = sort(BoundsAccess::Plain, include_str!("cell_sort/sort.wgsl"));
        let bound = sort(BoundsAccess::Atomic, include_str!("cell_sort/bound.wgsl"));
        let histogram = sort(BoundsAccess::Atomic, include_str!("cell_sort/histogram.wgsl"));
        let mut kernels = vec![
            self.kernel("clear", DispatchExtent::All, &plain)?,
            self.kernel("bound", DispatchExtent::Bounds, &bound)?,
            self.kernel("histogram", DispatchExtent::Particles, &histogram)?,
        ];
        kernels.extend(self.scans(false)?);
        kernels.push(self.kernel("scatter", DispatchExtent::Particles, &plain)?);
        Ok(kernels)
    }

    /// Compiles the scan of the table of buckets, or of the starts of the lists.
    ///
    /// # Errors
    /// The device refuses a kernel.
    pub fn scans(&self, of_lists: bool) -> Result<[SearchKernel; 3], String> {
        let parts = [&*self::of_lists(of_lists), include_str!("cell_sort/scan.wgsl")];
        let scan = |name, extent| Ok::<_, String>(SearchKernel { of_lists, ..self.kernel(name, extent, &parts)? });
        Ok([
            scan("scan_blocks", DispatchExtent::Blocks)?,
            scan("scan_sums", DispatchExtent::One)?,
            scan("scan_add", DispatchExtent::Values)?,
        ])
    }

    /// Compiles a kernel from its parts.
    ///
    /// # Errors
    /// The device refuses the kernel.
    pub fn kernel(&self, name: &str, extent: DispatchExtent, parts: &[&str]) -> Result<SearchKernel, String> {
        let module = self.device.module(&(self.head.clone() + &parts.concat()), name)?;
        let pipeline = self.device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout: Some(&self.layout),
            module: &module,
            entry_point: Some(name),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..wgpu::PipelineCompilationOptions::default()
            },
            cache: None,
        });
        Ok(SearchKernel { pipeline, extent, of_lists: false })
    }
}

fn of_lists(of_lists: bool) -> String {
    format!("const of_lists = {of_lists};\n")
}

/// Returns the layout of bind group 1: `search`, `setup`, `work`, `lists`.
fn bindings(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let kinds = [
        wgpu::BufferBindingType::Uniform,
        wgpu::BufferBindingType::Storage { read_only: true },
        wgpu::BufferBindingType::Storage { read_only: false },
        wgpu::BufferBindingType::Storage { read_only: false },
    ];
    let entries: Vec<_> = (0..).zip(kinds).map(|(binding, ty)| buffer_entry(binding, ty)).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("search"), entries: &entries })
}

#[cfg(test)]
mod tests {
    use super::{BUCKET_STEP_Y, BUCKET_STEP_Z};

    /// Media rely on this in every table that they use: a member would be visited twice otherwise.
    #[test]
    fn rows_around_a_cell_share_no_bucket() {
        let (y, z) = (BUCKET_STEP_Y, BUCKET_STEP_Z);
        for mask in (6..=28).map(|bits| (1_u32 << bits) - 1) {
            let row = |k: u32| (k % 3).wrapping_mul(y).wrapping_add((k / 3).wrapping_mul(z)) & mask;
            let gap = |a: u32, b: u32| row(a).wrapping_sub(row(b)) & mask;
            let apart = |a, b| a == b || (gap(a, b) >= 3 && gap(b, a) >= 3);
            assert!((0..9).all(|a| (0..9).all(|b| apart(a, b))), "{} buckets", mask + 1);
        }
    }
}
