//! Passes that are merged: a stage of all of them is one dispatch, in which a workgroup solves a patch through one pass after
//! the other.

use xpbd_core::schedule::TracedPass;

use super::kernels::patch_threads;
use super::{Dispatch, PassTable, stage_range, stage_threads};
use crate::device::Device;
use crate::layout::{MAX_MERGED, PassRange};
use crate::pass_kernel::PassKernel;
use crate::pipelines::{Family, Pipelines};
use crate::wgsl;

impl PassTable {
    /// Returns the dispatches of the stages of passes that were added last, in the first iteration of a substep, and in the later
    /// ones if there are several.
    ///
    /// # Errors
    /// The device refuses a kernel.
    pub fn merged(
        &mut self,
        passes: &[&TracedPass],
        iterations: u32,
        device: &Device,
        pipelines: &mut Pipelines,
    ) -> Result<[Vec<Dispatch>; 2], String> {
        let bases = self.bases[self.bases.len() - passes.len()..].to_vec();
        let mut solve = [Vec::new(), Vec::new()];
        for (warm, dispatches) in [false, true].into_iter().zip(&mut solve).take(iterations.min(2) as usize) {
            let mut kernel = |passes: &[&TracedPass]| {
                let kernels: Vec<PassKernel> = passes.iter().map(|pass| PassKernel::of_pass(pass, warm)).collect();
                let threads = passes.iter().map(|pass| patch_threads(pass, device)).max().unwrap_or(0);
                pipelines.get(device, Family::Pass, &module(&kernels, threads), "patches")
            };
            let kernels = passes.chunks(MAX_MERGED).map(&mut kernel).collect::<Result<Vec<_>, String>>()?;
            for (number, stage) in passes[0].stages.iter().enumerate() {
                let chunks = passes.chunks(MAX_MERGED).zip(bases.chunks(MAX_MERGED));
                for ((passes, bases), kernel) in chunks.zip(&kernels) {
                    let mut ranges = [PassRange::default(); MAX_MERGED];
                    for ((range, pass), base) in ranges.iter_mut().zip(passes).zip(bases) {
                        *range = stage_range(pass, *base, number);
                    }
                    dispatches.push(self.dispatch_merged(ranges, kernel, stage_threads(stage)));
                }
            }
        }
        Ok(solve)
    }
}

/// Prints the kernel of these passes, of which a workgroup with this many threads solves a patch.
fn module(kernels: &[PassKernel], threads: u32) -> String {
    let (mut functions, mut body) = (String::new(), String::new());
    for (number, kernel) in kernels.iter().enumerate() {
        functions += &kernel.functions_named(&number.to_string()).replace("range.", &format!("passes[{number}]."));
        body += &pass_text(number, threads);
    }
    let stage = include_str!("../wgsl/merged.wgsl").replace("$passes", &kernels.len().to_string());
    let stage = stage.replace("$patch_group", &threads.to_string()).replace("//$body", &body);
    wgsl::kernel(&[wgsl::RANGE, wgsl::PASS_DATA, &kernels[0].moves(), &functions, &stage])
}

/// Prints one pass of a stage: its colours one after the other.
fn pass_text(number: usize, threads: u32) -> String {
    format!(
        "
    let table_{number} = passes[{number}].colours + 2u * passes[{number}].count * group.x;
    for (var colour = 0u; colour < passes[{number}].count; colour++) {{
        let first = data[table_{number} + 2u * colour];
        let end = first + data[table_{number} + 2u * colour + 1u];
        for (var slot = first + lane; slot < end; slot += {threads}u) {{
            solve_{number}(slot);
        }}
        storageBarrier();
    }}
"
    )
}
