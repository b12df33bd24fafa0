//! Kernels made into pipelines, each text once.

use hashbrown::HashMap;

use crate::device::Device;
use crate::kernel::GROUP;

/// Which buffers a kernel finds in its second bind group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// A range, constraint data, multipliers, corrections.
    Pass,
    /// The scene and two buffers that differ from kernel to kernel.
    Scene,
}

/// Pipelines and the layouts of their bind groups.
#[derive(Debug)]
pub struct Pipelines {
    /// Layout of the state of a world.
    pub state: wgpu::BindGroupLayout,
    /// Layout of [`Family::Pass`].
    pub pass: wgpu::BindGroupLayout,
    /// Layout of [`Family::Scene`].
    pub scene: wgpu::BindGroupLayout,
    known: HashMap<(String, &'static str), wgpu::ComputePipeline>,
}

/// The text of the state's bindings.
pub const STATE: &str = include_str!("wgsl/state.wgsl");

/// Fills in the number of threads of a workgroup.
pub fn sized(text: &str) -> String {
    text.replace("$group", &GROUP.to_string())
}

impl Pipelines {
    /// No pipelines yet.
    pub fn new(device: &Device) -> Self {
        let layout = |label, uniform: bool, storage: &[bool]| {
            let visible = |binding, ty| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty,
                    has_dynamic_offset: ty == wgpu::BufferBindingType::Uniform,
                    min_binding_size: None,
                },
                count: None,
            };
            let first = uniform.then(|| visible(0, wgpu::BufferBindingType::Uniform));
            let rest = storage.iter().zip(u32::from(uniform)..);
            let rest =
                rest.map(|(&read_only, binding)| visible(binding, wgpu::BufferBindingType::Storage { read_only }));
            let entries: Vec<_> = first.into_iter().chain(rest).collect();
            device
                .device
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
        };
        Self {
            state: layout("state", true, &[false; 5]),
            pass: layout("pass", true, &[true, false, false]),
            scene: layout("scene", false, &[true, false, false]),
            known: HashMap::new(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// The pipeline of an entry of a text, made if it is new.
    ///
    /// # Errors
    /// What the device has to say against the text.
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
        let scope = device.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let module = device.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(entry),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let second = match family {
            Family::Pass => &self.pass,
            Family::Scene => &self.scene,
        };
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
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(format!("the kernel `{entry}`: {error}"));
        }
        self.known.insert(key, pipeline.clone());
        Ok(pipeline)
    }
}
