//! The kernels that solve a pass.

use xpbd_core::schedule::{PatchStage, TracedPass};

use super::{is_gathered, kinds_of_dispatches};
use crate::device::Device;
use crate::layout::{LARGE_PATCH_WORKGROUP_SIZE, PATCH_WORKGROUP_SIZE};
use crate::pass_kernel::{EvolutionKernel, PassKernel};
use crate::pipelines::{Family, Pipelines};

/// The kernels of a pass.
#[derive(Debug, Clone)]
pub struct PassKernels {
    /// Columns that they read, in order.
    pub columns: Vec<u16>,
    /// Kernels of the first iteration, and of the later ones if there are several.
    pub(super) solve: Vec<Sweep>,
    /// Kernels with which a substep begins, where multipliers are kept.
    pub(super) warm_start: Option<Sweep>,
    /// Kernels that change velocities.
    pub(super) rates: Option<Sweep>,
    /// Kernels of impacts, where anything rebounds.
    pub(super) impacts: Option<Sweep>,
    /// Kernel that changes parameters at the end of a frame, and the columns and indices of these.
    pub(super) evolution: Option<(wgpu::ComputePipeline, Vec<(u16, u32)>)>,
}

/// Kernels over the colours of a pass, and over its remainder.
#[derive(Debug, Clone)]
pub struct Sweep {
    /// The kernel of a stage, if there are stages and they are not [merged](super::merged) with those of other passes.
    pub stages: Option<wgpu::ComputePipeline>,
    /// The kernel of a colour, if any has a dispatch of its own.
    pub colours: Option<wgpu::ComputePipeline>,
    /// The kernel of colours that share a dispatch, if there are any.
    pub small_colours: Option<wgpu::ComputePipeline>,
    /// The kernels of the remainder, if there is one: project, then gather.
    pub remainder: Option<[wgpu::ComputePipeline; 2]>,
}

impl PassKernels {
    /// Compiles the kernels of a pass for this many iterations a substep. The stages of a pass that is merged are solved for
    /// positions by other kernels.
    ///
    /// # Errors
    /// The device refuses a kernel.
    pub fn new(
        pass: &TracedPass,
        is_merged: bool,
        iterations: u32,
        device: &Device,
        pipelines: &mut Pipelines,
    ) -> Result<Self, String> {
        let patch_threads = patch_threads(pass, device);
        let mut sweep = |kernel: PassKernel, solves_stages: bool| {
            let kernel = if is_gathered(pass) { kernel } else { kernel.in_order() };
            let text = kernel.module(patch_threads);
            let mut get = |entry| pipelines.get(device, Family::Pass, &text, entry);
            let [staged, alone, together] = kinds_of_dispatches(pass);
            let stages = if staged && solves_stages { Some(get("patches")?) } else { None };
            let colours = if alone { Some(get("colours")?) } else { None };
            let small_colours = if together { Some(get("patches")?) } else { None };
            let remainder = if pass.remainder.is_empty() { None } else { Some([get("remainder")?, get("gather")?]) };
            Ok::<_, String>(Sweep { stages, colours, small_colours, remainder })
        };
        let new = |warm| PassKernel::of_pass(pass, warm);
        // The linearization of a direct solve reads the damping.
        let damped = pass.is_damped();
        let (cold, mut solve) = (new(false), Vec::new());
        let columns = cold.columns.clone();
        solve.push(sweep(cold, !is_merged)?);
        if iterations > 1 {
            solve.push(sweep(new(true), !is_merged)?);
        }
        let mut sweep = |kernel| sweep(kernel, true);
        let rates = PassKernel::rates(&pass.kind, &pass.connectors, damped).map(&mut sweep).transpose()?;
        let impacts = PassKernel::impacts(&pass.kind, &pass.connectors, damped);
        let impacts = impacts.filter(|_| !pass.impacts.is_empty()).map(&mut sweep).transpose()?;
        let warm_start = PassKernel::warm_start(&pass.kind, &pass.connectors, damped);
        let warm_start = warm_start.map(sweep).transpose()?;
        let evolution = EvolutionKernel::new(&pass.kind, &pass.connectors, damped).map(|kernel| {
            let pipeline = pipelines.get(device, Family::Collisions, &kernel.text, "evolve_all")?;
            Ok::<_, String>((pipeline, kernel.changed))
        });
        Ok(Self { columns, solve, warm_start, rates, impacts, evolution: evolution.transpose()? })
    }
}

/// Returns the number of threads of a workgroup that solves a patch: as many as the largest has constraints of a colour, if the
/// device has them.
pub(super) fn patch_threads(pass: &TracedPass, device: &Device) -> u32 {
    let of_patches = |stage: &PatchStage| {
        (0..stage.patches).flat_map(|patch| stage.slots(patch..patch + 1)).map(|slots| slots.len()).max()
    };
    let largest = pass.stages.iter().filter_map(of_patches).max().unwrap_or(0);
    let is_large = largest > PATCH_WORKGROUP_SIZE as usize && device.max_workgroup_size() >= LARGE_PATCH_WORKGROUP_SIZE;
    if is_large { LARGE_PATCH_WORKGROUP_SIZE } else { PATCH_WORKGROUP_SIZE }
}
