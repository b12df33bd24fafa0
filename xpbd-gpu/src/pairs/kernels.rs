//! The kernels of the search, in the order in which they run.

use wgpu::ShaderStages;

use super::layout::{Layout, SCAN_BLOCK};

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
    pub fn new(device: &wgpu::Device, state: &wgpu::BindGroupLayout) -> Self {
        let bindings = bindings(device);
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("pairs"),
            bind_group_layouts: &[Some(state), Some(&bindings)],
            immediate_size: 0,
        });
        let build = Build { device, layout: &layout };
        let scan = build.module("scan", &[SCAN]);
        let scans = |of_lists| {
            [("scan_blocks", Extent::Blocks), ("scan_sums", Extent::One), ("scan_add", Extent::Values)]
                .map(|(name, extent)| build.kernel(&scan, name, extent, Some(of_lists)))
        };
        let flat = |name, extent, parts: &[&str]| build.kernel(&build.module(name, parts), name, extent, None);
        let mut kernels = vec![
            flat("clear", Extent::All, &[include_str!("clear.wgsl")]),
            flat("bound", Extent::Bounds, &[PARTICLE, include_str!("bound.wgsl")]),
            flat("histogram", Extent::Particles, &[PARTICLE, CELL, BUCKET, include_str!("histogram.wgsl")]),
        ];
        kernels.extend(scans(false));
        kernels.extend([
            flat("scatter", Extent::Particles, &[PARTICLE, include_str!("scatter.wgsl")]),
            flat("count", Extent::Particles, &[AROUND, include_str!("count.wgsl")]),
            flat("cap", Extent::Particles, &[AROUND, include_str!("cap.wgsl")]),
            flat("recount", Extent::Particles, &[AROUND, KEPT, include_str!("recount.wgsl")]),
        ]);
        kernels.extend(scans(true));
        kernels.push(flat("fill", Extent::Particles, &[AROUND, KEPT, include_str!("fill.wgsl")]));
        Self { kernels, bindings }
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
    fn module(&self, name: &str, parts: &[&str]) -> wgpu::ShaderModule {
        let text = BINDINGS.to_owned() + &parts.concat();
        let source = wgpu::ShaderSource::Wgsl(text.into());
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(name), source })
    }

    fn kernel(&self, module: &wgpu::ShaderModule, name: &str, extent: Extent, of_lists: Option<bool>) -> Kernel {
        let constants: &[_] = &[("of_lists", f64::from(u8::from(of_lists == Some(true))))];
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout: Some(self.layout),
            module,
            entry_point: Some(name),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: if of_lists.is_some() { constants } else { &[] },
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        });
        Kernel { pipeline, extent, of_lists: of_lists == Some(true) }
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
