//! A counting sort of particles by cells, with which every search begins.

use wgpu::ShaderStages;

use super::layout::{Layout, SCAN_BLOCK};
use crate::exact;

/// Threads of a workgroup of the flat kernels.
const GROUP: u32 = 128;
/// Threads of a workgroup of the scan.
const SCAN_GROUP: u32 = 256;
/// Most workgroups along one dimension; kernels go on with a stride beyond.
const MAX_WORKGROUPS: u32 = 65_535;
/// Most workgroups of the bounds: fewer threads with more particles each need fewer atomics.
const BOUND_GROUPS: u32 = 256;

const BINDINGS: &str = concat!(include_str!("bindings.wgsl"), include_str!("finite.wgsl"));
/// How far neighbouring buckets are apart.
pub const ALONG: &str = include_str!("along.wgsl");
/// Buckets of cells.
pub const BUCKET: &str = concat!(include_str!("along.wgsl"), include_str!("bucket.wgsl"));
const CELL: &str = include_str!("cell.wgsl");
const SCAN: &str = include_str!("scan.wgsl");

/// How many workgroups a kernel runs.
#[derive(Debug, Clone, Copy)]
pub enum DispatchExtent {
    /// A thread for each particle and each bucket.
    All,
    /// A thread for each particle.
    Particles,
    /// As particles, but few workgroups.
    Bounds,
    /// A workgroup for each block of the scan.
    Blocks,
    /// One workgroup.
    One,
    /// A thread of the scan for each value.
    Values,
}

impl DispatchExtent {
    /// Workgroups for the table of buckets or, for the scan of the lists, for the particles.
    fn groups(self, layout: &Layout, of_lists: bool) -> u32 {
        let values = 1 + if of_lists { layout.particles } else { layout.buckets };
        let groups = match self {
            Self::All => (1 + layout.particles.max(layout.buckets)).div_ceil(GROUP),
            Self::Particles => layout.particles.div_ceil(GROUP),
            Self::Bounds => layout.particles.div_ceil(GROUP).min(BOUND_GROUPS),
            Self::Blocks => values.div_ceil(SCAN_BLOCK),
            Self::One => 1,
            Self::Values => values.div_ceil(SCAN_GROUP),
        };
        groups.min(MAX_WORKGROUPS)
    }
}

/// One dispatch of a search.
#[derive(Debug, Clone)]
pub struct Kernel {
    pipeline: wgpu::ComputePipeline,
    extent: DispatchExtent,
    of_lists: bool,
}

impl Kernel {
    /// Records kernels one after the other, and says how many they are; the bind groups are set.
    pub fn record(kernels: &[Self], pass: &mut wgpu::ComputePass<'_>, layout: &Layout) -> usize {
        for kernel in kernels {
            pass.set_pipeline(&kernel.pipeline);
            pass.dispatch_workgroups(kernel.extent.groups(layout, kernel.of_lists), 1, 1);
        }
        kernels.len()
    }
}

/// What a sort calls besides its own.
#[derive(Debug, Clone, Copy)]
pub struct Sorted {
    /// `takes_part`, `position` and `bounded` of a particle.
    pub particle: &'static str,
    /// `reach`, from the bounds.
    pub reach: &'static str,
    /// `write_entry`.
    pub entry: &'static str,
    /// True if lists are made from the sorted particles.
    pub has_lists: bool,
}

/// Makes kernels.
pub struct Build<'a> {
    device: &'a wgpu::Device,
    layout: wgpu::PipelineLayout,
    /// Layout of bind group 1.
    pub bindings: wgpu::BindGroupLayout,
}

