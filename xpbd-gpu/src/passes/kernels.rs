//! The kernels that solve a pass.

use xpbd_core::schedule::TracedPass;

use super::is_gathered;
use crate::device::Device;
use crate::pass_kernel::{EvolutionKernel, PassKernel};
use crate::pipelines::{Family, Pipelines};

/// The kernels of a pass.
#[derive(Debug, Clone)]
pub struct PassKernels {
    /// Columns that they read, in order.
    pub columns: Vec<u16>,
    /// Cold, and warm if there is more than one iteration.
    pub(super) solve: Vec<Sweep>,
    /// What changes velocities.
    pub(super) rates: Option<Sweep>,
    /// What changes parameters at the end of a frame, and the columns and places of these.
    pub(super) flow: Option<(wgpu::ComputePipeline, Vec<(u16, u32)>)>,
}

/// A kernel over the colours of a pass, and if there is one over its remainder: what works corrections
/// out and what gathers them.
#[derive(Debug, Clone)]
pub struct Sweep {
    /// Colours.
    pub colours: wgpu::ComputePipeline,
    /// Remainder and gather.
    pub remainder: Option<[wgpu::ComputePipeline; 2]>,
}

impl PassKernels {
    /// Compiles what a pass needs, for this many iterations a substep.
    ///
    /// # Errors
    /// A kernel that the device refuses.
    pub fn new(pass: &TracedPass, iterations: u32, device: &Device, pipelines: &mut Pipelines) -> Result<Self, String> {
        let mut sweep = |kernel: PassKernel| {
            let kernel = if is_gathered(pass) { kernel } else { kernel.in_order(&pass.connectors) };
            let text = kernel.module();
            let mut get = |entry| pipelines.get(device, Family::Pass, &text, entry);
            let colours = get("colours")?;
            let remainder = if pass.remainder.is_empty() { None } else { Some([get("remainder")?, get("gather")?]) };
            Ok::<_, String>(Sweep { colours, remainder })
        };
        let new = |warm| PassKernel::new(&pass.kind, &pass.connectors, pass.damped, warm);
        let (cold, mut solve) = (new(false), Vec::new());
        let columns = cold.columns.clone();
        solve.push(sweep(cold)?);
        if iterations > 1 {
            solve.push(sweep(new(true))?);
        }
        let rates = PassKernel::rates(&pass.kind, &pass.connectors, pass.damped).map(sweep).transpose()?;
        let flow = EvolutionKernel::new(&pass.kind, &pass.connectors, pass.damped).map(|kernel| {
            let pipeline = pipelines.get(device, Family::Collisions, &kernel.text, "flow_all")?;
            Ok::<_, String>((pipeline, kernel.changed))
        });
        Ok(Self { columns, solve, rates, flow: flow.transpose()? })
    }
}
