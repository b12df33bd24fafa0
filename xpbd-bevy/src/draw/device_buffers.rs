//! The buffers of an object that a kernel draws.

use bevy::render::renderer::RenderDevice;
use wgpu::util::DeviceExt;

/// The tables that a kernel reads for an object.
#[derive(Debug, Clone)]
pub struct DeviceBuffers {
    /// [Lists](super::topology::Topology::lists) of a mesh, radii of spheres, points of a tube.
    pub table: wgpu::Buffer,
    /// Parameters of the kernel.
    pub params: wgpu::Buffer,
    /// Words of the table that were sent last.
    pub sent: Vec<u32>,
}

impl DeviceBuffers {
    /// Creates the buffers with this table, for parameters of this size \[bytes\].
    pub fn new(device: &RenderDevice, table: &[u8], parameters: u64) -> Self {
        let params = wgpu::BufferDescriptor {
            label: Some("parameters of a thing drawn"),
            size: parameters,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        };
        let table = wgpu::util::BufferInitDescriptor {
            label: Some("tables of a thing drawn"),
            contents: table,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        };
        let device = device.wgpu_device();
        Self { table: device.create_buffer_init(&table), params: device.create_buffer(&params), sent: Vec::new() }
    }
}
