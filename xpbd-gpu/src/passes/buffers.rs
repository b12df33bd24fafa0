//! The buffers of passes.

use bytemuck::cast_slice;

use super::PassTable;
use crate::device::Device;
use crate::layout::{MAX_MERGED, PassRange, uniform_table};
use crate::memory::{GrowableBuffer, bind_group};
use crate::pipelines::Pipelines;

/// The buffers of a table.
#[derive(Debug)]
pub struct PassBuffers {
    /// Uniforms of the dispatches.
    pub ranges: GrowableBuffer,
    /// Columns, colours and gathers.
    pub data: GrowableBuffer,
    /// Multipliers of all rows.
    pub lambda: GrowableBuffer,
    /// Corrections of Jacobi passes.
    pub corrections: GrowableBuffer,
}

impl PassBuffers {
    /// Makes empty buffers.
    pub fn new(device: &Device) -> Self {
        let storage = |label| GrowableBuffer::storage(device, label);
        let ranges = GrowableBuffer::uniforms(device, "ranges");
        Self { ranges, data: storage("data"), lambda: storage("lambda"), corrections: storage("corrections") }
    }

    /// Makes room for a table, of the size that `room` returns, and passes its bytes to `write` with their offset in the
    /// buffer. Returns whether a buffer is new.
    ///
    /// # Errors
    /// The device refuses a buffer.
    pub fn hold(
        &mut self,
        passes: &PassTable,
        device: &Device,
        room: fn(u64) -> u64,
        mut write: impl FnMut(&wgpu::Buffer, u64, &[u8]),
    ) -> Result<bool, String> {
        let ranges = uniform_table(&passes.ranges);
        let mut new = self.ranges.reserve(device, room(ranges.len() as u64))?;
        new |= self.data.reserve(device, room(4 * passes.data.len() as u64))?;
        new |= self.lambda.reserve(device, room(4 * passes.lambda as u64))?;
        new |= self.corrections.reserve(device, room(16 * passes.corrections as u64))?;
        write(&self.ranges.buffer, 0, &ranges);
        write(&self.data.buffer, 0, cast_slice(&passes.data));
        for (first, multipliers) in &passes.kept_multipliers {
            write(&self.lambda.buffer, 4 * *first as u64, cast_slice(multipliers));
        }
        Ok(new)
    }

    /// Makes the bind group of dispatches that solve the passes.
    pub fn bind(&self, device: &Device, pipelines: &Pipelines) -> wgpu::BindGroup {
        self.group(device, &pipelines.pass)
    }

    /// Makes the bind group of dispatches that change the data of the passes.
    pub fn bind_writable(&self, device: &Device, pipelines: &Pipelines) -> wgpu::BindGroup {
        self.group(device, &pipelines.collisions)
    }

    fn group(&self, device: &Device, layout: &wgpu::BindGroupLayout) -> wgpu::BindGroup {
        let range = self.ranges.first_bytes(size_of::<[PassRange; MAX_MERGED]>() as u64);
        let storage = self.storage().map(GrowableBuffer::whole);
        bind_group(device, None, layout, [range].into_iter().chain(storage))
    }

    /// Returns the storage buffers in the order of their bindings.
    pub fn storage(&self) -> [&GrowableBuffer; 3] {
        [&self.data, &self.lambda, &self.corrections]
    }
}
