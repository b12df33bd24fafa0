//! The buffers that passes are in.

use bytemuck::cast_slice;

use super::PassTable;
use crate::device::Device;
use crate::layout::{Range, table};
use crate::memory::GrowableBuffer;
use crate::pipelines::Pipelines;

/// The buffers of a table.
#[derive(Debug)]
pub struct PassBuffers {
    /// Uniforms of the dispatches.
    pub ranges: GrowableBuffer,
    /// Columns, colours and gathers.
    pub data: GrowableBuffer,
    /// Multipliers.
    pub lambda: GrowableBuffer,
    /// Corrections of Jacobi passes.
    pub corrections: GrowableBuffer,
}

impl PassBuffers {
    /// Empty buffers.
    pub fn new(device: &Device) -> Self {
        let storage = |label| GrowableBuffer::storage(device, label);
        let ranges = GrowableBuffer::uniforms(device, "ranges");
        Self { ranges, data: storage("data"), lambda: storage("lambda"), corrections: storage("corrections") }
    }

    /// Makes room for a table, as much as `room` says, and gives its bytes to `write`; says whether a
    /// buffer is a new one.
    ///
    /// # Errors
    /// A buffer that the device cannot give.
    pub fn hold(
        &mut self,
        passes: &PassTable,
        device: &Device,
        room: fn(u64) -> u64,
        mut write: impl FnMut(&wgpu::Buffer, &[u8]),
    ) -> Result<bool, String> {
        let ranges = table(&passes.ranges);
        let mut new = self.ranges.reserve(device, room(ranges.len() as u64))?;
        new |= self.data.reserve(device, room(4 * passes.data.len() as u64))?;
        new |= self.lambda.reserve(device, room(4 * passes.lambda as u64))?;
        new |= self.corrections.reserve(device, room(16 * passes.corrections as u64))?;
        write(&self.ranges.buffer, &ranges);
        write(&self.data.buffer, cast_slice(&passes.data));
        Ok(new)
    }

    /// Returns the bind group of dispatches that solve the passes.
    pub fn bind(&self, device: &Device, pipelines: &Pipelines) -> wgpu::BindGroup {
        self.group(device, &pipelines.pass)
    }

    /// Returns the bind group of dispatches that change what the passes are made of.
    pub fn bind_to_change(&self, device: &Device, pipelines: &Pipelines) -> wgpu::BindGroup {
        self.group(device, &pipelines.collisions)
    }

    fn group(&self, device: &Device, layout: &wgpu::BindGroupLayout) -> wgpu::BindGroup {
        let range = wgpu::BufferBinding {
            buffer: &self.ranges.buffer,
            offset: 0,
            size: wgpu::BufferSize::new(size_of::<Range>() as u64),
        };
        let storage = self.storage().map(|buffer| buffer.buffer.as_entire_binding());
        let resources = [wgpu::BindingResource::Buffer(range)].into_iter().chain(storage).zip(0..);
        let entries: Vec<_> = resources.map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource }).collect();
        device.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
    }

    /// Returns the storage buffers in the order of their bindings.
    pub fn storage(&self) -> [&GrowableBuffer; 3] {
        [&self.data, &self.lambda, &self.corrections]
    }
}
