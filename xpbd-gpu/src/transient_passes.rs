//! Passes that the host makes anew every frame, such as contacts that it has found: uploaded each frame,
//! solved like those of the plan and after them.

use std::sync::Arc;

use xpbd_core::connector::Connectors;
use xpbd_core::constraint::ConstraintType;
use xpbd_core::schedule::TracedPass;

use crate::device::Device;
use crate::passes::{PassBuffers, PassKernels, PassSteps, PassTable};
use crate::pipelines::Pipelines;
use crate::upload::Upload;

/// The passes of a frame on the device.
#[derive(Debug)]
pub struct TransientPasses {
    /// The passes laid out.
    pub table: PassTable,
    /// What they are laid out in.
    pub buffers: PassBuffers,
    group: Option<wgpu::BindGroup>,
    known: Vec<Known>,
    /// Columns of each pass, in the order in which they follow the node columns.
    pub columns: Vec<Vec<u16>>,
    /// The dispatches of each pass in order.
    pub steps: Vec<PassSteps>,
}

/// Kernels of passes like one.
#[derive(Debug)]
struct Known {
    kind: Arc<ConstraintType>,
    connectors: Connectors,
    damped: bool,
    is_warm: bool,
    /// Whether it has a remainder, and whether that lists the corrections of each node.
    remainder: [bool; 2],
    kernels: PassKernels,
}

impl TransientPasses {
    /// None yet.
    pub fn new(device: &Device) -> Self {
        let (table, buffers) = (PassTable::default(), PassBuffers::new(device));
        Self { table, buffers, group: None, known: Vec::new(), columns: Vec::new(), steps: Vec::new() }
    }

    /// Takes the passes of the frame that begins in place of those before, for this many iterations a
    /// substep.
    ///
    /// # Errors
    /// A kernel that the device refuses, or a buffer that it cannot give.
    pub fn make(
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

    /// Forgets the passes of the frame before.
    pub fn clear(&mut self) {
        self.table.clear();
        self.columns.clear();
        self.steps.clear();
    }

    /// Lays out one more pass.
    ///
    /// # Errors
    /// A kernel that the device refuses.
    pub fn add(
        &mut self,
        pass: &TracedPass,
        iterations: u32,
        device: &Device,
        pipelines: &mut Pipelines,
    ) -> Result<(), String> {
        let place = self.know(pass, iterations, device, pipelines)?;
        let kernels = &self.known[place].kernels;
        self.steps.push(self.table.add(pass, kernels));
        self.columns.push(kernels.columns.clone());
        Ok(())
    }

    /// Uploads what is laid out; says whether a buffer is a new one.
    ///
    /// # Errors
    /// A buffer that the device cannot give.
    pub fn upload(&mut self, device: &Device, pipelines: &mut Pipelines, upload: &mut Upload) -> Result<bool, String> {
        if self.table.bases.is_empty() {
            return Ok(false);
        }
        let write = |buffer: &wgpu::Buffer, bytes: &[u8]| upload.write(buffer, 0, bytes);
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

    /// Returns the place of the kernels of a pass, compiled if they are new.
    fn know(
        &mut self,
        pass: &TracedPass,
        iterations: u32,
        device: &Device,
        pipelines: &mut Pipelines,
    ) -> Result<usize, String> {
        let (is_warm, remainder) = (iterations > 1, [!pass.remainder.is_empty(), !pass.remainder_nodes.is_empty()]);
        let same = |known: &Known| {
            known.kind.is_same_type(&pass.kind)
                && known.connectors == pass.connectors
                && (known.damped, known.is_warm, known.remainder) == (pass.damped, is_warm, remainder)
        };
        if let Some(place) = self.known.iter().position(same) {
            return Ok(place);
        }
        let (kind, connectors, damped) = (pass.kind.clone(), pass.connectors.clone(), pass.damped);
        let kernels = PassKernels::new(pass, iterations, device, pipelines)?;
        self.known.push(Known { kind, connectors, damped, is_warm, remainder, kernels });
        Ok(self.known.len() - 1)
    }
}
