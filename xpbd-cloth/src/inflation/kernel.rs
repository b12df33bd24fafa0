//! The kernel of the gas on a GPU: its buffers and its stages.

use xpbd_core::batch::BatchKernel;
use xpbd_core::batch::kernel::{KernelBuffer, KernelGrid, KernelHook, KernelStage};

use super::{CHUNK, Inflation};

const SOURCE: &str = include_str!("inflation.wgsl");

/// Returns the kernel of a batch.
pub(super) fn kernel(batch: &Inflation) -> BatchKernel {
    let vertices = batch.vertices();
    let chunks = vertices.div_ceil(CHUNK);
    let mut lists = vec![vertices as u32, chunks as u32];
    lists.extend(&batch.wing_starts);
    lists.extend(batch.wings.as_flattened());
    // λ and Δλ; the sums of the chunks; the gradients.
    let gas = vec![0; 4 * (1 + chunks + vertices)];
    let buffer = |name, element, words, written| KernelBuffer { name, element, words, written };
    let stage = |hook, function, grid| KernelStage { hook, function, grid };
    BatchKernel {
        source: SOURCE.into(),
        buffers: vec![buffer("lists", "u32", lists, false), buffer("gas", "vec4f", gas, true)],
        stages: vec![
            stage(KernelHook::BeginSubstep, "forget", KernelGrid::Threads(1)),
            stage(KernelHook::Project, "measure", KernelGrid::Groups(chunks)),
            stage(KernelHook::Project, "weigh", KernelGrid::Threads(1)),
            stage(KernelHook::Project, "push", KernelGrid::Threads(vertices)),
        ],
    }
}

/// Reads the multiplier back.
pub(super) fn absorb(batch: &mut Inflation, buffers: &[Vec<u32>]) {
    if let Some(&lambda) = buffers.get(1).and_then(|words| words.first()) {
        batch.lambda = f32::from_bits(lambda);
    }
}
