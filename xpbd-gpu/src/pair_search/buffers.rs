//! The buffers of the search, made anew only when they are too short.

use wgpu::BufferUsages;

use crate::cell_sort::{SearchError, SearchLayout, SearchUniform};

/// SearchBuffers of bind group 1 and the bind group itself.
#[derive(Debug)]
pub struct SearchBuffers {
    pub search: wgpu::Buffer,
    pub setup: wgpu::Buffer,
    pub work: wgpu::Buffer,
    pub lists: wgpu::Buffer,
    pub group: wgpu::BindGroup,
}

/// Lengths of the buffers in words of 4 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Lengths {
    pub setup: u64,
    pub work: u64,
    pub lists: u64,
}

impl Lengths {
    /// Lengths for a layout, with room for as many of the wanted partners as the device can hold.
    ///
    /// # Errors
    /// The device cannot hold the buffers without any partners.
    pub fn new(device: &wgpu::Device, layout: &SearchLayout, setup: usize, partners: u32) -> Result<Self, SearchError> {
        let limits = device.limits();
        let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) / 4;
        let fixed = Self { setup: setup as u64, work: layout.work.into(), lists: layout.partners.into() };
        let needed = fixed.setup.max(fixed.work).max(fixed.lists + 1);
        if needed > most {
            return Err(SearchError::TooLong { needed: 4 * needed, most: 4 * most });
        }
        Ok(Self { lists: most.min(fixed.lists + u64::from(partners)).min(u32::MAX.into()), ..fixed })
    }
}

impl SearchBuffers {
    pub fn new(device: &wgpu::Device, bindings: &wgpu::BindGroupLayout, lengths: Lengths) -> Self {
        let buffer = |label, words: u64, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: 4 * words.max(4),
                usage,
                mapped_at_creation: false,
            })
        };
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let uniform = size_of::<SearchUniform>() as u64 / 4;
        let search = buffer("pairs: search", uniform, BufferUsages::UNIFORM | BufferUsages::COPY_DST);
        let setup = buffer("pairs: setup", lengths.setup, storage);
        let work = buffer("pairs: work", lengths.work, storage);
        let lists = buffer("pairs: lists", lengths.lists, storage);
        let bound = [&search, &setup, &work, &lists];
        let entries: Vec<_> = (0..)
            .zip(bound)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("pairs"),
            layout: bindings,
            entries: &entries,
        });
        Self { search, setup, work, lists, group }
    }

    /// Returns whether the buffers are long enough.
    pub fn hold(&self, lengths: Lengths) -> bool {
        [(&self.setup, lengths.setup), (&self.work, lengths.work), (&self.lists, lengths.lists)]
            .iter()
            .all(|(buffer, words)| buffer.size() >= 4 * words)
    }
}
