//! Contacts of surfaces. The host finds the pairs of a frame at its start and looks at them in every substep,
//! once the constraints are solved: which touch, on which side, and in which order they are solved hangs on all
//! that was before. What touches is uploaded as a pass of the substep.

use xpbd_core::schedule::TracedPass;

use crate::collisions::PAIR_HANDOVER;
use crate::device::Device;
use crate::layout::Range;
use crate::pass_kernel::RANGE;
use crate::passes::{Dispatch, PassSteps};
use crate::pipelines::{Family, Pipelines, STATE, sized};
use crate::transient_passes::TransientPasses;
use crate::upload::Upload;

/// The contacts of surfaces on the device.
#[derive(Debug)]
pub struct Surfaces {
    /// True if there are surfaces in the frame, so that the host looks at them in every substep.
    pub are_there: bool,
    /// How often contacts are solved in an iteration.
    pub sweeps: usize,
    /// Contacts of the substep as constraints.
    passes: TransientPasses,
    kernels: Option<[wgpu::ComputePipeline; 3]>,
    /// What marks particles that were pushed; what lets the pass begin where pairs of particles have ended, and the
    /// other way round.
    beside: Vec<Dispatch>,
    count: usize,
}

/// Returns the text of the kernels beside the pass.
pub fn text() -> String {
    sized(&[STATE, RANGE, include_str!("wgsl/surfaces.wgsl"), PAIR_HANDOVER].concat())
}

impl Surfaces {
    /// None yet.
    pub fn new(device: &Device) -> Self {
        let (passes, beside) = (TransientPasses::new(device), Vec::new());
        Self { are_there: false, sweeps: 1, passes, kernels: None, beside, count: 0 }
    }

    /// Forgets the contacts of the substep before.
    pub fn clear(&mut self) {
        self.passes.clear();
        self.beside.clear();
        (self.sweeps, self.count) = (1, 0);
    }

    /// Takes the contacts of a substep, which are solved `sweeps` times.
    ///
    /// # Errors
    /// A kernel that the device refuses, or a buffer that it cannot give.
    pub fn make(
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
            let text = text();
            let mut get = |entry| pipelines.get(device, Family::Pass, &text, entry);
            self.kernels = Some([get("mark_surfaces")?, get("take_pairs")?, get("leave_pairs")?]);
        }
        // Multipliers are kept from sweep to sweep, as from iteration to iteration.
        self.passes.add(pass, 2, device, pipelines)?;
        let table = &mut self.passes.table;
        let range = Range { count: pass.len() as u32, ..table.bases[0] };
        let kernels = self.kernels.iter().flatten();
        self.beside.extend(kernels.map(|pipeline| table.dispatch(range, pipeline, pass.len())));
        (self.sweeps, self.count) = (sweeps, pass.len());
        self.passes.upload(device, pipelines, upload).map(drop)
    }

    /// Returns the bind group and the dispatches of the pass and of what is beside it, if anything touches.
    pub fn steps(&self) -> Option<(&wgpu::BindGroup, &PassSteps, &[Dispatch])> {
        Some((self.passes.group()?, self.passes.steps.first()?, &self.beside))
    }

    /// Returns the multipliers of the normals, and their bytes.
    pub fn multipliers(&self) -> (&crate::memory::GrowableBuffer, u64) {
        (&self.passes.buffers.lambda, 4 * self.count as u64)
    }
}
