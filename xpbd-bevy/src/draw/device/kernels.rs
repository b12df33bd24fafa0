//! Kernels that place vertices and spheres.

use bevy::ecs::world::FromWorld;
use bevy::math::Affine3A;
use bevy::prelude::*;
use bevy::render::renderer::RenderDevice;

/// The uniform of a kernel. Kernels of spheres ignore the frame and the fields from `places` on.
#[repr(C)]
#[derive(Debug, Default, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub struct DrawParameters {
    /// Columns of the transform to the frame of the entity.
    pub frame: [[f32; 4]; 4],
    /// First particle of the object.
    pub first: u32,
    /// Time of the frame between the last two steps, from 0 to 1.
    pub part: f32,
    /// Number of vertices or spheres.
    pub count: u32,
    /// Number of distinct positions that vertices follow.
    pub places: u32,
    /// Offset of the vertices in the binding \[words\].
    pub base: u32,
    /// Number of words of a vertex.
    pub stride: u32,
    /// Offset of the position in a vertex \[words\].
    pub position: u32,
    /// Offset of the normal in a vertex \[words\].
    pub normal: u32,
    /// Offset of the bindings in the lists \[words\]; 0 if places are particles.
    pub bindings: u32,
    /// Number of sides of a tube.
    pub sides: u32,
    /// Radius of a tube \[m\].
    pub radius: f32,
    /// Uniforms are a multiple of 16 bytes long.
    pub padding: u32,
}

impl DrawParameters {
    /// Returns the parameters with a transform to the frame of the entity.
    pub fn of(frame: Affine3A) -> Self {
        Self { frame: Mat4::from(frame).to_cols_array_2d(), ..Self::default() }
    }
}

/// A kernel.
pub struct DrawKernel(pub wgpu::ComputePipeline);

impl DrawKernel {
    fn new(device: &wgpu::Device, label: &str, code: &[&str]) -> Self {
        let code = [include_str!("parameters.wgsl"), &code.concat()].concat();
        let source = wgpu::ShaderSource::Wgsl(code.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source });
        Self(device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(label),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        }))
    }

    /// Returns its bindings: parameters, positions before the last step and after it, table, target.
    pub fn group(
        &self,
        device: &RenderDevice,
        params: &wgpu::Buffer,
        [before, now]: &[wgpu::Buffer; 2],
        table: &wgpu::Buffer,
        target: wgpu::BufferBinding<'_>,
    ) -> wgpu::BindGroup {
        let whole = wgpu::Buffer::as_entire_binding;
        let bindings = [whole(params), whole(before), whole(now), whole(table), wgpu::BindingResource::Buffer(target)];
        let entries =
            bindings.into_iter().zip(0..).map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource });
        device.wgpu_device().create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.0.get_bind_group_layout(0),
            entries: &Vec::from_iter(entries),
        })
    }
}

/// All kernels.
#[derive(Resource)]
pub struct DrawKernels {
    /// Places the vertices of a mesh.
    pub vertices: DrawKernel,
    /// Places the vertices of a tube, in one workgroup.
    pub tube: DrawKernel,
    /// The kernel that places spheres.
    pub spheres: DrawKernel,
}

impl FromWorld for DrawKernels {
    fn from_world(world: &mut World) -> Self {
        let device = world.resource::<RenderDevice>().wgpu_device();
        let mesh = include_str!("mesh.wgsl");
        Self {
            vertices: DrawKernel::new(device, "vertices", &[mesh, include_str!("vertices.wgsl")]),
            tube: DrawKernel::new(device, "tube", &[mesh, include_str!("tube.wgsl")]),
            spheres: DrawKernel::new(device, "spheres", &[include_str!("spheres.wgsl")]),
        }
    }
}
