//! Contacts of surfaces. The host finds the pairs of a frame at its start, and in every substep, once the constraints are
//! solved, which of them touch: this, the side and the order of solution depend on the previous substeps. The contacts
//! are uploaded as a pass of the substep.

use xpbd_core::schedule::TracedPass;

use crate::device::Device;
use crate::layout::PassRange;
use crate::passes::{Dispatch, PassSteps};
use crate::pipelines::{Family, Pipelines};
use crate::transient_passes::TransientPasses;
use crate::upload::Upload;
use crate::wgsl;

/// The contacts of surfaces on the device.
#[derive(Debug)]
pub struct SurfaceContacts {
    /// True if there are surfaces in the frame, so that the host looks at them in every substep.
    pub is_active: bool,
    /// Number of solutions of contacts in an iteration.
    pub sweeps: usize,
    /// Contacts of the substep as constraints.
    passes: TransientPasses,
    kernels: Option<[wgpu::ComputePipeline; 3]>,
    /// Dispatches that mark particles that were pushed, take positions over from pairs of particles, and return them.
    side_dispatches: Vec<Dispatch>,
    count: usize,
}

/// Returns the text of the kernels beside the pass.
pub fn surface_contacts_text() -> String {
    let own = include_str!("wgsl/surfaces.wgsl");
    wgsl::kernel(&[wgsl::RANGE, wgsl::PASS_DATA, own, wgsl::PAIR_HANDOVER])
}

impl SurfaceContacts {
    /// Returns an empty set.
    pub fn new(device: &Device) -> Self {
        let (passes, side_dispatches) = (TransientPasses::new(device), Vec::new());
        Self { is_active: false, sweeps: 1, passes, kernels: None, side_dispatches, count: 0 }
    }

    /// Removes the contacts of the previous substep.
    pub fn clear(&mut self) {
        self.passes.clear();
        self.side_dispatches.clear();
        (self.sweeps, self.count) = (1, 0);
    }

    /// Lays out and uploads the contacts of a substep, which are solved `sweeps` times.
    ///
    /// # Errors
    /// The device refuses a kernel or a buffer.
    pub fn update(
        &mut self,
        pass: &TracedPass,
        sweeps: usize,
        device: &Device,
        pipelines: &mut Pipelines,
        upload: &mut Upload,
    ) -> Result<(), String> {
        self.clear();
        if pass.is_empty() {
            return Ok(());
        }
        if self.kernels.is_none() {
            let text = surface_contacts_text();
            let mut get = |entry| pipelines.get(device, Family::Pass, &text, entry);
            self.kernels = Some([get("mark_surfaces")?, get("begin_from_pairs")?, get("return_to_pairs")?]);
        }
        // Multipliers are kept from sweep to sweep, as from iteration to iteration.
        self.passes.add(pass, 2, device, pipelines)?;
        let table = &mut self.passes.table;
        let range = PassRange { count: pass.len() as u32, ..table.bases[0] };
        let kernels = self.kernels.iter().flatten();
        self.side_dispatches.extend(kernels.map(|pipeline| table.dispatch(range, pipeline, pass.len())));
        (self.sweeps, self.count) = (sweeps, pass.len());
        self.passes.upload(device, pipelines, upload).map(drop)
    }

    /// Returns the bind group, the dispatches of the pass and those beside it, if there are contacts.
    pub fn steps(&self) -> Option<(&wgpu::BindGroup, &PassSteps, &[Dispatch])> {
        Some((self.passes.group()?, self.passes.steps.first()?, &self.side_dispatches))
    }

    /// Returns the multipliers of the normals, and their length \[bytes\].
    pub fn multipliers(&self) -> (&crate::memory::GrowableBuffer, u64) {
        (&self.passes.buffers.lambda, 4 * self.count as u64)
    }
}
