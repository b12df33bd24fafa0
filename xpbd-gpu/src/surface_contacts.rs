//! Contacts of surfaces. The host finds the pairs of a frame at its start, and in every substep, once the constraints are
//! solved, which of them touch: this, the side and the order of solution depend on the previous substeps. The contacts
//! are uploaded as passes of the substep, one for each kind of partner.

use std::ops::Range;

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
    /// True if contacts with what cannot be pushed are solved before all others too.
    pub begins_with_walls: bool,
    /// Contacts of the substep as constraints.
    passes: TransientPasses,
    kernels: Option<SurfaceKernels>,
    /// The contacts with each kind of partner, if there are any.
    sets: [Option<DeviceSet>; 3],
}

/// Kernels beside the passes.
#[derive(Debug)]
struct SurfaceKernels {
    /// Kernels that mark the particles of contacts that pushed, with each kind of partner.
    mark: [wgpu::ComputePipeline; 3],
    /// Kernels that take positions over from pairs of particles, and return them.
    handover: [wgpu::ComputePipeline; 2],
}

/// Contacts with one kind of partner.
#[derive(Debug)]
struct DeviceSet {
    /// Index of the pass.
    pass: usize,
    /// Range of the multipliers of the normals \[numbers\].
    multipliers: Range<usize>,
    mark: Dispatch,
    handover: [Dispatch; 2],
}

/// The dispatches of contacts with one kind of partner.
pub struct SetSteps<'a> {
    /// Bind group of all dispatches.
    pub group: &'a wgpu::BindGroup,
    /// Dispatches that solve.
    pub pass: &'a PassSteps,
    /// Dispatch that marks particles that were pushed.
    pub mark: &'a Dispatch,
    /// Dispatches that take positions over from pairs of particles, and return them.
    pub handover: &'a [Dispatch; 2],
}

/// Returns the text of the kernels beside the passes.
pub fn surface_contacts_text() -> String {
    let own = include_str!("wgsl/surfaces.wgsl");
    wgsl::kernel(&[wgsl::RANGE, wgsl::PASS_DATA, own, wgsl::PAIR_HANDOVER])
}

impl SurfaceContacts {
    /// Returns an empty set.
    pub fn new(device: &Device) -> Self {
        Self {
            is_active: false,
            sweeps: 1,
            begins_with_walls: false,
            passes: TransientPasses::new(device),
            kernels: None,
            sets: [const { None }; 3],
        }
    }

    /// Removes the contacts of the previous substep.
    pub fn clear(&mut self) {
        self.passes.clear();
        self.sets = [const { None }; 3];
        (self.sweeps, self.begins_with_walls) = (1, false);
    }

    /// Lays out and uploads the contacts of a substep.
    ///
    /// # Errors
    /// The device refuses a kernel or a buffer.
    pub fn update(
        &mut self,
        contacts: &xpbd_core::collide::surface_contacts::SurfaceContacts,
        device: &Device,
        pipelines: &mut Pipelines,
        upload: &mut Upload,
    ) -> Result<(), String> {
        self.clear();
        (self.sweeps, self.begins_with_walls) = (contacts.sweeps(), contacts.begins_with_walls());
        for (number, set) in contacts.sets().into_iter().enumerate() {
            if let Some(pass) = set.pass.as_ref().filter(|pass| !pass.is_empty()) {
                self.sets[number] = Some(self.add(number, pass, device, pipelines)?);
            }
        }
        self.passes.upload(device, pipelines, upload).map(drop)
    }

    fn add(
        &mut self,
        number: usize,
        pass: &TracedPass,
        device: &Device,
        pipelines: &mut Pipelines,
    ) -> Result<DeviceSet, String> {
        if self.kernels.is_none() {
            let text = surface_contacts_text();
            let mut get = |entry| pipelines.get(device, Family::Pass, &text, entry);
            let [surfaces, shapes] = [get("mark_surfaces")?, get("mark_surface_shapes")?];
            let mark = [surfaces, shapes.clone(), shapes];
            self.kernels = Some(SurfaceKernels { mark, handover: [get("begin_from_pairs")?, get("return_to_pairs")?] });
        }
        let kernels = self.kernels.as_ref().ok_or("no kernels of surfaces")?;
        // Multipliers are kept from sweep to sweep, as from iteration to iteration.
        self.passes.add(pass, 2, device, pipelines)?;
        let table = &mut self.passes.table;
        let place = table.bases.len() - 1;
        let range = PassRange { count: pass.len() as u32, ..table.bases[place] };
        let mut dispatch = |pipeline| table.dispatch(range, pipeline, pass.len());
        let mark = dispatch(&kernels.mark[number]);
        let handover = [dispatch(&kernels.handover[0]), dispatch(&kernels.handover[1])];
        let first = range.lambda as usize;
        Ok(DeviceSet { pass: place, multipliers: first..first + pass.len(), mark, handover })
    }

    /// Returns whether any contacts are solved in the substep.
    pub fn is_empty(&self) -> bool {
        self.sets.iter().all(Option::is_none)
    }

    /// Returns the dispatches of the contacts with one kind of partner, in the order of
    /// [`SurfaceContacts::sets`](xpbd_core::collide::surface_contacts::SurfaceContacts::sets), if there are any.
    pub fn steps(&self, number: usize) -> Option<SetSteps<'_>> {
        let DeviceSet { pass, mark, handover, .. } = self.sets[number].as_ref()?;
        Some(SetSteps { group: self.passes.group()?, pass: self.passes.steps.get(*pass)?, mark, handover })
    }

    /// Returns the buffer of multipliers, and the range of those of the normals with each kind of partner \[numbers\].
    pub fn multipliers(&self) -> (&crate::memory::GrowableBuffer, [Range<usize>; 3]) {
        let ranges = self.sets.each_ref().map(|set| set.as_ref().map_or(0..0, |set| set.multipliers.clone()));
        (&self.passes.buffers.lambda, ranges)
    }
}
