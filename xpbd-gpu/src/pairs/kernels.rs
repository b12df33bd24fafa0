//! The kernels of the search, in the order in which they run.

use wgpu::ShaderStages;

use super::layout::{Layout, SCAN_BLOCK};
use crate::exact;

/// Threads of a workgroup of the flat kernels.
const GROUP: u32 = 128;
/// Threads of a workgroup of the scan.
const SCAN_GROUP: u32 = 256;
/// Most workgroups along one dimension; kernels go on with a stride beyond.
const MOST_GROUPS: u32 = 65_535;
/// Most workgroups of the bounds: fewer threads with more particles each need fewer atomics.
const BOUND_GROUPS: u32 = 256;

const BINDINGS: &str = include_str!("bindings.wgsl");
const PARTICLE: &str = include_str!("particle.wgsl");
const CELL: &str = include_str!("cell.wgsl");
const BUCKET: &str = include_str!("bucket.wgsl");
const AROUND: &str = concat!(include_str!("bucket.wgsl"), include_str!("around.wgsl"), include_str!("touch.wgsl"));
const KEPT: &str = include_str!("kept.wgsl");
const SCAN: &str = include_str!("scan.wgsl");

/// How many workgroups a kernel runs.
#[derive(Debug, Clone, Copy)]
enum Extent {
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

impl Extent {
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
        groups.min(MOST_GROUPS)
    }
}

/// One dispatch of the search.
#[derive(Debug, Clone)]
struct Kernel {
    pipeline: wgpu::ComputePipeline,
    extent: Extent,
    of_lists: bool,
}

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
        let bindings = bindings(device);
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("pairs"),
            bind_group_layouts: &[Some(state), Some(&bindings)],
            immediate_size: 0,
        });
        let build = Build { device, layout: &layout };
        let scan = |name, extent, of_lists| {
            let choice = format!("const of_lists = {of_lists};\n");
            Ok::<_, String>(Kernel { of_lists, ..build.kernel(name, extent, &[&choice, SCAN])? })
        };
        let scans = |of_lists| {
            Ok::<_, String>([
                scan("scan_blocks", Extent::Blocks, of_lists)?,
                scan("scan_sums", Extent::One, of_lists)?,
                scan("scan_add", Extent::Values, of_lists)?,
            ])
        };
        let flat = |name, extent, parts: &[&str]| build.kernel(name, extent, parts);
        let mut kernels = vec![
            flat("clear", Extent::All, &[include_str!("clear.wgsl")])?,
            flat("bound", Extent::Bounds, &[PARTICLE, include_str!("bound.wgsl")])?,
            flat("histogram", Extent::Particles, &[PARTICLE, CELL, BUCKET, include_str!("histogram.wgsl")])?,
        ];
        kernels.extend(scans(false)?);
        kernels.extend([
            flat("scatter", Extent::Particles, &[PARTICLE, include_str!("scatter.wgsl")])?,
            flat("count", Extent::Particles, &[AROUND, include_str!("count.wgsl")])?,
            flat("cap", Extent::Particles, &[AROUND, include_str!("cap.wgsl")])?,
            flat("recount", Extent::Particles, &[AROUND, KEPT, include_str!("recount.wgsl")])?,
        ]);
        kernels.extend(scans(true)?);
        kernels.push(flat("fill", Extent::Particles, &[AROUND, KEPT, include_str!("fill.wgsl")])?);
        Ok(Self { kernels, bindings })
    }

    /// Records every dispatch, and says how many they are; the bind groups are set.
    pub(super) fn record(&self, pass: &mut wgpu::ComputePass<'_>, layout: &Layout) -> usize {
        for kernel in &self.kernels {
            pass.set_pipeline(&kernel.pipeline);
            pass.dispatch_workgroups(kernel.extent.groups(layout, kernel.of_lists), 1, 1);
        }
        self.kernels.len()
    }
}

struct Build<'a> {
    device: &'a wgpu::Device,
    layout: &'a wgpu::PipelineLayout,
}

impl Build<'_> {
    fn kernel(&self, name: &str, extent: Extent, parts: &[&str]) -> Result<Kernel, String> {
        let module = exact::module(self.device, &(BINDINGS.to_owned() + &parts.concat()), name)?;
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout: Some(self.layout),
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
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("pairs"), entries: &entries })
}
