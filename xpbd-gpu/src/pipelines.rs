//! Kernels made into pipelines, each text once.

use hashbrown::HashMap;

use crate::cell_sort::MemberSort;
use crate::device::Device;
use crate::pair_search::PairSearchKernels;

/// Which buffers a kernel finds in its second bind group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// A range, constraint data, multipliers, corrections.
    Pass,
    /// The scene and two buffers that differ from kernel to kernel.
    Scene,
    /// All passes of small islands: their ranges, then as in [`Family::Pass`].
    Islands,
    /// A range, then as in [`Family::Pass`] with records in place of corrections, all written.
    Collisions,
    /// A uniform, a table of buckets, members, walls.
    Medium,
    /// The nodes of a hand-written batch, and the buffers of its own that [`Pipelines::custom`] was told of.
    Custom(usize),
}

/// Pipelines and the layouts of their bind groups.
#[derive(Debug)]
pub struct Pipelines {
    /// Layout of the state of a world.
    pub state: wgpu::BindGroupLayout,
    /// Layout of [`Family::Pass`].
    pub pass: wgpu::BindGroupLayout,
    /// Layout of [`Family::Islands`].
    pub islands: wgpu::BindGroupLayout,
    /// Layout of [`Family::Scene`].
    pub scene: wgpu::BindGroupLayout,
    /// Layout of [`Family::Collisions`].
    pub collisions: wgpu::BindGroupLayout,
    /// Layout of [`Family::Medium`].
    pub medium: wgpu::BindGroupLayout,
    /// Layouts of [`Family::Custom`], each with whether its buffers are read only.
    custom: Vec<(Vec<bool>, wgpu::BindGroupLayout)>,
    known: HashMap<(String, &'static str), wgpu::ComputePipeline>,
    pairs: Option<PairSearchKernels>,
    sort: Option<MemberSort>,
}

impl Pipelines {
    /// Makes the layouts, without pipelines.
    pub fn new(device: &Device) -> Self {
        let layout = |label, uniform, storage: &[bool]| layout(device, label, uniform, storage);
        Self {
            state: layout("state", Some(true), &[false; 5]),
            pass: layout("pass", Some(true), &[true, false, false]),
            islands: layout("islands", Some(false), &[true, false, false]),
            scene: layout("scene", None, &[true, false, false]),
            collisions: layout("collisions", Some(true), &[false; 3]),
            medium: layout("medium", Some(false), &[true, false, false]),
            custom: Vec::new(),
            known: HashMap::new(),
            pairs: None,
            sort: None,
        }
    }

    /// Returns the layout of the second bind group of a family.
    pub fn layout(&self, family: Family) -> &wgpu::BindGroupLayout {
        match family {
            Family::Pass => &self.pass,
            Family::Islands => &self.islands,
            Family::Scene => &self.scene,
            Family::Collisions => &self.collisions,
            Family::Medium => &self.medium,
            Family::Custom(number) => &self.custom[number].1,
        }
    }

    /// Returns the family of the kernels of a hand-written batch, given whether each of its buffers is read only.
    pub fn custom(&mut self, device: &Device, read_only: Vec<bool>) -> Family {
        let number = self.custom.iter().position(|(known, _)| *known == read_only).unwrap_or_else(|| {
            let layout = layout(device, "batch", Some(false), &read_only);
            self.custom.push((read_only, layout));
            self.custom.len() - 1
        });
        Family::Custom(number)
    }

    /// Returns the kernels of the search for pairs, compiled when a world first needs them.
    ///
    /// # Errors
    /// The device refuses a kernel.
    pub fn pairs(&mut self, device: &Device) -> Result<PairSearchKernels, String> {
        let kernels = match self.pairs.take() {
            Some(kernels) => kernels,
            None => PairSearchKernels::new(device, &self.state)?,
        };
        self.pairs = Some(kernels.clone());
        Ok(kernels)
    }

    /// Returns the kernels that sort the members of media, compiled when a world first needs them.
    ///
    /// # Errors
    /// The device refuses a kernel.
    pub fn sort(&mut self, device: &Device) -> Result<MemberSort, String> {
        let kernels = match self.sort.take() {
            Some(kernels) => kernels,
            None => MemberSort::new(device, &self.state)?,
        };
        self.sort = Some(kernels.clone());
        Ok(kernels)
    }

    /// Returns the pipeline of an entry of a text, compiled if it is new.
    ///
    /// # Errors
    /// The device refuses the text.
    pub fn get(
        &mut self,
        device: &Device,
        family: Family,
        text: &str,
        entry: &'static str,
    ) -> Result<wgpu::ComputePipeline, String> {
        let key = (text.to_string(), entry);
        if let Some(pipeline) = self.known.get(&key) {
            return Ok(pipeline.clone());
        }
        let refused = |error| format!("the kernel `{entry}`: {error}");
        // On the web nothing may wait: a step that follows says what was refused.
        #[cfg(not(target_arch = "wasm32"))]
        let scope = device.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let module = device.module(text, entry).map_err(refused)?;
        let second = self.layout(family);
        let layout = device.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(entry),
            bind_group_layouts: &[Some(&self.state), Some(second)],
            immediate_size: 0,
        });
        let pipeline = device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: Some(&layout),
            module: &module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..wgpu::PipelineCompilationOptions::default()
            },
            cache: None,
        });
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(format!("the kernel `{entry}`: {error}"));
        }
        self.known.insert(key, pipeline.clone());
        Ok(pipeline)
    }
}

/// Makes the layout of a bind group: a uniform, with whether it has offsets, if there is one, and storage buffers, with whether
/// they are read only.
fn layout(device: &Device, label: &str, uniform: Option<bool>, storage: &[bool]) -> wgpu::BindGroupLayout {
    let visible = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: ty == wgpu::BufferBindingType::Uniform && uniform == Some(true),
            min_binding_size: None,
        },
        count: None,
    };
    let first = uniform.map(|_| visible(0, wgpu::BufferBindingType::Uniform));
    let rest = storage.iter().zip(u32::from(uniform.is_some())..);
    let rest = rest.map(|(&read_only, binding)| visible(binding, wgpu::BufferBindingType::Storage { read_only }));
    let entries: Vec<_> = first.into_iter().chain(rest).collect();
    device.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
}
