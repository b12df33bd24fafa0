//! Passes that the host makes anew every frame, such as contacts that it has found. They are uploaded each frame, and
//! solved like those of the plan, after them.

use std::sync::Arc;

use xpbd_core::connector::Connectors;
use xpbd_core::constraint::ConstraintType;
use xpbd_core::schedule::TracedPass;

use crate::device::Device;
use crate::passes::{PassBuffers, PassKernels, PassSteps, PassTable, kinds_of_dispatches};
use crate::pipelines::Pipelines;
use crate::upload::Upload;

/// The passes of a frame on the device.
#[derive(Debug)]
pub struct TransientPasses {
    /// The passes laid out.
    pub table: PassTable,
    /// Buffers of the passes.
    pub buffers: PassBuffers,
    group: Option<wgpu::BindGroup>,
    cache: Vec<CachedKernels>,
    /// Columns of each pass, in the order in which they follow the node columns.
    pub columns: Vec<Vec<u16>>,
    /// The dispatches of each pass in order.
    pub steps: Vec<PassSteps>,
}

/// Kernels of passes like one.
#[derive(Debug)]
struct CachedKernels {
    kind: Arc<ConstraintType>,
    connectors: Connectors,
    damped: bool,
    is_warm: bool,
    rebounds: bool,
    /// True if the pass has a remainder, and true if that lists the corrections of each node.
    remainder: [bool; 2],
    /// See [`kinds_of_dispatches`].
    dispatches: [bool; 3],
    kernels: PassKernels,
}

impl TransientPasses {
    /// Returns an empty set.
    pub fn new(device: &Device) -> Self {
        let (table, buffers) = (PassTable::default(), PassBuffers::new(device));
        Self { table, buffers, group: None, cache: Vec::new(), columns: Vec::new(), steps: Vec::new() }
    }

    /// Replaces the passes by those of the frame that begins, for this many iterations a substep.
    ///
    /// # Errors
    /// The device refuses a kernel or a buffer.
    pub fn replace(
        &mut self,
        passes: &[&TracedPass],
        iterations: u32,
        device: &Device,
        pipelines: &mut Pipelines,
        upload: &mut Upload,
    ) -> Result<(), String> {
        self.clear();
        for pass in passes.iter().filter(|pass| !pass.is_empty()) {
            self.add(pass, iterations, device, pipelines)?;
        }
        self.upload(device, pipelines, upload).map(drop)
    }

    /// Removes the passes of the previous frame.
    pub fn clear(&mut self) {
        self.table.clear();
        self.columns.clear();
        self.steps.clear();
    }

    /// Lays out one more pass.
    ///
    /// # Errors
    /// The device refuses a kernel.
    pub fn add(
        &mut self,
        pass: &TracedPass,
        iterations: u32,
        device: &Device,
        pipelines: &mut Pipelines,
    ) -> Result<(), String> {
        let place = self.kernels_of(pass, iterations, device, pipelines)?;
        let kernels = &self.cache[place].kernels;
        self.steps.push(self.table.add(pass, kernels));
        self.columns.push(kernels.columns.clone());
        Ok(())
    }

    /// Uploads the passes, and returns whether a buffer is new.
    ///
    /// # Errors
    /// The device refuses a buffer.
    pub fn upload(&mut self, device: &Device, pipelines: &mut Pipelines, upload: &mut Upload) -> Result<bool, String> {
        if self.table.bases.is_empty() {
            return Ok(false);
        }
        let write = |buffer: &wgpu::Buffer, offset, bytes: &[u8]| upload.write(buffer, offset, bytes);
        let new = self.buffers.hold(&self.table, device, u64::next_power_of_two, write)?;
        if new || self.group.is_none() {
            self.group = Some(self.buffers.bind(device, pipelines));
        }
        Ok(new)
    }

    /// Returns the bind group of the dispatches, if there are any.
    pub fn group(&self) -> Option<&wgpu::BindGroup> {
        self.group.as_ref().filter(|_| !self.table.bases.is_empty())
    }

    /// Returns the index of the kernels of a pass, compiled if they are new.
    fn kernels_of(
        &mut self,
        pass: &TracedPass,
        iterations: u32,
        device: &Device,
        pipelines: &mut Pipelines,
    ) -> Result<usize, String> {
        let (is_warm, remainder) = (iterations > 1, [!pass.remainder.is_empty(), !pass.remainder_nodes.is_empty()]);
        let dispatches = kinds_of_dispatches(pass);
        let rebounds = !pass.impacts.is_empty();
        let same = |cache: &CachedKernels| {
            cache.kind.is_same_type(&pass.kind)
                && cache.connectors == pass.connectors
                && (cache.damped, cache.is_warm, cache.remainder) == (pass.is_damped(), is_warm, remainder)
                && (cache.rebounds, cache.dispatches) == (rebounds, dispatches)
        };
        if let Some(place) = self.cache.iter().position(same) {
            return Ok(place);
        }
        let (kind, connectors, damped) = (pass.kind.clone(), pass.connectors.clone(), pass.is_damped());
        let kernels = PassKernels::new(pass, false, iterations, device, pipelines)?;
        self.cache.push(CachedKernels { kind, connectors, damped, is_warm, rebounds, remainder, dispatches, kernels });
        Ok(self.cache.len() - 1)
    }
}