impl<'a> Build<'a> {
    /// For a state bound as group 0 with this layout.
    pub fn new(device: &'a wgpu::Device, state: &wgpu::BindGroupLayout) -> Self {
        let bindings = bindings(device);
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("search"),
            bind_group_layouts: &[Some(state), Some(&bindings)],
            immediate_size: 0,
        });
        Self { device, layout, bindings }
    }

    /// Returns the kernels of a sort.
    ///
    /// # Errors
    /// A kernel that the device refuses.
    pub fn sort(&self, parts: &Sorted) -> Result<Vec<Kernel>, String> {
        let &Sorted { particle, reach, entry, has_lists } = parts;
        let choice = format!("const of_lists = {has_lists};\n");
        // One view of a buffer for each kernel.
        let atomic = "fn bound_bits(k: u32) -> u32 { return atomicLoad(&work_atomic[k]); }\n";
        let largest = include_str!("largest.wgsl");
        let histogram = [largest, atomic, reach, particle, CELL, BUCKET, include_str!("histogram.wgsl")];
        let plain = PLAIN_BOUNDS;
        let scatter = [largest, plain, particle, entry, include_str!("scatter.wgsl")];
        let bound = [largest, atomic, particle, include_str!("bound.wgsl")];
        let mut kernels = vec![
            self.kernel("clear", DispatchExtent::All, &[&choice, include_str!("clear.wgsl")])?,
            self.kernel("bound", DispatchExtent::Bounds, &bound)?,
            self.kernel("histogram", DispatchExtent::Particles, &histogram)?,
        ];
        kernels.extend(self.scans(false)?);
        kernels.push(self.kernel("scatter", DispatchExtent::Particles, &scatter)?);
        Ok(kernels)
    }

    /// Returns the scan of the table of buckets, or of the starts of the lists.
    ///
    /// # Errors
    /// A kernel that the device refuses.
    pub fn scans(&self, of_lists: bool) -> Result<[Kernel; 3], String> {
        let choice = format!("const of_lists = {of_lists};\n");
        let scan = |name, extent| Ok::<_, String>(Kernel { of_lists, ..self.kernel(name, extent, &[&choice, SCAN])? });
        Ok([
            scan("scan_blocks", DispatchExtent::Blocks)?,
            scan("scan_sums", DispatchExtent::One)?,
            scan("scan_add", DispatchExtent::Values)?,
        ])
    }

    /// Returns a kernel from its parts.
    ///
    /// # Errors
    /// What the device has to say against it.
    pub fn kernel(&self, name: &str, extent: DispatchExtent, parts: &[&str]) -> Result<Kernel, String> {
        let module = exact::module(self.device, &(BINDINGS.to_owned() + &parts.concat()), name)?;
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
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
        Ok(Kernel { pipeline, extent, of_lists: false })
    }
}

/// Reads the bounds in a kernel that does not see them as atomics.
pub const PLAIN_BOUNDS: &str = "fn bound_bits(k: u32) -> u32 { return work[k]; }\n";

/// Bind group 1: `search`, `setup`, `work`, `lists`.
fn bindings(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let kinds = [
        wgpu::BufferBindingType::Uniform,
        wgpu::BufferBindingType::Storage { read_only: true },
        wgpu::BufferBindingType::Storage { read_only: false },
        wgpu::BufferBindingType::Storage { read_only: false },
    ];
    let entries: Vec<_> = (0..)
        .zip(kinds)
        .map(|(binding, ty)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        })
        .collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("search"), entries: &entries })
}

#[cfg(test)]
mod tests {
    use super::ALONG;

    /// In every table that media use: there nobody looks for members of a bucket twice.
    #[test]
    fn rows_around_a_cell_have_no_bucket_in_common() {
        let step = |name: &str| {
            let line = ALONG.lines().find_map(|line| line.strip_prefix(&format!("const {name} = 0x"))).unwrap();
            u32::from_str_radix(line.trim_end_matches("u;"), 16).unwrap()
        };
        let (y, z) = (step("ALONG_Y"), step("ALONG_Z"));
        for mask in (6..=28).map(|bits| (1_u32 << bits) - 1) {
            let row = |k: u32| (k % 3).wrapping_mul(y).wrapping_add((k / 3).wrapping_mul(z)) & mask;
            let gap = |a: u32, b: u32| row(a).wrapping_sub(row(b)) & mask;
            let apart = |a, b| a == b || (gap(a, b) >= 3 && gap(b, a) >= 3);
            assert!((0..9).all(|a| (0..9).all(|b| apart(a, b))), "{} buckets", mask + 1);
        }
    }
}
